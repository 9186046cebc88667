/** `let KEY: &str = "x"`, `api_key: str = Field(default="x")`, `add_argument("--token", default="x")`. */
const TYPED = /([A-Za-z_$][\w$]{1,60})\s?[?!]?\s?:\s?[A-Za-z_&'][\w&'<>[\]|. ]{0,40}\s?$/;
const DEFAULTED =
  /(?:["'`]-{0,2}([A-Za-z_][\w -]{1,40})["'`]\s?,|([A-Za-z_]\w{1,60})\s?(?::[^=\n]{1,40})?=\s?[\w.]{1,40}\()[^()\n]{0,80}$/;

/** The name to which a declaration gives a quoted value; empty when there is none. */
export function declaredName(text: string, at: number, start: number, name: string): string {
  let value = text.charCodeAt(at + 1) === 32 ? at + 2 : at + 1;
  if (text.charCodeAt(value) <= 13)
    value += /^\r?\n[ \t]{1,40}/.exec(text.slice(value, value + 44))?.[0].length ?? 0;
  const q = text.charCodeAt(value);
  if (q !== 34 && q !== 39 && q !== 96) return "";
  if (/^(?:default|default_value|defaultValue|value|fallback)$/.test(name)) {
    const found = DEFAULTED.exec(text.slice(Math.max(0, start - 140), start));
    return found?.[1] ?? found?.[2] ?? "";
  }
  const before = text.slice(Math.max(0, at - 108), at);
  return before.includes(":", before.length - 48) ? (TYPED.exec(before)?.[1] ?? "") : "";
}

/** `Password for the admin panel`, `Hasło do panelu`: the words before a preposition, on one line. */
export function headOf(text: string, start: number, end: number, from: number): string {
  const before = text.slice(Math.max(from, end - 60), end);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const found = PREPOSITION.exec(line);
  if (found === null || end - start > 30) return "";
  const head = line.slice(0, found.index).trim();
  return head.slice(head.search(/[^\s.;,(>|*"'-]+(?: [^\s.;,(>|*"'-]+){0,2}$/));
}

const PREPOSITION =
  /\s(?:for|of|to|in|on|für|von|pour|du|de|del|do|da|para|per|di|voor|van|för|till|dla|для|от)\s(?!.*\s(?:for|of|to|is|are|must|can)\s)/u;
