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
    // Refuses repeated keys: the parser keeps only the last of two members with one key, so nobody would see the first.
    return hasRepeatedKeys(text, value) ? undefined : value;
  },
  yaml: (text) => {
    if (text.length > SOURCE_BYTES) return undefined;
    // Most Markdown is valid YAML too, so a text must begin with a member, as files of tools do, possibly after comments.
    if (!/^(?:(?:#.*|---[ \t]*)?\r?\n)*[\w"'-]+:/.test(text)) return undefined;
    const document = yamlDocument(text);
    // Refuses merge keys (`<<`): their members are written elsewhere in the text, so private places among them could not be emptied.
    if (document.errors.length > 0 || hasMergeKey(document)) return undefined;
    return document.toJS({ maxAliasCount: 20 });
  },
  csv: readCsv,
  markdown: readMarkdown,
};

/**
 * Parses YAML with the core schema, which has no language-specific types. A repeated key and a
 * second document are errors in `errors` of the result. How often an alias is used is only limited later, by `toJS`.
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

/** Yields the text parsed in each syntax that fits, the strictest first. Parses a syntax only when the caller asks for the next result. */
export function* parsesOf(text: string, filename: string | null): Generator<ForeignFile> {
  const name = filename ?? "";
  // Any text is valid Markdown, so only a front matter or the name of the file shows that a text is Markdown. A `.txt` may be Markdown.
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

/** Returns the faults of unsafe values in a parsed file (see hostileFaults), with paths that begin with `at`. */
export function fileFaults(file: ForeignFile, at: string): Fault[] {
  return hostileFaults(file.value, at, DEPTH);
}
