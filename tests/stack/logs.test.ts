import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../packages/local/src/index.ts";
import { logFile, openLogFile } from "../../packages/local/src/settings/log-file.ts";
import { repository } from "../support/cli.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { until } from "../support/until.ts";
import { scratchFolder } from "./scratch.ts";
import { runToolHere } from "./tools/run-here.ts";
import { runTool } from "./tools/run-tool.ts";

/* Tests the logs of a stack in which somebody breaks one function. */

const folder = scratchFolder();
const dataDir = join(folder.path, "data");
let stack: Stack;

beforeAll(async () => {
  const functionsDir = join(folder.path, "supabase", "functions");
  cpSync(join(repository, "supabase", "functions"), functionsDir, { recursive: true });
  for (const name of ["packages", "node_modules"])
    symlinkSync(join(repository, name), join(folder.path, name));
  const handler = join(functionsDir, "get-active-key", "handler.ts");
  const broken = readFileSync(handler, "utf8").replace(
    "const ring = await keyring();",
    'throw new Error("broken on purpose");\n    $&',
  );
  expect(broken).toContain("broken on purpose");
  writeFileSync(handler, broken);
  await copyDataFolder(dataDir);
  stack = await startStack({ dataDir, functionsDir });
});
afterAll(async () => {
  await stack?.stop();
  folder.remove();
});

const logs = (...args: string[]) => runToolHere("logs", { args, env: { KEYHUB_DATA_DIR: dataDir } });

test("why a function answered 500: npm run logs -- <function> names the request, the error and the place", async () => {
  const answer = await fetch(`${stack.url}/functions/v1/get-active-key`, {
    method: "POST",
    headers: { Authorization: `Bearer ${stack.env.KEYHUB_AGENT_TOKEN}` },
  });
  expect(answer.status).toBe(500);
  const { request_id, ...body } = await answer.json();
  // The caller does not see the cause.
  expect(JSON.stringify(body)).not.toContain("broken");

  await until(async () => (await logs("get-active-key")).stdout.includes("handler.ts"));
  // In a process of its own; the other tests call the tool in this process.
  const { stdout, code } = await runTool("logs", {
    args: ["get-active-key"],
    env: { KEYHUB_DATA_DIR: dataDir },
  });
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  const first = lines.findIndex((line) =>
    line.includes(`request ${request_id} failed: Error: broken on purpose`),
  );
  expect(lines[first]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
  expect(lines[first + 1]).toMatch(/ at .*get-active-key\/handler\.ts:\d+:\d+/);
  expect((await logs("set-key-state")).stdout).not.toContain("broken");
});

test("without a name: the lines of all services by time, each with its service; --lines cuts", async () => {
  const { stdout } = await logs();
  const lines = stdout.trim().split("\n");
  const services = lines.map(
    (line) => /^\d{4}-\S+ (postgres|stack|rest|[a-z]+(?:-[a-z]+)+): /.exec(line)?.[1],
  );
  expect(services).not.toContain(undefined);
  expect(services).toContain("postgres");
  const times = lines.map((line) => line.split(" ", 1)[0]);
  expect(times).toEqual(times.toSorted());
  expect((await logs("--lines", "2")).stdout.trim().split("\n")).toHaveLength(2);
});

test("a text with several lines stays with its service", async () => {
  const log = openLogFile(folder.path);
  log.write("stack", "first\n2026-01-01T00:00:00.000Z rest: forged");
  log.stop();
  const file = logFile(folder.path);
  const read = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  await until(() => read().length === 2);
  expect(read().map((line) => line.split(" ")[1])).toEqual(["stack:", "stack:"]);
});

test("a function that has logged nothing is no error", async () => {
  expect(await logs("hub-import")).toEqual({
    code: 0,
    stdout: "",
    stderr: "hub-import has logged nothing since the last start\n",
  });
});

test.each([
  ["a service that is none", ["nobody"], /the services are: .*get-active-key.*postgres/],
  ["a folder without logs", [], /no stack has been started here/, { KEYHUB_DATA_DIR: "/nonexistent" }],
  ["two names", ["postgres", "rest"], /arguments are not valid; usage: npm run logs/],
  ["a number that is none", ["--lines", "0"], /arguments are not valid/],
])("says %s in one line, exit 1", async (_what, args, message, env = { KEYHUB_DATA_DIR: dataDir }) => {
  const { code, stdout, stderr } = await runToolHere("logs", { args, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
