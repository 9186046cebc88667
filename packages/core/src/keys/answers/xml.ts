/** Elements that contain only text; namespaces and attributes are dropped. Every repeat is bounded. */
const LEAF = /<(?:[\w-]{1,20}:)?([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>([^<>]{1,1000})<\//g;
const MAX_ELEMENTS = 48;

/**
 * The leaves of an error in XML or SOAP as members of an object (`<Error><Code>Throttling</Code>…`), and the text before it;
 * null where the text contains no such document.
 */
export function elementsIn(text: string): { values: unknown[]; prose: string } | null {
  if (!text.includes("</")) return null;
  const start = text
    .slice(0, 2000)
    .search(
      /<\?xml|<(?:[\w-]{1,20}:)?(?:\w{0,30}(?:Error|Fault|Response|Result|Exception)\w{0,20}|Envelope)\b/,
    );
  if (start < 0) return null;
  const values: unknown[] = [];
  for (const [, name = "", content = ""] of text.slice(start).matchAll(LEAF)) {
    values.push({ [name]: unescaped(content.trim()) });
    if (values.length >= MAX_ELEMENTS) break;
  }
  return values.length === 0 ? null : { values, prose: text.slice(0, start) };
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
