import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { createHub } from "../../packages/hub/src/index.ts";
import { runTool } from "../support/cli.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { expectSelfContained, expectTypes, packed, readmeProgram, readPacked } from "./packed.ts";

const hub = packed("hub");

/** The limit of the minified and compressed size in bytes, with room for a few more calls. supabase-js has 59,000 bytes. */
const SIZE = 10_000;

test("the package holds one small module without zod, its types, and no dependency", async () => {
  expect(hub.files).toEqual([
    "LICENSE",
    "README.md",
    "dist/acting.d.ts",
    "dist/answers.d.ts",
    "dist/calls.d.ts",
    "dist/client.d.ts",
    "dist/connection.d.ts",
    "dist/core-database.types.d.ts",
    "dist/core-problem-codes.d.ts",
    "dist/core-problem.d.ts",
    "dist/error.d.ts",
    "dist/hub.d.ts",
    "dist/index.d.ts",
    "dist/index.js",
    "dist/moderation.d.ts",
    "dist/organizations.d.ts",
    "dist/problem.d.ts",
    "dist/reading.d.ts",
    "dist/selling.d.ts",
    "dist/sharing.d.ts",
    "dist/transport.d.ts",
    "dist/workspace.d.ts",
    "package.json",
  ]);
  await expectSelfContained(hub);
  const { code } = await transform(await readPacked(hub, "dist/index.js"), { minify: true, format: "esm" });
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(SIZE);
});

const SCRIPT = `
import { createHub, problemOf } from "@keyhub/hub";
const asked = [];
const hub = createHub({ url: "http://keyhub.test/", key: "k", fetch: async (url, init) => {
  asked.push([init.method ?? "GET", String(url), init.headers.apikey]);
  return Response.json({ items: [], next_cursor: null });
} });
await hub.search({ q: "a b", types: ["template"] });
await hub.report("1", "spam");
console.log(JSON.stringify(asked), (await problemOf(new TypeError("fetch failed"))).code);
`;

const RUNTIMES: [tool: "node" | "deno", args: string[]][] = [["node", ["script.mjs"]]];
if (LONG_TESTS) RUNTIMES.push(["deno", ["run", "--no-lock", "--node-modules-dir=manual", "script.mjs"]]);

test.each(RUNTIMES)("as it is published it runs on %s with fetch alone", async (tool, args) => {
  await writeFile(join(hub.folder, "script.mjs"), SCRIPT);
  const { stdout, stderr } = await runTool(tool, args, { cwd: hub.folder });
  expect(stderr).toBe("");
  const search = "http://keyhub.test/rest/v1/rpc/hub_search?q=a+b&types=%7B%22template%22%7D";
  const asked = [
    ["GET", search, "k"],
    ["POST", "http://keyhub.test/rest/v1/hub_reports", "k"],
  ];
  expect(stdout.trim()).toBe(`${JSON.stringify(asked)} network`);
});

const TYPED = `import { createHub, type Asset, type Card, type Database, HubError, type HubProblem, problemOf } from "@keyhub/hub";
const hub = createHub({ url: "u", key: "k", token: async () => null });
const cards: Card[] = (await hub.search({ types: ["template"], sort: "newest" })).items;
const counts: { value: string; count: number }[] = (await hub.search({ facets: true })).facets.tags;
const asset = await hub.asset("slug");
const shown: Asset | string = asset.deleted ? "gone" : asset;
const imported = await hub.importAsset("slug", { mode: "remix" });
const ids = imported.stored === "cloud" ? imported.created.map((row) => row.id) : imported.document.payload;
const row: Database["public"]["Tables"]["prompt_templates"]["Row"] = await hub.workspace("template").create({ name: "n" });
const problem: HubProblem = await problemOf(new HubError(await problemOf(null), null));
// @ts-expect-error a sort that does not exist
void hub.search({ sort: "best" });
export { cards, counts, ids, problem, row, shown };
`;

test("its README has an example of each call; the examples and its types check, with the libraries' own checked too", async () => {
  const given = ["userId", "reportId", "appealId"].map((name) => `declare const ${name}: string;`).join("\n");
  const program = await readmeProgram(hub, `declare const session: { accessToken: string };\n${given}`);
  const all = createHub({ url: "http://keyhub.test", key: "k" });
  const { workspace, organizations, moderation, ...calls } = all;
  const groups = {
    hub: calls,
    "hub.organizations": organizations,
    "hub.moderation": moderation,
    templates: workspace("template"),
  };
  const missing = Object.entries(groups).flatMap(([name, group]) =>
    Object.keys(group)
      .map((call) => `${name}.${call}(`)
      .filter((call) => !program.includes(call)),
  );
  expect(missing).toEqual([]);
  await expectTypes(hub, program, TYPED);
});
