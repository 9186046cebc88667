/** Makes the database types of core from what the migrations make, and the table of how the corpus of provider answers is read. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { bootstrapDatabase, pushMigrations, startPostgres } from "../../packages/local/src/index.ts";
import { answersPage, committedAnswersPage, withAnswersTable } from "./answers-table.ts";
import { repository } from "./cli.ts";
import { databaseTypes, typesFile } from "./database-types.ts";

const folder = await mkdtemp(join(tmpdir(), "keyhub-generate-"));
await chmod(folder, 0o755);
const server = await startPostgres({
  dataDir: join(folder, "cluster"),
  port: 0,
  settings: { fsync: "off", full_page_writes: "off" },
});
try {
  await bootstrapDatabase(server.url);
  await pushMigrations(server.url);
  await writeFile(typesFile, await databaseTypes(server.url));
  await writeFile(answersPage, withAnswersTable(committedAnswersPage()));
  for (const file of [typesFile, answersPage]) console.log(`wrote ${relative(repository, file)}`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
