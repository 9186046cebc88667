import { readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { withDatabase } from "../postgres/connection.ts";
import { startTemporaryPostgres } from "../postgres/temporary.ts";
import { diffDatabases, withSchemaDatabase } from "../schema/diff.ts";
import { pushMigrations } from "../schema/migrations.ts";
import { readableOutput, runSupabase } from "../schema/supabase-cli.ts";
import { repositoryRoot } from "../settings/paths.ts";
import { CommandFailure, runCommand } from "./command.ts";
import { runningDatabase } from "./running-stack.ts";

const usage = "npm run db:diff -- <name>, such as add_region (a-z, 0-9 and _)";

/**
 * `npm run db:diff -- <name>`: writes the migration that changes a database made by supabase/migrations into one made by supabase/schemas.
 * Both databases are made on a temporary Postgres. The running stack never runs the migration here; if that stack has the change already,
 * the migration is recorded there as applied, so that the next start skips it.
 */
async function dbDiff(): Promise<void> {
  const [name = "", ...more] = process.argv.slice(2);
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(name) || more.length > 0) throw new CommandFailure(`usage: ${usage}`);
  const sql = await differenceOf();
  if (sql === "") {
    process.stdout.write("nothing to write: the migrations already match the schema files\n");
    return;
  }
  const folder = join(repositoryRoot, "supabase", "migrations");
  const version = nextVersion(readdirSync(folder), new Date());
  const file = join(folder, `${version}_${name}.sql`);
  writeFileSync(file, `${sql}\n`, { flag: "wx" });
  process.stdout.write(`wrote ${relative(repositoryRoot, file)}; read it, then: npm run generate\n`);
  if (await recordApplied(version))
    process.stdout.write("the running stack has this change already: recorded there as applied\n");
}

/** After db:apply the running stack has the change already: record the migration there, so that the next start skips it. */
async function recordApplied(version: string): Promise<boolean> {
  const url = runningDatabase();
  if (url === undefined || (await withSchemaDatabase(url, (declared) => diffDatabases(url, declared))) !== "")
    return false;
  const { code, output } = await runSupabase([
    "migration",
    "repair",
    version,
    "--status",
    "applied",
    `--remote=${url}`,
    "--yes",
  ]);
  if (code !== 0)
    throw new CommandFailure(
      `the running stack has the change, but it could not be recorded there: ${readableOutput(output, url)}`,
    );
  return true;
}

async function differenceOf(): Promise<string> {
  const server = await startTemporaryPostgres();
  try {
    const migrated = new URL(server.url);
    migrated.pathname = "/keyhub_migrations";
    await withDatabase(server.url, (sql) => sql.unsafe("create database keyhub_migrations"));
    const { bootstrapDatabase } = await import("../supabase/bootstrap.ts");
    await bootstrapDatabase(migrated.href);
    await pushMigrations(migrated.href);
    return await withSchemaDatabase(server.url, (declared) => diffDatabases(migrated.href, declared));
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  } finally {
    await server.stop();
  }
}

/** Returns the version of a new migration: the time in UTC, or the last version plus one if that is later. */
export function nextVersion(files: string[], now: Date): string {
  const time = now.toISOString().replace(/\D/g, "").slice(0, 14);
  const last =
    files
      .map((file) => file.slice(0, 14))
      .sort()
      .at(-1) ?? "";
  return time > last ? time : String(BigInt(last) + 1n);
}

if (import.meta.main) await runCommand(dbDiff);
