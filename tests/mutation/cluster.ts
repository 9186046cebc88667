import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bootstrapDatabase, withDatabase } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { loadSchema, schemaFiles } from "../../packages/local/src/schema/files.ts";
import { repository } from "../support/cli.ts";
import { databaseUrl, TEMPLATE } from "../support/database.ts";
import { type Guard, statementWithout } from "./guards.ts";

const BASE = "keyhub_base";

export interface Cluster {
  url: string;
  /** Makes the template that the tests clone, without that guard. */
  takeOut(guard: Guard): Promise<void>;
  stop(): Promise<void>;
}

/** One Postgres for all guards, with a database of the schema files and of the migrations that none of them declares. */
export async function startCluster(): Promise<Cluster> {
  const server = await startTemporaryPostgres({ max_connections: "300" });
  const base = databaseUrl(server.url, BASE);
  await withDatabase(server.url, (sql) => sql.unsafe(`create database ${BASE}`));
  await bootstrapDatabase(base);
  await loadSchema(base, await schemaFiles());
  const migrations = join(repository, "supabase", "migrations");
  for (const name of (await readdir(migrations)).filter((file) => file.endsWith("_rows_and_schedules.sql"))) {
    const text = await readFile(join(migrations, name), "utf8");
    await withDatabase(base, (sql) => sql.unsafe(text));
  }
  return {
    url: server.url,
    async takeOut(guard) {
      const statement = statementWithout(guard);
      if (!statement.startsWith("create function "))
        throw new Error(`the guard "${guard.name}" is in no function`);
      await withDatabase(server.url, async (sql) => {
        await sql.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
        await sql.unsafe(`create database ${TEMPLATE} template ${BASE}`);
      });
      await withDatabase(databaseUrl(server.url, TEMPLATE), (sql) =>
        sql.unsafe(statement.replace(/^create function/, "create or replace function")),
      );
    },
    stop: server.stop,
  };
}
