import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { withDatabase } from "../../packages/local/src/index.ts";
import { loadSchema, schemaFiles } from "../../packages/local/src/schema-files.ts";
import { repository } from "../support/cli.ts";
import { guardsOf, withoutGuard } from "./guards.ts";

/** Makes the database from the schema files, one guard taken out, and from the migrations that no schema file declares. */
export async function loadWithout(url: string, guard: string): Promise<void> {
  const files = await schemaFiles();
  const holder = files.find((file) => guardsOf(file).some(({ name }) => name === guard));
  if (!holder) throw new Error(`no schema file has a guard "${guard}"`);
  await loadSchema(
    url,
    files.map((file) => (file === holder ? withoutGuard(file, guard) : file)),
  );
  const folder = join(repository, "supabase", "migrations");
  const byHand = (await readdir(folder)).filter((name) => name.endsWith("_rows_and_schedules.sql")).sort();
  for (const name of byHand) {
    const text = await readFile(join(folder, name), "utf8");
    await withDatabase(url, (sql) => sql.unsafe(text));
  }
}
