import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDatabase } from "../postgres/connection.ts";
import { loadSchema, schemaFiles, schemasFolder } from "./files.ts";
import { readableOutput, runSupabase } from "./supabase-cli.ts";

/** Returns the SQL that changes database `from` into database `to`, made by the Supabase CLI and pg-delta; empty when they are equal. */
export async function diffDatabases(from: string, to: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-diff-"));
  const file = join(folder, "diff.sql");
  try {
    const plain = (url: string) => `${url}?sslmode=disable`;
    const args = ["db", "diff", "--from", plain(from), "--to", plain(to), "--use-pg-delta", "--output", file];
    const { code, output } = await runSupabase(args);
    if (code !== 0) throw new Error(`supabase db diff failed:\n${readableOutput(output, from)}`);
    return await readFile(file, "utf8").then(
      (text) => text.trim(),
      () => "",
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a temporary database from the schema files on the server of `serverUrl`, runs `work`, and drops the database. */
export async function withSchemaDatabase<T>(
  serverUrl: string,
  work: (url: string) => Promise<T>,
  folder = schemasFolder,
): Promise<T> {
  const name = `keyhub_schemas_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await withDatabase(serverUrl, (sql) => sql.unsafe(`create database ${name}`));
  try {
    // The import is here because it is slow: a command with a wrong argument never needs it.
    const { bootstrapDatabase } = await import("../supabase/bootstrap.ts");
    await bootstrapDatabase(url.href);
    await loadSchema(url.href, await schemaFiles(folder));
    return await work(url.href);
  } finally {
    await withDatabase(serverUrl, (sql) => sql.unsafe(`drop database ${name} with (force)`));
  }
}
