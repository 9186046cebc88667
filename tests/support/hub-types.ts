import { join } from "node:path";
import type * as z from "zod/mini";
import { contracts } from "../../packages/core/src/hub/contracts/index.ts";
import { repository, runTool } from "./cli.ts";

export const hubTypesFile = join(repository, "packages", "hub", "src", "answers.ts");

const banner = "// Made from packages/core/src/hub/contracts by: npm run generate. Do not edit.\n\n";

const names = new Map<unknown, string>(Object.entries(contracts).map(([name, schema]) => [schema, name]));

/**
 * Returns the TypeScript types of all contracts. The published types cannot be inferred from zod, because users may not have zod installed.
 */
export async function hubTypes(): Promise<string> {
  const text = Object.entries(contracts).map(([name, schema]) => {
    const head = schema._zod.def.type === "object" ? `interface ${name}` : `type ${name} =`;
    return `export ${head} ${written(schema)}\n`;
  });
  const formatted = await runTool("biome", ["format", `--stdin-file-path=${hubTypesFile}`], {
    input: banner + text.join("\n"),
  });
  if (formatted.code !== 0) throw new Error(`biome cannot format the types:\n${formatted.stderr}`);
  return formatted.stdout;
}

/** Returns a schema as a TypeScript type: only its name if the schema has one, else the whole type. */
function typeOf(schema: z.core.$ZodType): string {
  return names.get(schema) ?? written(schema);
}

function written(schema: z.core.$ZodType): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
      return def.type;
    case "enum":
      return Object.values(def.entries).map(quoted).join(" | ");
    case "literal":
      return def.values.map(quoted).join(" | ");
    case "nullable":
      return `${typeOf(def.innerType)} | null`;
    case "optional":
      return `${typeOf(def.innerType)} | undefined`;
    case "array":
      return `Array<${typeOf(def.element)}>`;
    case "record":
      return `Record<${typeOf(def.keyType)}, ${typeOf(def.valueType)}>`;
    case "union":
      return def.options.map(typeOf).join(" | ");
    case "object":
      return `{ ${Object.entries(def.shape)
        .map(([key, value]) => `${key}${isOptional(value) ? "?" : ""}: ${typeOf(value)}`)
        .join("; ")} }`;
    default:
      throw new Error(`a contract of the hub has a ${def.type}, which hub-types.ts does not write`);
  }
}

function isOptional(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === "optional";
}

const quoted = (value: unknown) => JSON.stringify(value);
