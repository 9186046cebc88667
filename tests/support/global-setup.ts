import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { bootstrapDatabase, pushMigrations, startPostgres } from "../../packages/local/src/index.ts";
import { databaseUrl, TEMPLATE } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    clusterUrl: string;
  }
}

/** One real Postgres for the whole run; its template has the migrations and is cloned in some 30 ms per file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The mutation tests keep one Postgres for all guards, and have made the template.
  const { KEYHUB_MUTATION: given } = process.env;
  if (given) {
    project.provide("clusterUrl", given);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), "keyhub-test-"));
  await chmod(folder, 0o755);
  const server = await startPostgres({
    dataDir: join(folder, "cluster"),
    port: 0,
    settings: { fsync: "off", full_page_writes: "off", max_connections: "300" },
  });
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const template = databaseUrl(server.url, TEMPLATE);
  await bootstrapDatabase(template);
  await pushMigrations(template);
  project.provide("clusterUrl", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
