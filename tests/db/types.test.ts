import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { databaseTypes, typesFile } from "../support/database-types.ts";
import { LONG_TESTS } from "../support/long-tests.ts";

let clone: Clone;
beforeAll(async () => {
  clone = await cloneDatabase();
});
afterAll(() => clone.drop());

test("the committed database types are those of the migrations", async () => {
  const committed = await readFile(typesFile, "utf8");
  expect(committed, "database.types.ts is stale: npm run generate").toBe(await databaseTypes(clone.url));
});

// This shows that the test above can fail.
if (LONG_TESTS)
  test("a new column would make them stale", async () => {
    await clone.sql`alter table public.api_key_agents add column forgotten text`;
    const committed = await readFile(typesFile, "utf8");
    expect(await databaseTypes(clone.url)).not.toBe(committed);
  });
