import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isProblemCode, problem, problems, renderProblem } from "../../packages/core/src/problem.ts";
import { HOURLY_LIMITS, withErrorTables } from "../support/error-table.ts";
import { errorsPage } from "../support/generated.ts";

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
  // Only operators can cause these two refusals, by changing rows by hand.
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

test("a rendered problem carries the request id twice, and the headers that its status and members ask for", () => {
  const render = (code: Parameters<typeof problem>[0], extra = {}, headers = {}) => {
    const { status, headers: sent, body } = renderProblem(problem(code, extra), "an-id", headers);
    expect(JSON.parse(body)).toEqual({ ...problem(code, extra), request_id: "an-id" });
    expect(status).toBe(problems[code].status);
    const { "WWW-Authenticate": challenge, "Retry-After": wait, Allow: allow, ...common } = sent;
    expect(common).toEqual({
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "Retry-After, X-Request-Id",
      "X-Request-Id": "an-id",
    });
    return { challenge, wait, allow };
  };
  expect(render("not_found")).toEqual({});
  expect(render("missing_credential")).toEqual({ challenge: "Bearer" });
  expect(render("unavailable")).toEqual({ wait: "1" });
  expect(render("keys_cooling_down", { retry_after: 7 })).toEqual({ wait: "7" });
  expect(render("no_active_key", { retry_after: null })).toEqual({});
  expect(render("method_not_allowed", {}, { Allow: "POST" })).toEqual({ allow: "POST" });
});

test("docs/api/errors.md has the codes and the limits as core has them", async () => {
  const page = await readFile(errorsPage, "utf8");
  expect(page, "docs/api/errors.md is stale: npm run generate").toBe(withErrorTables(page));
});

test("every hourly limit that SQL counts is documented by the name that its refusal gives", async () => {
  const folder = new URL("../../supabase/schemas/hub/", import.meta.url);
  const names = new Set<string>();
  for (const file of await readdir(folder)) {
    const sql = await readFile(new URL(file, folder), "utf8");
    for (const [, name = ""] of sql.matchAll(/private\.enforce_hourly_limit\(\s*'([a-z_]+)'/g))
      names.add(name);
    const [, kinds = ""] = /constraint hub_calls_kind_check check \(kind in \(([^)]*)\)\)/.exec(sql) ?? [];
    for (const [, name = ""] of kinds.matchAll(/'([a-z_]+)'/g)) names.add(name);
  }
  expect([...names].sort()).toEqual(Object.keys(HOURLY_LIMITS).sort());
});
