import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { bootstrapDatabase, pushMigrations } from "../../packages/local/src/index.ts";
import { startTemporaryPostgres } from "../../packages/local/src/postgres/temporary.ts";
import { databaseUrl, TEMPLATE } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    clusterUrl: string;
  }
}

/** One real Postgres for the whole run; its template has the migrations and is cloned in some 30 ms per file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The mutation tests keep one Postgres for all guards, and have made the template.
  const { KEYHUB_TEST_CLUSTER: given } = process.env;
  if (given) {
    project.provide("clusterUrl", given);
    return async () => {};
  }
  const server = await startTemporaryPostgres({ max_connections: "300" });
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const template = databaseUrl(server.url, TEMPLATE);
  await bootstrapDatabase(template);
  await pushMigrations(template);
  project.provide("clusterUrl", server.url);
  return server.stop;
}
