import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withDatabase } from "../postgres/connection.ts";
import { repositoryRoot } from "../settings/paths.ts";

/** One file of supabase/schemas: its path below that folder, with slashes, and its text. */
export interface SchemaFile {
  path: string;
  text: string;
}

export const schemasFolder = join(repositoryRoot, "supabase", "schemas");

/** Returns the schema files in load order: sorted by path. */
export async function schemaFiles(folder = schemasFolder): Promise<SchemaFile[]> {
  const entries = await readdir(folder, { recursive: true });
  const paths = entries
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".sql"))
    .sort();
  return await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(folder, path), "utf8") })),
  );
}

/** Runs all files in a bootstrapped database that has none of their objects yet. */
export async function loadSchema(url: string, files: SchemaFile[]): Promise<void> {
  await withDatabase(url, async (sql) => {
    for (const { path, text } of files) {
      try {
        await sql.unsafe(text);
      } catch (error) {
        throw new Error(`supabase/schemas/${path}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
}
