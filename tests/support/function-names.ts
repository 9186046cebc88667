import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./cli.ts";

export const functionsFolder: string = join(repository, "supabase", "functions");

/** Every function of the project: the folders that have an entry point. Other lists of functions are derived from this one. */
export const functionNames: readonly string[] = readdirSync(functionsFolder)
  .filter((name) => existsSync(join(functionsFolder, name, "index.ts")))
  .sort();
