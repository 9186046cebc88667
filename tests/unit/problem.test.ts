import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isProblemCode, problem, problems } from "../../packages/core/src/problem.ts";

test("every code that SQL raises for callers is in the table, with the status of its errcode", async () => {
  const folder = new URL("../../supabase/schemas/", import.meta.url);
  const raised = new Map<string, number>();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith(".sql")) continue;
    const sql = await readFile(new URL(file, folder), "utf8");
    for (const [, status, rest] of sql.matchAll(/errcode = 'PT(\d{3})',\s*message = ([^;]*);/g)) {
      const [message = ""] = (rest ?? "").split(/,\s*detail =/);
      for (const [, code] of message.matchAll(/'([a-z]+(?:_[a-z]+)*)'/g))
        raised.set(code ?? "", Number(status));
    }
  }
  // Only operators meet these: they change rows by hand.
  for (const code of ["health_row_is_bound", "unknown_rule"]) raised.delete(code);
  expect(raised.size).toBeGreaterThan(5);
  for (const [code, status] of raised) {
    expect(isProblemCode(code) && problems[code].status, code).toBe(status);
  }
});

test("a problem carries type, title, status, code and detail; an unexpected fault tells no detail", () => {
  for (const code of Object.keys(problems)) {
    if (!isProblemCode(code)) throw new Error(code);
    const made = problem(code);
    expect(made).toMatchObject({ type: `urn:keyhub:problem:${code}`, code, status: problems[code].status });
    expect("detail" in made).toBe(code !== "internal_error");
  }
  expect(isProblemCode("toString")).toBe(false);
  expect(isProblemCode(404)).toBe(false);
});
