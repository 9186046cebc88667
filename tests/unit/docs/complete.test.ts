import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMATS } from "../../../packages/core/src/hub/formats/index.ts";
import { repository } from "../../support/cli.ts";
import { blocksOf, pages, readPage } from "../../support/docs/pages.ts";
import { functionNames } from "../../support/function-names.ts";
import { configFile, withFunctionSections } from "../../support/functions-config.ts";

/* Tests the parts of the documentation that a new function or bench needs, and that are easily forgotten. */

test.each(functionNames)("the function %s is called on a page of docs/api", (name) => {
  const blocks = pages.filter((page) => page.startsWith("docs/api/")).flatMap(blocksOf);
  const calls = blocks.filter(
    ({ text }) => text.includes(`functions/v1/${name}`) || text.includes(`invoke("${name}"`),
  );
  expect(calls.length, `no block of a page of docs/api calls functions/v1/${name}`).toBeGreaterThan(0);
});

test.each(["docs/operate/deploy.md", "docs/operate/upgrade.md"])(
  "%s deploys every function by one command, as tests/deploy does",
  (page) => {
    const commands = [...readPage(page).matchAll(/^npx supabase functions deploy.*$/gm)].map(
      ([line]) => line,
    );
    expect(commands).toEqual(["npx supabase functions deploy --use-api"]);
  },
);

test("each function has its section in supabase/config.toml, and no other has one", async () => {
  const config = readFileSync(configFile, "utf8");
  expect(config === withFunctionSections(config), "supabase/config.toml is stale: npm run generate").toBe(
    true,
  );
  const further = withFunctionSections(config, [...functionNames, "hub-search"]);
  expect(further).toContain("\n[functions.hub-search]\nverify_jwt = false\n");
  expect(withFunctionSections(further)).toBe(config);
});

test("supabase/config.toml declares nothing of auth, which config push would send into a project", () => {
  expect(readFileSync(configFile, "utf8")).not.toMatch(/^\s*(\[+\s*(auth|remotes)\b|auth\.)/m);
});

test("each format of other tools has a row with its type and what is emptied, in the order in which files are tried", () => {
  const rows = [
    ...readPage("docs/reference/formats.md").matchAll(/^\| `([\w-]+)` +\| `(\w+)` +\|.*\| (.*?) +\|$/gm),
  ];
  expect(
    rows.map(([, id, type, emptied = ""]) => [
      id,
      type,
      [...emptied.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
    ]),
  ).toEqual(FORMATS.map((format) => [format.id, format.assetType, [...format.private]]));
});

test("each bench has a row on the page of methods, and each row a bench", () => {
  const source = readFileSync(join(repository, "tests", "bench", "run.ts"), "utf8");
  const table = /^const benches.*?^\};/ms.exec(source)?.[0] ?? "";
  const named = [...table.matchAll(/^ {2}"?([\w-]+)"?: /gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(10);
  const section = readPage("docs/benchmarks/method.md").split("\n## ")[1] ?? "";
  const rows = [...section.matchAll(/^- `([\w-]+)`:/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(named.sort());
});
