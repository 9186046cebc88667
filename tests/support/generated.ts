import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bootstrapDatabase, pushMigrations } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { answersPage, withAnswersTable } from "./answers-table.ts";
import { repository } from "./cli.ts";
import { databaseTypes, typesFile } from "./database-types.ts";
import { withErrorTables } from "./error-table.ts";
import { configFile, withFunctionSections } from "./functions-config.ts";
import { hubTypes, hubTypesFile } from "./hub-types.ts";
import { makeDocument } from "./openapi/document.ts";
import { documentFile } from "./openapi/document-file.ts";
import { secretPatternsFile, withSecretPatterns } from "./secret-patterns.ts";

/** A committed file that is generated, wholly or in part. `make` returns its new content from the present content. */
interface Generated {
  file: string;
  make: (committed: string) => string | Promise<string>;
}

export const errorsPage: string = join(repository, "docs", "api", "errors.md");

/**
 * The files that are made only from core and from the names of the functions: tables in pages, the patterns of secrets in a schema file,
 * the types of `@keyhub/hub`, the OpenAPI document, the settings of the functions. This is fast.
 */
export const pages: Generated[] = [
  { file: secretPatternsFile, make: (schema) => withSecretPatterns(schema) },
  { file: answersPage, make: withAnswersTable },
  { file: errorsPage, make: withErrorTables },
  { file: documentFile, make: makeDocument },
  { file: hubTypesFile, make: hubTypes },
  { file: configFile, make: (config) => withFunctionSections(config) },
];

/** The types of the database. Making them takes seconds, because it needs a Postgres with all migrations. */
export const types: Generated = { file: typesFile, make: typesOfMigrations };

async function typesOfMigrations(): Promise<string> {
  const server = await startTemporaryPostgres();
  try {
    await bootstrapDatabase(server.url);
    await pushMigrations(server.url);
    return await databaseTypes(server.url);
  } finally {
    await server.stop();
  }
}

/** Returns whether generating the file again would not change it. */
export async function isFresh({ file, make }: Generated): Promise<boolean> {
  const committed = await readFile(file, "utf8");
  return committed === (await make(committed));
}

export async function write({ file, make }: Generated): Promise<void> {
  await writeFile(file, await make(await readFile(file, "utf8")));
}
