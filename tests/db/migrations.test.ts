import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate, withDatabase } from "../../packages/local/src/index.ts";
import { repository, supabase } from "../support/cli.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { dumpSchema } from "../support/schema-dump.ts";

const folder = join(repository, "supabase", "migrations");
const files = (await readdir(folder)).sort();

/** The Supabase CLI made the template of this clone from an empty database (`startCluster`, with `supabase db push`). */
let clone: Clone;
let url: string;
beforeAll(async () => {
  clone = await cloneDatabase();
  url = clone.url;
});
afterAll(() => clone.drop());

test("every file is a migration: a time of its own, a name, something to do", async () => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !/^\d{14}_[a-z0-9_]+\.sql$/.test(file))).toEqual([]);
  expect(new Set(files.map((file) => file.slice(0, 14))).size).toBe(files.length);
  for (const file of files) {
    const statements = (await readFile(join(folder, file), "utf8")).replace(/--.*$/gm, "").trim();
    expect(statements, `${file} does nothing`).not.toBe("");
  }
});

test("a released migration does not change, and a new one comes after it", async () => {
  const released: Record<string, string> = JSON.parse(
    await readFile(join(repository, "supabase", "released-migrations.json"), "utf8"),
  );
  for (const [file, sha256] of Object.entries(released)) {
    const text = await readFile(join(folder, file));
    expect(createHash("sha256").update(text).digest("hex"), file).toBe(sha256);
  }
  const names = Object.keys(released);
  expect(files.slice(0, names.length)).toEqual(names);
});

test("the Supabase CLI has applied them all to an empty database, and a second time does nothing", async () => {
  const applied = await withDatabase(
    url,
    (sql) => sql`select version from supabase_migrations.schema_migrations order by version`,
  );
  expect(applied.map((row) => row.version)).toEqual(files.map((file) => file.slice(0, 14)));

  const made = await dumpSchema(url);
  const { code, stdout, stderr } = await supabase(["db", "push", `--remote=${url}`]);
  expect(code, stderr).toBe(0);
  expect(stdout + stderr).toContain("up to date");
  expect(await dumpSchema(url)).toBe(made);
});

test("the seed makes the owner of a demo pool, and twice is harmless", async () => {
  const seed = await readFile(join(repository, "supabase", "seed.sql"), "utf8");
  const users = await withDatabase(url, async (sql) => {
    await sql.unsafe(seed);
    await sql.unsafe(seed);
    return sql`select id, public.issue_agent_token(id, 'demo') as token from auth.users`;
  });
  expect(users).toMatchObject([
    { id: "00000000-0000-4000-8000-0000000000d0", token: expect.stringMatching(/^kh_agent_/) },
  ]);
});

test("a database of another version is refused in one line, and one that is up to date is left alone", async () => {
  const made = await dumpSchema(url);
  await migrate(url);
  await withDatabase(
    url,
    (sql) => sql`insert into supabase_migrations.schema_migrations (version) values ('20200101000000')`,
  );
  await expect(migrate(url)).rejects.toThrow(
    /^the data folder was made by another version of Keyhub .*--fresh$/,
  );
  expect(await dumpSchema(url)).toBe(made);
});
