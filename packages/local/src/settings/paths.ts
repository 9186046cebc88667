import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");
export const functionsFolder = join(repositoryRoot, "supabase", "functions");
