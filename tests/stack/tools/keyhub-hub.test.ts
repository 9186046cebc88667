import { readFileSync, statSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository } from "../../support/cli.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser, publish } from "../../support/hub.ts";
import { onDeno, publishableKey, type Service } from "../../support/service.ts";
import { runKeyhubHere } from "./run-here.ts";
import { keyhubPath, runKeyhub, toolEnvironment } from "./run-tool.ts";

/* Tests the commands `keyhub hub` and `keyhub mcp` against functions on Deno. Most commands run in the process of the tests. */

const PASSWORD = "a password of a test";
const fixtures = join(repository, "tests", "fixtures", "formats");
let db: Clone;
let service: Service;
let folder: string;
let email: string;
beforeAll(async () => {
  db = await cloneDatabase();
  service = await onDeno(db, undefined, ["hub-import", "hub-publish"]);
  folder = await mkdtemp(join(tmpdir(), "keyhub-hub-"));
  email = `${Date.now()}@example.org`;
  const { error } = await service.client().auth.signUp({ email, password: PASSWORD });
  if (error) throw error;
});
afterAll(async () => {
  await service?.stop();
  await db?.drop();
  await rm(folder, { recursive: true, force: true });
});

const settings = () => ({
  ...{ SUPABASE_URL: service.url, SUPABASE_PUBLISHABLE_KEY: publishableKey, XDG_CONFIG_HOME: folder },
});
const run = (args: string[], input?: string, start: typeof runKeyhub = runKeyhubHere) =>
  start({ args: ["hub", ...args], env: settings(), ...(input !== undefined && { input }) });

test("log in, publish a file, find it, get the same file back without its secrets, import it, log out", async () => {
  const file = join(fixtures, "n8n.json");
  expect((await run(["import", file])).stderr).toContain("log in first");
  expect(await run(["login", email], "wrong\n")).toMatchObject({ code: 1, stderr: /not logged in/ });
  // A process of its own logs in, and other processes find its session.
  expect(await run(["login", email], `${PASSWORD}\n`, runKeyhub)).toMatchObject({ code: 0 });
  const [session = ""] = await readdir(join(folder, "keyhub"));
  expect(statSync(join(folder, "keyhub", session)).mode & 0o777).toBe(0o600);

  const dry = await run(["publish", file, "--description", "Sorts mail.", "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stderr: /taken out: payload\.source_text \(private-place\)/ });
  expect(await db.sql`select from orchestrator_configs`).toHaveLength(0);
  const published = await run(["publish", file, "--description", "Sorts mail.", "--license", "cc0"]);
  expect(published).toMatchObject({ code: 0, stdout: /\/hub\/orchestrations\/sort-the-inbox\n$/ });

  const found = await run(["search", "inbox", "--type", "orchestration", "--json"]);
  expect(JSON.parse(found.stdout)).toMatchObject({ items: [{ slug: "sort-the-inbox" }] });
  expect((await run(["search", "inbox"])).stdout).toMatch(/^slug +type .*\nsort-the-inbox +orchestration/);
  const shown = await run(["show", "sort-the-inbox"]);
  expect(shown.stdout).toMatch(/made_with +n8n workflow/);
  expect(shown.stdout).toContain("openAiApi (credential)");

  const copy = join(folder, "copy.json");
  expect(await run(["get", "sort-the-inbox", "-o", copy], undefined, runKeyhub)).toMatchObject({ code: 0 });
  const got = await readFile(copy, "utf8");
  expect(JSON.parse(got).nodes).toHaveLength(5);
  expect(got.split("\n").slice(0, 6)).toEqual(readFileSync(file, "utf8").split("\n").slice(0, 6));
  expect(got).not.toMatch(/kx83jdQpLm20|Zk3pQ9vLw2xR7tYs/);
  expect(await run(["get", "sort-the-inbox", "-o", copy])).toMatchObject({
    code: 1,
    stderr: /is there already/,
  });
  const own = await run(["get", "sort-the-inbox", "--as", "keyhub", "-o", "-"]);
  expect(JSON.parse(own.stdout)).toMatchObject({ format: "keyhub.asset", title: "Sort the inbox" });

  expect(await run(["import", "sort-the-inbox", "--dry-run"])).toMatchObject({
    stderr: /nothing was written/,
  });
  const imported = await run(["import", join(fixtures, "prompts-csv.csv"), "--json"]);
  expect(imported.stderr).toBe("");
  expect(JSON.parse(imported.stdout).created).toHaveLength(2);
  const diff = await run(["diff", "sort-the-inbox", "--from", "1"]);
  expect(diff).toMatchObject({ code: 0, stdout: /--- version 1/ });
  expect(await run(["logout"])).toMatchObject({ code: 0 });
  expect((await run(["import", file])).stderr).toContain("log in first");
}, 120_000);

describe("bad input", () => {
  test.each([
    [["show", "nothing-of-this-name"], 1, /No such asset/],
    [["get", "nothing", "--version", "x"], 2, /arguments/],
    [["search", "--type", "house"], 2, /arguments/],
    [["search", "--limit", "0"], 2, /arguments/],
    [["publish", "x.json", "--license", "mine"], 2, /arguments/],
    [["publish", "/nothing/here.json", "--dry-run"], 1, /no such file/],
    [["publish", join(repository, "package.json"), "--dry-run"], 1, /file of any of these/],
    [["publish", join(fixtures, "prompts-csv.csv"), "--dry-run"], 1, /holds 2 assets/],
    [["diff", "a"], 2, /arguments/],
    [["nonsense"], 2, /arguments/],
  ])("%j", async (args, code, says) => {
    const ran = await run(args);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(says)]);
    expect(ran.stderr).not.toContain("    at ");
  });
});

test("what a stranger has written cannot steer a terminal, and a file that is no UTF-8 is not taken", async () => {
  const creator = await makeUser(db.sql);
  const content = "one\u001b]0;title\u0007\u009b2J\ttwo\n";
  const { refId } = await makeAsset(db.sql, { creator, slug: "steering", payload: { content } });
  await publish(db.sql, creator, { refId, slug: "steering", payload: { content: `${content}three` } });
  for (const args of [
    ["diff", "steering", "--from", "1"],
    ["diff", "steering", "--from", "1", "--json"],
    ["show", "steering", "--json"],
  ]) {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout.includes("\u001b") || stdout.includes("\u009b")).toBe(false);
    expect(stdout).toContain("u009b");
  }
  const latin = join(folder, "latin.md");
  await writeFile(latin, Buffer.from([35, 32, 233, 10]));
  expect(await run(["publish", latin, "--dry-run"])).toMatchObject({ code: 1, stderr: /not UTF-8 text/ });
});

test("an agent speaks MCP with it over standard input and output", async () => {
  const client = new Client({ name: "a test", version: "1" });
  const transport = new StdioClientTransport({
    ...{
      command: process.execPath,
      args: [keyhubPath, "mcp"],
      env: toolEnvironment(settings()),
      stderr: "ignore",
    },
  });
  await client.connect(transport);
  const answer = await client.callTool({ name: "search_assets", arguments: { query: "inbox" } });
  expect(JSON.stringify(answer.content)).toContain("sort-the-inbox");
  expect(
    await client.callTool({ name: "get_asset", arguments: { slug: "sort-the-inbox", as: "n8n" } }),
  ).toMatchObject({ content: [{}, {}, {}, { text: expect.stringContaining("n8n-nodes-base.webhook") }] });
  await client.close();
}, 60_000);
