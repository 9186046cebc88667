/** Makes the database types of core from what the migrations make, and the table of how the corpus of provider answers is read. */
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { bootstrapDatabase, pushMigrations } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { answersPage, committedAnswersPage, withAnswersTable } from "./answers-table.ts";
import { repository } from "./cli.ts";
import { databaseTypes, typesFile } from "./database-types.ts";

const server = await startTemporaryPostgres();
try {
  await bootstrapDatabase(server.url);
  await pushMigrations(server.url);
  await writeFile(typesFile, await databaseTypes(server.url));
  await writeFile(answersPage, withAnswersTable(committedAnswersPage()));
  for (const file of [typesFile, answersPage]) console.log(`wrote ${relative(repository, file)}`);
} finally {
  await server.stop();
}
