import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaFiles } from "../../packages/local/src/schema-files.ts";
import { guardsOf, withoutGuard } from "../mutation/guards.ts";
import { readRecord } from "../mutation/record.ts";
import { repository } from "../support/cli.ts";

const files = await schemaFiles();
const guards = files.flatMap(guardsOf);

test("every guard has a name of its own and a test file that was seen to fail without it", async () => {
  const record = await readRecord();
  expect(guards.length).toBeGreaterThan(200);
  expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length);
  expect(Object.keys(record).sort()).toEqual(guards.map(({ name }) => name).sort());
  for (const { test: file } of Object.values(record))
    expect(existsSync(join(repository, file)), file).toBe(true);
});

test("a guard that is taken out leaves the other lines as they are", () => {
  for (const file of files) {
    for (const { name } of guardsOf(file)) {
      const { text } = withoutGuard(file, name);
      expect(text).not.toBe(file.text);
      expect(text).not.toContain(`-- guard: ${name}\n`);
    }
  }
});

test("guards inside one another, and beside one another, are told apart", () => {
  const text = [
    "a",
    "-- guard: outer",
    "-- without: o",
    "b",
    "  -- guard: inner",
    "  c",
    "  -- end",
    "d",
    "-- end",
    "e",
  ].join("\n");
  const file = { path: "keys/x.sql", text };
  expect(guardsOf(file).map(({ name }) => name)).toEqual(["outer", "inner"]);
  expect(withoutGuard(file, "outer").text).toBe("a\no\ne");
  expect(withoutGuard(file, "inner").text).toBe("a\n-- guard: outer\n-- without: o\nb\nd\n-- end\ne");
  expect(() => withoutGuard(file, "other")).toThrow(/no guard/);
  expect(() => guardsOf({ path: "keys/x.sql", text: "-- guard: open\na" })).toThrow(/no end/);
});
