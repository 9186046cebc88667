import { type Document, isScalar, parseDocument, visit } from "yaml";
import { hasRepeatedKeys } from "../../json/repeated-keys.ts";
import type { Fault } from "../../problem.ts";
import { SOURCE_BYTES } from "../assets.ts";
import { hostileFaults } from "../json-limits.ts";
import type { ForeignFile, Syntax } from "./format.ts";
import { hasFrontMatter, readMarkdown } from "./markdown.ts";
import { readCsv } from "./prompts-csv.ts";

/** Files of tools are nested 20 deep at most. */
const DEPTH = 100;

/**
 * Parses a text as one syntax; null when it is none. The file's text is without the byte order mark, which editors of Windows write.
 * Throws nothing, whatever the text is.
 */
export function parseAs(syntax: Syntax, source: string, filename: string | null): ForeignFile | null {
  const text = source.replace(/^\uFEFF/, "");
  try {
    const value = VALUES[syntax](text);
    return value === undefined ? null : { text, filename, syntax, value };
  } catch {
    // Not of this syntax, or nested so deeply that a parser gives up.
    return null;
  }
}

const VALUES: Record<Syntax, (text: string) => unknown> = {
  json: (text) => {
    if (!/^\s*[{[]/.test(text)) return undefined;
    const value: unknown = JSON.parse(text);
    // Of two members with one key only the last is read, and nobody would look at the first.
    return hasRepeatedKeys(text, value) ? undefined : value;
  },
  yaml: (text) => {
    if (text.length > SOURCE_BYTES) return undefined;
    // Most Markdown is YAML of a sort: a file of a tool begins with a member, after comments.
    if (!/^(?:(?:#.*|---[ \t]*)?\r?\n)*[\w"'-]+:/.test(text)) return undefined;
    const document = yamlDocument(text);
    // A merged member stands nowhere in the text, so what is private could not be emptied in it.
    if (document.errors.length > 0 || hasMergeKey(document)) return undefined;
    return document.toJS({ maxAliasCount: 20 });
  },
  csv: readCsv,
  markdown: readMarkdown,
};

/** The core schema has no types of a language; a key that comes twice and a second document are errors, as are 20 uses of an alias. */
export function yamlDocument(text: string): Document {
  return parseDocument(text, { schema: "core", prettyErrors: false, logLevel: "error" });
}

function hasMergeKey(document: Document): boolean {
  let found = false;
  visit(document, {
    Pair: (_, { key }) => {
      found ||= isScalar(key) && key.value === "<<";
      return found ? visit.BREAK : undefined;
    },
  });
  return found;
}

/** The ways a text may be read, the strictest first; each is parsed only when it is asked for. */
export function* parsesOf(text: string, filename: string | null): Generator<ForeignFile> {
  const name = filename ?? "";
  // Any text is Markdown: it is taken for it with a front matter, or by the name of its file.
  const isMarkdown = hasFrontMatter(text) || /\.(md|mdc|mdx|markdown|prompt)$/i.test(name);
  const plain: Syntax[] = /\.txt$/i.test(name) ? ["csv", "markdown"] : ["csv"];
  for (const syntax of [
    "json",
    ...(isMarkdown ? ["markdown" as const] : ["yaml" as const, ...plain]),
  ] as const) {
    const file = parseAs(syntax, text, filename);
    if (file !== null) yield file;
  }
}

/** What is unsafe in a parsed file, with paths that begin with `at`. */
export function fileFaults(file: ForeignFile, at: string): Fault[] {
  return hostileFaults(file.value, at, DEPTH);
}
