import { join } from "node:path";
import { repository, runTool, supabase } from "./cli.ts";

export const typesFile = join(repository, "packages", "core", "src", "database.types.ts");

const banner = "// Made from the migrations by: npm run generate. Do not edit.\n\n";

/** Returns the TypeScript types of schema public, made by the Supabase CLI and formatted like the rest of the repository. */
export async function databaseTypes(url: string): Promise<string> {
  const generated = await supabase(["gen", "types", "typescript", `--remote=${url}`, "--schema=public"]);
  if (generated.code !== 0) throw new Error(`supabase gen types failed:\n${generated.stderr}`);
  // Biome is set not to format the real file, so it gets the path of another file.
  const formatted = await runTool("biome", ["format", "--stdin-file-path=packages/core/src/types.ts"], {
    input: banner + generated.stdout,
  });
  if (formatted.code !== 0) throw new Error(`biome cannot format the types:\n${formatted.stderr}`);
  return formatted.stdout;
}
