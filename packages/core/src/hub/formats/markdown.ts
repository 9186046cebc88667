import { parseDocument, stringify } from "yaml";
import type { ForeignFile, Format, Requirement } from "./format.ts";
import { firstText, list, record, text } from "./values.ts";

export interface Markdown {
  front: Record<string, unknown> | null;
  body: string;
}

const FRONT = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

export const hasFrontMatter = (source: string): boolean => FRONT.exec(source)?.index === 0;

/** Splits a text into its front matter and the rest. */
export function readMarkdown(source: string): Markdown {
  const found = FRONT.exec(source);
  if (found?.index !== 0) return { front: null, body: source };
  return {
    front: frontMatter(found[1] ?? ""),
    body: source.slice(found[0].length).replace(/^(?:\r?\n)+/, ""),
  };
}

/**
 * Returns the members of a front matter. Many front matters are not valid YAML, because a description contains a colon. In that case the
 * value of each line is read as one plain text, as the tools that use these files do.
 */
function frontMatter(source: string): Record<string, unknown> {
  const plain = /^([\w.-]{1,100}):[ \t]+([^\s"'[\]{}|>&*!#%@`].*)$/gm;
  return (
    parsed(source) ??
    parsed(source.replace(plain, (_, name, value) => `${name}: ${JSON.stringify(value.trim())}`)) ??
    {}
  );
}

function parsed(source: string): Record<string, unknown> | null {
  try {
    const document = parseDocument(source, { schema: "core", prettyErrors: false, logLevel: "silent" });
    return document.errors.length > 0 ? null : record(document.toJS({ maxAliasCount: 20 }));
  } catch {
    // The text uses an alias too often, or is nested so deeply that the parser gives up.
    return null;
  }
}

export function writeMarkdown(front: Record<string, unknown>, body: string): string {
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n${body}${body.endsWith("\n") ? "" : "\n"}`;
}

/** Reads prompt files of Copilot, Claude commands and Fabric: Markdown, mostly with a front matter. */
export const markdown: Format = {
  id: "markdown",
  name: "Markdown prompt",
  assetType: "template",
  syntax: "markdown",
  extension: ".md",
  detect: ({ value }) => (value as Markdown).body.trim() !== "",
  read: (file) => [templateOf(file)],
  private: [],
  requires: (value) => [
    ...licenseOf(value as Markdown),
    ...[record((value as Markdown).front).model]
      .flat()
      .filter((model) => typeof model === "string" && model !== "")
      .map((model) => ({ kind: "model" as const, name: text(model) })),
  ],
  write: ({ title, description, payload }) =>
    writeMarkdown({ title, ...(description && { description }) }, text(payload.content)),
};

/** Returns the license that a file names, as a requirement: it need not be one of the hub's licenses. */
export function licenseOf({ front }: Markdown): Requirement[] {
  const license = text(front?.license).trim();
  return license === "" ? [] : [{ kind: "license", name: license }];
}

/** Returns a Markdown file as a template: its body, and the data of its front matter. */
export function templateOf({ value, filename }: ForeignFile) {
  const { front, body } = value as Markdown;
  const { name, title, description, tags, keywords, author, metadata } = front ?? {};
  const [, heading] = /^#[ \t]+(\S.*)$/m.exec(body.slice(0, 4_000)) ?? [];
  return {
    title: firstText(title, name, heading, filename),
    description,
    tags: typeof tags === "string" ? tags.split(",") : list(tags ?? keywords),
    author: firstText(author, record(metadata).author),
    payload: { content: body, variables: [] },
  };
}
