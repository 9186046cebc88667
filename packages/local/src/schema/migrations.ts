// schema/: applies supabase/migrations and supabase/schemas to a database, and computes the difference between two databases.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, StartFailure } from "../failure.ts";
import { withDatabase } from "../postgres/connection.ts";
import { repositoryRoot } from "../settings/paths.ts";
import { readableOutput, runSupabase } from "./supabase-cli.ts";

export interface PushOptions {
  /** Whether to run the seed files that config.toml names, too. */
  includeSeed?: boolean;
  /** The folder that holds `supabase/`; by default this repository. */
  workdir?: string;
}

/** Applies the migrations with the real Supabase CLI, exactly as a deployment does. */
export async function pushMigrations(url: string, options: PushOptions = {}): Promise<void> {
  const args = ["db", "push", `--remote=${url}`, "--yes", ...(options.includeSeed ? ["--include-seed"] : [])];
  const { code, output } = await runSupabase(args, options.workdir);
  if (code === 0) return;
  throw new StartFailure(`the migrations could not be applied:\n${readableOutput(output, url)}`);
}

/**
 * Applies the missing migrations. Refuses a database that has migrations which this repository lacks: another version of Keyhub
 * made it.
 */
export async function migrate(url: string, workdir = repositoryRoot): Promise<void> {
  const [wanted, applied] = [await migrationVersions(workdir), await appliedVersions(url)];
  const foreign = applied.filter((version) => !wanted.includes(version));
  if (foreign.length > 0) {
    throw new StartFailure(
      `the data folder was made by another version of Keyhub (migration ${foreign[0]} is not in supabase/migrations); ` +
        "name another folder in KEYHUB_DATA_DIR, or delete its content with: npm start -- --fresh",
    );
  }
  if (applied.length < wanted.length) await pushMigrations(url, { workdir });
}

async function appliedVersions(url: string): Promise<string[]> {
  try {
    const rows = await withDatabase(
      url,
      (sql) =>
        sql<
          { version: string }[]
        >`select version from supabase_migrations.schema_migrations order by version`,
    );
    return rows.map(({ version }) => version);
  } catch (error) {
    // 42P01, 3F000: the table or schema is missing, so no migration was ever applied.
    if (["42P01", "3F000"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

async function migrationVersions(workdir: string): Promise<string[]> {
  const files = await readdir(join(workdir, "supabase", "migrations")).catch(() => []);
  return files.flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? []);
}
