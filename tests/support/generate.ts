/**
 * Makes the database types of core from what the migrations make, the table of how the corpus of provider answers is read,
 * and the patterns of secrets in the schema files.
 */
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { bootstrapDatabase, pushMigrations } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/temporary-postgres.ts";
import { answersPage, committedAnswersPage, withAnswersTable } from "./answers-table.ts";
import { repository } from "./cli.ts";
import { databaseTypes, typesFile } from "./database-types.ts";
import { committedSecretPatterns, secretPatternsFile, withSecretPatterns } from "./secret-patterns.ts";

// First, and without a database: a migration is made from the schema files (npm run db:diff).
await writeFile(secretPatternsFile, withSecretPatterns(committedSecretPatterns()));

const server = await startTemporaryPostgres();
try {
  await bootstrapDatabase(server.url);
  await pushMigrations(server.url);
  await writeFile(typesFile, await databaseTypes(server.url));
  await writeFile(answersPage, withAnswersTable(committedAnswersPage()));
  for (const file of [secretPatternsFile, typesFile, answersPage])
    console.log(`wrote ${relative(repository, file)}`);
} finally {
  await server.stop();
}
