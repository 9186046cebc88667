import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../support/cli.ts";
import { pages, readPage } from "../../support/docs/pages.ts";

/* What a new function or bench needs in docs, and what is easily forgotten. */

const functions = readdirSync(join(repository, "supabase", "functions")).filter((name) => name !== "_shared");

describe.each(functions)("function %s", (name) => {
  test.each(["docs/operate/deploy.md", "docs/operate/upgrade.md"])("has its line in %s", (page) => {
    expect(readPage(page)).toContain(`functions deploy ${name} `);
  });

  test("is called on a page of docs/api", () => {
    const api = pages.filter((page) => page.startsWith("docs/api/"));
    expect(api.filter((page) => readPage(page).includes(`functions/v1/${name}`))).not.toEqual([]);
  });
});

test("each bench has a row on the page of methods, and each row a bench", () => {
  const source = readFileSync(join(repository, "tests", "bench", "run.ts"), "utf8");
  const table = /^const benches.*?^\};/ms.exec(source)?.[0] ?? "";
  const named = [...table.matchAll(/^ {2}"?([\w-]+)"?: /gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(10);
  const section = readPage("docs/benchmarks/method.md").split("\n## ")[1] ?? "";
  const rows = [...section.matchAll(/^\| `([\w-]+)` /gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(named.sort());
});
