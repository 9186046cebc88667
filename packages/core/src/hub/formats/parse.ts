import { type Document, isScalar, parseDocument, visit } from "yaml";
import { hasRepeatedKeys } from "../../json/repeated-keys.ts";
import type { Fault } from "../../problem.ts";
import { SOURCE_BYTES } from "../assets.ts";
import { hostileFaults } from "../json-limits.ts";
import type { ForeignFile, Syntax } from "./format.ts";
import { hasFrontMatter, readMarkdown } from "./markdown.ts";
import { readCsv } from "./prompts-csv.ts";

/** The deepest nesting that is read; files of tools are nested at most 20 deep. */
const DEPTH = 100;

/**
 * Parses a text in one syntax; returns null when it does not have this syntax. Removes the
 * byte order mark, which Windows editors write. Never throws, whatever the text is.
 */
export function parseAs(syntax: Syntax, source: string, filename: string | null): ForeignFile | null {
  const text = source.replace(/^\uFEFF/, "");
  try {
    const value = VALUES[syntax](text);
    return value === undefined ? null : { text, filename, syntax, value };
  } catch {
    // The text does not have this syntax, or is nested so deeply that a parser gives up.
    return null;
  }
}

const VALUES: Record<Syntax, (text: string) => unknown> = {
  json: (text) => {
    if (!/^\s*[{[]/.test(text)) return undefined;
    const value: unknown = JSON.parse(text);
    // Of two members with the same key, the parser keeps only the last, and nobody would see the first one.
    return hasRepeatedKeys(text, value) ? undefined : value;
  },
  yaml: (text) => {
    if (text.length > SOURCE_BYTES) return undefined;
    // Most Markdown is valid YAML too. The file of a tool begins with a member, possibly after comments.
    if (!/^(?:(?:#.*|---[ \t]*)?\r?\n)*[\w"'-]+:/.test(text)) return undefined;
    const document = yamlDocument(text);
    // The members of a merge key are not written at their place in the text, so private ones could not be emptied there.
    if (document.errors.length > 0 || hasMergeKey(document)) return undefined;
    return document.toJS({ maxAliasCount: 20 });
  },
  csv: readCsv,
  markdown: readMarkdown,
};

/**
 * Parses YAML with the core schema, which has no language-specific types. A repeated key, a
 * second document and 20 uses of an alias are errors.
 */
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

/** Returns the possible readings of a text, the strictest syntax first. Each one is parsed only when the caller asks for it. */
export function* parsesOf(text: string, filename: string | null): Generator<ForeignFile> {
  const name = filename ?? "";
  // Any text is valid Markdown; a text counts as Markdown if it has a front matter or the name of its file says so.
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

/** Returns the unsafe parts of a parsed file, with paths that begin with `at`. */
export function fileFaults(file: ForeignFile, at: string): Fault[] {
  return hostileFaults(file.value, at, DEPTH);
}
