import type { Format } from "./format.ts";
import { firstText, list, record, records, text } from "./values.ts";

/** Reads items of shadcn registries: `type: "registry:…"`, and files with their content. */
export const shadcnItem: Format = {
  id: "shadcn-item",
  name: "shadcn registry item",
  assetType: "component",
  syntax: "json",
  extension: ".json",
  detect: ({ value }) => {
    const { type, files } = record(value);
    return (
      /^(registry|components):/.test(text(type)) &&
      records(files).some(({ content }) => typeof content === "string")
    );
  },
  read: ({ value }) => {
    const { name, title, description, categories, author, files } = record(value);
    return [
      {
        title: firstText(title, name),
        description,
        tags: list(categories),
        author,
        payload: { source: sourceOf(records(files)), props_schema: {} },
      },
    ];
  },
  private: [],
  requires: (value) => {
    const { dependencies, registryDependencies, devDependencies, envVars } = record(value);
    return [
      ...[dependencies, registryDependencies, devDependencies]
        .flatMap(list)
        .map((name) => ({ kind: "package" as const, name: text(name) })),
      ...Object.keys(record(envVars)).map((name) => ({ kind: "setting" as const, name })),
    ];
  },
};

/** Returns the source: the only file, or all files, each after a comment with its path. */
function sourceOf(files: readonly Record<string, unknown>[]): string {
  const written = files.filter(({ content }) => typeof content === "string" && content !== "");
  const [first] = written;
  if (written.length === 1) return text(first?.content);
  return written.map(({ path, content }) => `// ${text(path)}\n${text(content)}`).join("\n");
}
