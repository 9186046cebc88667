/**
 * A guard is a piece of a SQL function that keeps a promise. `guards/keys/23_lease.json` lists the guards of
 * `supabase/schemas/keys/23_lease.sql`: the text to find there, the wrong code to put in its place, and the test that then fails.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { schemasFolder } from "../../packages/local/src/schema/files.ts";

/** A guard as its JSON file contains it. */
export interface Entry {
  name: string;
  /** Text that occurs exactly once in the schema file. */
  find: string;
  /** The text that replaces `find`; an empty text removes it. */
  put: string;
  /** The path of the test file that fails without the guard. */
  test: string;
  /** The SHA-256 of the function with the guard and without it, at the time when the test was last seen to fail; absent before that. */
  sha256?: string;
}

export interface Guard extends Entry {
  /** The path of its schema file, such as `keys/23_lease.sql`. */
  path: string;
  /** The statement with the guard, and the same statement without it. */
  statement: string;
  without: string;
}

const folder = join(import.meta.dirname, "guards");
const fileOf = (path: string) => join(folder, path.replace(/sql$/, "json"));

/** Returns the guards of all files, in the order of the schema files. */
export async function readGuards(): Promise<Guard[]> {
  const entries = await readdir(folder, { recursive: true });
  const paths = entries
    .map((path) => path.replaceAll("\\", "/").replace(/json$/, "sql"))
    .filter((path) => path.endsWith(".sql"))
    .sort();
  const ofFiles = await Promise.all(
    paths.map(async (path) => {
      const sql = await readFile(join(schemasFolder, path), "utf8");
      const listed: Entry[] = JSON.parse(await readFile(fileOf(path), "utf8"));
      return listed.map((entry) => guardOf(entry, path, sql));
    }),
  );
  return ofFiles.flat();
}

/** Returns the guard of an entry. Throws when its text does not occur exactly once in its schema file. */
export function guardOf(entry: Entry, path: string, sql: string): Guard {
  const at = sql.indexOf(entry.find);
  if (entry.find === "" || at === -1 || sql.includes(entry.find, at + 1))
    throw new Error(`${path}: the text of the guard "${entry.name}" does not occur exactly once`);
  const { from, to } = statementAt(sql, at);
  const statement = sql.slice(from, to);
  const without = `${sql.slice(from, at)}${entry.put}${sql.slice(at + entry.find.length, to)}`;
  return { ...entry, path, statement, without };
}

/** Records in the guard's entry that its test was seen to fail; null records that the test did not fail. */
export async function record({ name, path }: Guard, sha256: string | null): Promise<void> {
  const file = fileOf(path);
  const listed: Entry[] = JSON.parse(await readFile(file, "utf8"));
  const entries = listed.map(({ sha256: before, ...entry }) => {
    const now = entry.name === name ? sha256 : before;
    return now ? { ...entry, sha256: now } : entry;
  });
  await writeFile(file, `${JSON.stringify(entries, null, 2)}\n`);
}

/** Returns a hash that shows whether the function, or the replacement of the guard, has changed. Comments do not change it. */
export function hashOf({ statement, without }: Guard): string {
  const code = [statement, without].map((text) => text.replace(/^\s*-- .*\n/gm, ""));
  return createHash("sha256").update(code.join("\0")).digest("hex");
}

/** Returns the range from the line that begins a statement (`create`, `alter`, ...) to the next such line. */
function statementAt(sql: string, at: number): { from: number; to: number } {
  const begins = [...sql.matchAll(/^(create|alter|comment|revoke|grant) /gm)].map(({ index }) => index);
  const from = begins.findLast((index) => index <= at) ?? 0;
  return { from, to: begins.find((index) => index > at) ?? sql.length };
}
