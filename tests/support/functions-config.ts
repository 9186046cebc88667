import { join } from "node:path";
import { repository } from "./cli.ts";
import { functionNames } from "./function-names.ts";
import { replaceBetween } from "./markdown-table.ts";

/** The settings of the Supabase CLI. The sections of the functions are between the two markers. */
export const configFile: string = join(repository, "supabase", "config.toml");
const MARKERS: [string, string] = ["# functions: made by npm run generate", "# end of functions"];

/** Returns the settings with a section for each function. */
export function withFunctionSections(config: string, names: readonly string[] = functionNames): string {
  const sections = names.map((name) => `[functions.${name}]\nverify_jwt = false\n`);
  return replaceBetween(config, MARKERS, sections.join("\n"));
}
