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
  /** Makes it with every guard. */
  putBack(): Promise<void>;
  stop(): Promise<void>;
}

/** The migrations by hand: rows and schedules, which the schema files cannot declare. */
const BY_HAND = /_rows(_and_schedules)?\.sql$/;

/** One Postgres for all guards, with a database of the schema files and of the migrations by hand. */
export async function startCluster(): Promise<Cluster> {
  const server = await startTemporaryPostgres({ max_connections: "300" });
  const base = databaseUrl(server.url, BASE);
  await withDatabase(server.url, (sql) => sql.unsafe(`create database ${BASE}`));
  await bootstrapDatabase(base);
  await loadSchema(base, await schemaFiles());
  const migrations = join(repository, "supabase", "migrations");
  for (const name of (await readdir(migrations)).filter((file) => BY_HAND.test(file)).sort()) {
    const text = await readFile(join(migrations, name), "utf8");
    await withDatabase(base, (sql) => sql.unsafe(text));
  }
  const putBack = () =>
    withDatabase(server.url, async (sql) => {
      await sql.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
      await sql.unsafe(`create database ${TEMPLATE} template ${BASE}`);
    });
  return {
    url: server.url,
    putBack,
    async takeOut(guard) {
      const statement = statementWithout(guard);
      if (!statement.startsWith("create function "))
        throw new Error(`the guard "${guard.name}" is in no function`);
      await putBack();
      await withDatabase(databaseUrl(server.url, TEMPLATE), (sql) =>
        sql.unsafe(statement.replace(/^create function/, "create or replace function")),
      );
    },
    stop: server.stop,
  };
}
