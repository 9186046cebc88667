import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { withDatabase } from "./database.ts";
import { errorCode, StartFailure } from "./failure.ts";
import { repositoryRoot } from "./paths.ts";
import { plainEnvironment, runToEnd } from "./processes.ts";

export interface PushOptions {
  /** Also run the seed files that config.toml names. */
  includeSeed?: boolean;
  /** The folder that holds `supabase/`; this repository unless told. */
  workdir?: string;
}

/** Applies the migrations with the real Supabase CLI, exactly as a deployment does. */
export async function pushMigrations(url: string, options: PushOptions = {}): Promise<void> {
  const args = ["db", "push", `--remote=${url}`, "--yes", ...(options.includeSeed ? ["--include-seed"] : [])];
  const { code, output } = await runSupabase(args, options.workdir);
  if (code === 0) return;
  throw new StartFailure(`the migrations could not be applied:\n${readable(output, url)}`);
}

/** Runs the real Supabase CLI to its end, with what it printed. */
export async function runSupabase(
  args: string[],
  workdir = repositoryRoot,
): Promise<{ code: number | null; output: string }> {
  return await runToEnd(process.execPath, [cliEntry(), ...args, "--workdir", workdir], {
    cwd: workdir,
    env: { ...plainEnvironment(), DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" },
  });
}

/**
 * Brings the database to the newest migration; nothing is done when it is there already. Refuses one that has migrations which
 * this repository lacks: it was made by another version of Keyhub.
 */
export async function migrate(url: string, workdir = repositoryRoot): Promise<void> {
  const [wanted, applied] = [await migrationVersions(workdir), await appliedVersions(url)];
  const foreign = applied.filter((version) => !wanted.includes(version));
  if (foreign.length > 0) {
    throw new StartFailure(
      `the data folder was made by another version of Keyhub (migration ${foreign[0]} is not in supabase/migrations); ` +
        "name another folder in KEYHUB_DATA_DIR, or delete what it holds with: npm start -- --fresh",
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
    // 42P01, 3F000: nothing was ever pushed here.
    if (["42P01", "3F000"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

async function migrationVersions(workdir: string): Promise<string[]> {
  const files = await readdir(join(workdir, "supabase", "migrations")).catch(() => []);
  return files.flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? []);
}

function cliEntry(): string {
  try {
    return createRequire(import.meta.url).resolve("supabase/dist/supabase.js");
  } catch {
    throw new StartFailure("the Supabase CLI is not installed; run npm ci.");
  }
}

/** The CLI's own words, without escape codes, stack traces, our password or more than a screen of them. */
export function readable(output: string, url: string): string {
  const { password } = new URL(url);
  const text = (password ? output.replaceAll(password, "…") : output)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is taken out
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .split("\n")
    .filter((line) => !/^\s*(at |\d+ \| |Bun v|_tag:|$)/.test(line))
    .join("\n");
  return text.length > 3000 ? `…${text.slice(-3000)}` : text;
}
