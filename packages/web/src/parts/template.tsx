import { RenderedMarkdown } from "./markdown.tsx";

/** A piece of a template: plain text, or the name of a variable. */
export type TemplatePiece = { text: string } | { variable: string };

/** Matches `{{name}}`. Blanks inside are allowed; names have at most 64 characters. */
const VARIABLE = /\{\{[ \t]{0,8}([\p{L}_][\p{L}\p{N}_.-]{0,63})[ \t]{0,8}\}\}/gu;

/** Cuts a template into text and variables. */
export function piecesOf(content: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of content.matchAll(VARIABLE)) {
    if (match.index > end) pieces.push({ text: content.slice(end, match.index) });
    pieces.push({ variable: match[1] ?? "" });
    end = match.index + match[0].length;
  }
  if (end < content.length) pieces.push({ text: content.slice(end) });
  return pieces;
}

export interface Variable {
  name: string;
  description: string | null;
}

/**
 * Returns the variables that the text uses, with their descriptions from the list of variables, and then the variables that only the list
 * has.
 */
export function variablesOf(payload: Record<string, unknown>): Variable[] {
  const listed = new Map<string, string | null>();
  for (const one of Array.isArray(payload.variables) ? payload.variables : []) {
    const { name, description } = (one ?? {}) as { name?: unknown; description?: unknown };
    if (typeof one === "string") listed.set(one, null);
    else if (typeof name === "string") listed.set(name, typeof description === "string" ? description : null);
  }
  const used = piecesOf(String(payload.content ?? "")).flatMap((piece) =>
    "variable" in piece ? [piece.variable] : [],
  );
  return [...new Set([...used, ...listed.keys()])].map((name) => ({
    name,
    description: listed.get(name) ?? null,
  }));
}

interface Props {
  payload: Record<string, unknown>;
  id: string;
  heading: "h2" | "h3";
}

/** Shows a template with its variables marked, and a form to fill them in. Without JavaScript the form is not shown. */
export function TemplateView({ payload, id, heading: Heading }: Props) {
  const content = String(payload.content ?? "");
  const variables = variablesOf(payload);
  return (
    <div class="template-view" data-template>
      <pre class="prompt" dir="auto" tabIndex={0}>
        <code data-template-text>
          {piecesOf(content).map((piece) =>
            "text" in piece ? (
              piece.text
            ) : (
              <mark data-variable={piece.variable}>{`{{${piece.variable}}}`}</mark>
            ),
          )}
        </code>
      </pre>
      <RenderedMarkdown text={content} />
      {variables.length > 0 && (
        <form class="fill" data-template-form hidden>
          <Heading>Fill in</Heading>
          {variables.map(({ name, description }) => (
            <label key={name} class="field" for={`${id}-${name}`}>
              <span dir="auto">
                {name}
                {description && <small> {description}</small>}
              </span>
              <textarea id={`${id}-${name}`} name={name} rows={2} dir="auto" />
            </label>
          ))}
        </form>
      )}
      <p class="row">
        <button type="button" data-copy hidden>
          Copy the prompt
        </button>
      </p>
    </div>
  );
}
