import type { Format } from "./format.ts";
import { licenseOf, type Markdown, markdown, templateOf, writeMarkdown } from "./markdown.ts";
import { list, record, text } from "./values.ts";

/** Reads SKILL.md files of agents: a front matter with `name` (lower case and hyphens) and `description`, then instructions. */
export const skill: Format = {
  ...markdown,
  id: "skill",
  name: "agent skill (SKILL.md)",
  filename: "SKILL.md",
  detect: ({ value, filename }) => {
    const { front } = value as Markdown;
    if (typeof front?.name !== "string" || typeof front.description !== "string") return false;
    // Files of agents and commands have the same two members, so the file's name, if it is known, must be that of a skill.
    return filename === null || /(^|[-_. ])skill\.md$/i.test(filename);
  },
  read: (file) => [templateOf(file)],
  requires: (value) => {
    const { compatibility, "allowed-tools": tools } = record((value as Markdown).front);
    const named = Array.isArray(tools) ? tools.map(text) : text(tools).split(/,\s*|\s+(?![^(]*\))/);
    return [
      ...licenseOf(value as Markdown),
      ...(text(compatibility) ? [{ kind: "version" as const, name: text(compatibility).slice(0, 200) }] : []),
      ...list(named).flatMap((tool) => (text(tool) ? [{ kind: "setting" as const, name: text(tool) }] : [])),
    ];
  },
  write: ({ title, description, payload }) =>
    writeMarkdown({ name: skillName(title), description: description || title }, text(payload.content)),
};

/** Returns a name in the form of skills: at most 64 letters, digits and hyphens. */
function skillName(title: string): string {
  const name = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  return name || "skill";
}
