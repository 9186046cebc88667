import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../packages/local/src/index.ts";
import { repository, runTool } from "../support/cli.ts";
import { copyDataFolder } from "../support/data-folder.ts";

let folder: string;
let stack: Stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-example-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  await copyDataFolder(dataDir);
  stack = await startStack({ dataDir });
  await promisify(execFile)(process.execPath, ["build.ts"], { cwd: join(repository, "packages", "client") });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("an OpenAI script with one changed line survives a 429, against the stack of npm start", async () => {
  const env = { ...process.env, ...stack.env };
  const example = join("packages", "client", "example", "openai.mjs");
  const { code, stdout, stderr } = await runTool("node", [example], { env });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines).toContain("forty-two");
  const types = lines.map((line) => line.split(" ")[0]);
  expect(types.slice(0, 4)).toEqual(["lease", "report", "lease", "rotate"]);
  expect(lines.some((line) => /^report openai-\S+ rate_limited$/.test(line))).toBe(true);
  expect(lines.some((line) => /^report \S+ success$/.test(line))).toBe(true);
  // No key is printed.
  expect(stdout).not.toContain("sk-");
});
