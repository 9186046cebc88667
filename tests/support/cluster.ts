import postgres from "postgres";
import { bootstrapDatabase, pushMigrations } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { databaseUrl, TEMPLATE } from "./database.ts";

/** Starts a Postgres whose template database has the migrations; each test file clones this template in some 30 ms. */
export async function startCluster(): Promise<{ value: string; stop(): Promise<void> }> {
  // The mutation tests start one Postgres with the template database for the tests of all guards, and pass its URL.
  const { KEYHUB_TEST_CLUSTER: given } = process.env;
  if (given) return { value: given, stop: async () => {} };
  const server = await startTemporaryPostgres({ max_connections: "300" });
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const template = databaseUrl(server.url, TEMPLATE);
  await bootstrapDatabase(template);
  await pushMigrations(template);
  return { value: server.url, stop: server.stop };
}
