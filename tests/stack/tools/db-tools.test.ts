import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nextVersion } from "../../../packages/local/src/cli/db-diff.ts";
import { diffDatabases, withSchemaDatabase } from "../../../packages/local/src/schema/diff.ts";
import { schemasFolder } from "../../../packages/local/src/schema/files.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser } from "../../support/keys.ts";
import { clusterUrl } from "../../support/shared.ts";
import { runTool } from "./run-tool.ts";

let folder: string;
let clone: Clone;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-schemas-"));
  clone = await cloneDatabase();
});
afterAll(async () => {
  await clone.drop();
  await rm(folder, { recursive: true });
});

test("a column that a schema file gains is what the diff adds, and rows stay", async () => {
  await cp(schemasFolder, folder, { recursive: true });
  const file = join(folder, "keys", "10_user_api_keys.sql");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("  provider text,\n", "  provider text,\n  region text,\n"));
  const userId = await makeUser(clone.sql);
  await addKey(clone.sql, userId);

  const sql = await withSchemaDatabase(
    await clusterUrl(),
    (declared) => diffDatabases(clone.url, declared),
    folder,
  );
  // The last db:apply below shows that nothing is left to do afterwards.
  expect(sql.replace(/\s+/g, " ")).toBe('ALTER TABLE "public"."user_api_keys" ADD COLUMN "region" text;');
  await clone.sql.unsafe(sql);
  expect(await clone.sql`select region from user_api_keys where user_id = ${userId}`).toEqual([
    { region: null },
  ]);
});

test("a schema file that does not load is named", async () => {
  const file = join(folder, "hub", "11_text.sql");
  await writeFile(file, "create table broken (");
  await expect(withSchemaDatabase(await clusterUrl(), async () => "", folder)).rejects.toThrow(
    "supabase/schemas/hub/11_text.sql: syntax error",
  );
});

describe("the version of a migration", () => {
  test("is the time in UTC, and behind the last one", () => {
    const now = new Date("2026-11-23T04:05:06.789Z");
    expect(nextVersion(["20261122000000_initial.sql"], now)).toBe("20261123040506");
    expect(nextVersion([], now)).toBe("20261123040506");
    expect(nextVersion(["20991231235959_later.sql"], now)).toBe("20991231235960");
  });
});

describe("refuses in one line", () => {
  const nowhere = { KEYHUB_ENV_FILE: "/nonexistent/env" };
  test.each<[string, string, string[], Record<string, string>, RegExp]>([
    ["db:diff without a name", "db-diff", [], {}, /usage: npm run db:diff/],
    ["db:diff with a name that is none", "db-diff", ["Add Region"], {}, /usage: npm run db:diff/],
    ["db:apply without a stack", "db-apply", [], nowhere, /no stack is running: npm start first/],
  ])("%s", async (_, tool, args, env, said) => {
    const run = await runTool(tool, { args, env });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(said);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
  });

  test("db:apply to a database that is not of this machine", async () => {
    const file = join(folder, "env");
    await writeFile(file, "SUPABASE_DB_URL='postgresql://postgres:x@db.example.com:5432/postgres'\n");
    const run = await runTool("db-apply", { env: { KEYHUB_ENV_FILE: file } });
    expect(run.stderr).toMatch(/is not a database on this machine/);
  });
});

test("db:apply refuses to drop rows, and does so when told to", async () => {
  const file = join(folder, "clone.env");
  await writeFile(file, `SUPABASE_DB_URL='${clone.url}'\n`);
  const env = { KEYHUB_ENV_FILE: file };
  await clone.sql`alter table user_api_keys drop column if exists region, add column surplus text`;
  await clone.sql`create schema surplus`;

  const refused = await runTool("db-apply", { env });
  expect(refused.stderr).toMatch(/this would lose rows: .* npm run db:apply -- --drop\n$/);
  expect(await clone.sql`select surplus from user_api_keys`).not.toEqual([]);

  const dropped = await runTool("db-apply", { args: ["--drop"], env });
  expect(dropped.stderr).toBe("");
  await expect(clone.sql`select surplus from user_api_keys`).rejects.toThrow(/does not exist/);
  expect((await runTool("db-apply", { env })).stdout).toMatch(/^nothing to do/);
});
