import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nextVersion } from "../../../packages/local/src/cli/db-diff.ts";
import { withSchemaDatabase } from "../../../packages/local/src/schema/diff.ts";
import { schemasFolder } from "../../../packages/local/src/schema/files.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { dumpSchema } from "../../support/schema-dump.ts";
import { clusterUrl } from "../../support/shared.ts";
import { runToolHere } from "./run-here.ts";
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

test("a schema file that does not load is named", async () => {
  await cp(schemasFolder, folder, { recursive: true });
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
  test.each<[string, string, typeof runTool, string[], Record<string, string>, RegExp]>([
    ["db:diff without a name", "db-diff", runTool, [], {}, /usage: npm run db:diff/],
    ["db:diff with a name that is none", "db-diff", runTool, ["Add Region"], {}, /usage: npm run db:diff/],
    [
      "db:apply without a stack",
      "db-apply",
      runToolHere,
      [],
      nowhere,
      /no stack is running: npm start first/,
    ],
  ])("%s", async (_, tool, start, args, env, said) => {
    const run = await start(tool, { args, env });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(said);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
  });

  test("db:apply to a database that is not of this machine", async () => {
    const file = join(folder, "env");
    await writeFile(file, "SUPABASE_DB_URL='postgresql://postgres:x@db.example.com:5432/postgres'\n");
    const run = await runToolHere("db-apply", { env: { KEYHUB_ENV_FILE: file } });
    expect(run.stderr).toMatch(/is not a database on this machine/);
  });
});

test("db:apply adds what a schema file has gained; it drops rows only when told to, and other rows stay", async () => {
  const file = join(folder, "clone.env");
  await writeFile(file, `SUPABASE_DB_URL='${clone.url}'\n`);
  const env = { KEYHUB_ENV_FILE: file };
  const declared = await dumpSchema(clone.url);
  await addKey(clone.sql, await makeUser(clone.sql));
  // The column that the database lacks is one that the schema files have gained.
  await clone.sql`alter table private.hub_overwritten drop column sha256`;
  await clone.sql`alter table user_api_keys add column surplus text`;
  await clone.sql`create schema surplus`;

  const refused = await runToolHere("db-apply", { env });
  expect(refused.stderr).toMatch(/this would lose rows: .* npm run db:apply -- --drop\n$/);
  expect(await clone.sql`select surplus from user_api_keys`).toHaveLength(1);

  const dropped = await runToolHere("db-apply", { args: ["--drop"], env });
  expect(dropped.stderr).toBe("");
  expect(dropped.stdout.replace(/\s+/g, " ")).toContain(
    'ALTER TABLE "private"."hub_overwritten" ADD COLUMN "sha256" text;',
  );
  expect(await dumpSchema(clone.url)).toBe(declared);
  expect(await clone.sql`select from pg_namespace where nspname = 'surplus'`).toHaveLength(0);
  expect(await clone.sql`select from user_api_keys`).toHaveLength(1);
  // In the short form, tests/db/schema.test.ts shows that databases with equal dumps have no difference.
  if (LONG_TESTS) expect((await runToolHere("db-apply", { env })).stdout).toMatch(/^nothing to do/);
});
