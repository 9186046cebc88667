import { bootstrapDatabase, pushMigrations, withDatabase } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { databaseUrl, TEMPLATE } from "../support/database.ts";
import type { Guard } from "./guards.ts";

const BASE = "keyhub_base";

export interface Cluster {
  url: string;
  /** Makes the template database again, without this guard. The tests clone that database. */
  takeOut(guard: Guard): Promise<void>;
  /** Makes the template database again, with every guard. */
  putBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one Postgres for all guards, with a database from the migrations, which declare the same as the schema files. */
export async function startCluster(): Promise<Cluster> {
  const server = await startTemporaryPostgres({ max_connections: "300" });
  const base = databaseUrl(server.url, BASE);
  await withDatabase(server.url, (sql) => sql.unsafe(`create database ${BASE}`));
  await bootstrapDatabase(base);
  await pushMigrations(base);
  const putBack = () =>
    withDatabase(server.url, async (sql) => {
      await sql.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
      await sql.unsafe(`create database ${TEMPLATE} template ${BASE}`);
    });
  return {
    url: server.url,
    putBack,
    async takeOut(guard) {
      if (!guard.without.startsWith("create function "))
        throw new Error(`the guard "${guard.name}" is in no function`);
      await putBack();
      await withDatabase(databaseUrl(server.url, TEMPLATE), (sql) =>
        sql.unsafe(guard.without.replace(/^create function/, "create or replace function")),
      );
    },
    stop: server.stop,
  };
}
