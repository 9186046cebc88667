import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { bootstrapDatabase, pushMigrations, startPostgres } from "../../packages/local/src/index.ts";
import { applyMutation } from "../mutation/apply.ts";
import { databaseUrl, TEMPLATE } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    clusterUrl: string;
  }
}

/** One real Postgres for the whole run; its template has the migrations and is cloned in some 30 ms per file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
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
  const { KEYHUB_MUTATION } = process.env;
  if (KEYHUB_MUTATION) {
    const sql = postgres(template, { max: 1, onnotice: () => {} });
    await applyMutation(sql, JSON.parse(KEYHUB_MUTATION));
    await sql.end();
  }
  project.provide("clusterUrl", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
