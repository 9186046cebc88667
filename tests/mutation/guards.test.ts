import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schemaFiles } from "../../packages/local/src/schema/files.ts";
import { repository } from "../support/cli.ts";
import { guardsOf, statementWithout } from "./guards.ts";
import { readRecord } from "./record.ts";

const files = await schemaFiles();
const guards = files.flatMap(guardsOf);

test("every guard has a name of its own and a place in the record", async () => {
  const record = await readRecord();
  expect(guards.length).toBeGreaterThan(200);
  expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length);
  expect(Object.keys(record).sort()).toEqual(guards.map(({ name }) => name).sort());
  for (const { test: file } of Object.values(record)) {
    if (file !== null) expect(existsSync(join(repository, file)), file).toBe(true);
  }
});

test("a guard that is taken out leaves the other lines of its function as they are", () => {
  for (const guard of guards) {
    const text = statementWithout(guard);
    expect(guard.statement, guard.name).toMatch(/^create function /);
    expect(text).not.toBe(guard.statement);
    expect(text).not.toContain(`-- guard: ${guard.name}\n`);
  }
});

test("guards inside one another, and beside one another, are told apart", () => {
  const text = [
    "create function a",
    "-- guard: outer",
    "-- without: o",
    "b",
    "  -- guard: inner",
    "  c",
    "  -- end",
    "d",
    "-- end",
    "e",
    "comment on a",
  ].join("\n");
  const [outer, inner, ...more] = guardsOf({ path: "keys/x.sql", text });
  expect(more).toEqual([]);
  if (!outer || !inner) throw new Error("two are missing");
  expect([outer.name, inner.name]).toEqual(["outer", "inner"]);
  expect(statementWithout(outer)).toBe("create function a\no\ne");
  expect(statementWithout(inner)).toBe("create function a\n-- guard: outer\n-- without: o\nb\nd\n-- end\ne");
  expect(() => guardsOf({ path: "keys/x.sql", text: "create function a\n-- guard: open\na" })).toThrow(
    /no end/,
  );
});
