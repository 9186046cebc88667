import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/cli.ts";
import { type Entry, guardOf, hashOf, readGuards } from "./guards.ts";

// Reading the guards already checks that the text of each occurs exactly once in its schema file.
const guards = await readGuards();

test("every guard has a name of its own, a test, and wrong code in a function", () => {
  expect(guards.length).toBeGreaterThan(200);
  expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length);
  for (const { name, test: file, find, put, statement } of guards) {
    expect(existsSync(join(repository, file)), `${name}: ${file}`).toBe(true);
    expect(put, name).not.toBe(find);
    expect(statement, name).toMatch(/^create function /);
  }
});

const sql = "create function a\n  -- b\n  b\n  c\n  c;\ncomment on a;\ncreate function d\n  e;\n";
const entry: Entry = { name: "it", find: "  b\n", put: "", test: "x.test.ts" };

test("without a guard the other lines of its function are as they were", () => {
  const guard = guardOf(entry, "keys/x.sql", sql);
  expect(guard.statement).toBe("create function a\n  -- b\n  b\n  c\n  c;\n");
  expect(guard.without).toBe("create function a\n  -- b\n  c\n  c;\n");
  expect(guardOf({ ...entry, find: "e;", put: "f;" }, "keys/x.sql", sql).without).toBe(
    "create function d\n  f;\n",
  );
});

test.each(["  c", "f", ""])("text that is not there exactly once is refused: %j", (find) => {
  expect(() => guardOf({ ...entry, find }, "keys/x.sql", sql)).toThrow(/exactly once/);
});

test("a guard counts as changed when its function has, or what replaces it, and not by a comment", () => {
  const hash = (text: string, put = "") => hashOf(guardOf({ ...entry, put }, "keys/x.sql", text));
  expect(hash(sql.replace("-- b", "-- other"))).toBe(hash(sql));
  expect(hash(sql.replace("e;", "f;"))).toBe(hash(sql));
  expect(hash(sql.replace("c;", "f;"))).not.toBe(hash(sql));
  expect(hash(sql, "  f\n")).not.toBe(hash(sql));
});
