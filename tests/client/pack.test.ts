import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyhub } from "../../packages/client/src/index.ts";
import { runTool } from "../support/cli.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { expectSelfContained, expectTypes, packed, readmeProgram } from "./packed.ts";

const client = packed("client");

test("the package holds one module, its types, and no dependency", async () => {
  expect(client.files).toEqual([
    "LICENSE",
    "README.md",
    "dist/create.d.ts",
    "dist/errors.d.ts",
    "dist/events.d.ts",
    "dist/index.d.ts",
    "dist/index.js",
    "dist/options.d.ts",
    "dist/public-lease.d.ts",
    "package.json",
  ]);
  await expectSelfContained(client);
});

const SCRIPT = `
import { createKeyhub } from "@keyhub/client";
const answers = [429, 200];
const keys = [];
const keyhub = createKeyhub({
  url: "http://keyhub.test",
  token: "t",
  fetch: async (input, init) => {
    const url = String(input);
    if (url.endsWith("set-key-state")) return Response.json({ outcome: JSON.parse(init.body).status === "fail" ? "rate_limited" : "success" });
    if (!url.endsWith("get-active-key")) {
      keys.push(new Headers(init.headers).get("authorization"));
      return new Response("{}", { status: answers.shift() });
    }
    const n = keys.length + 1;
    return Response.json({ lease_id: "l" + n, key_id: "k" + n, key_name: "n", api_key: "sk-" + n, settings: {} });
  },
});
const response = await keyhub.fetch("openai")("https://api.openai.com/v1/models");
await response.text();
await keyhub.flush();
console.log(response.status, keys.join());
`;

const RUNTIMES: [tool: "node" | "deno", args: string[]][] = [["node", ["script.mjs"]]];
if (LONG_TESTS)
  RUNTIMES.push(["deno", ["run", "--no-lock", "--node-modules-dir=manual", "--allow-env", "script.mjs"]]);

test.each(RUNTIMES)("as it is published it rotates on %s", async (tool, args) => {
  await writeFile(join(client.folder, "script.mjs"), SCRIPT);
  const { stdout, stderr } = await runTool(tool, args, { cwd: client.folder });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe("200 Bearer sk-1,Bearer sk-2");
});

const TYPED = `import { createKeyhub, type KeyhubEvent, NoKeyError, type Lease } from "@keyhub/client";
const events: KeyhubEvent[] = [];
const keyhub = createKeyhub({ url: "u", token: async () => "t", reuse: { for: "2s", uses: 50 }, onEvent: (event) => void events.push(event) });
const f: typeof fetch = keyhub.fetch("openai", { hosts: ["https://proxy.example"] });
const n: number = await keyhub.withKey("gemini", async (key: string, lease: Lease) => { lease.report("success"); return key.length; });
const wait: number | null = new NoKeyError("m", { code: "c", retryAfter: 1 }).retryAfter;
// @ts-expect-error maxAttempts is a number
createKeyhub({ maxAttempts: "3" });
export { f, n, wait };
`;

test("its README has an example of each call; the examples and its types check, with the libraries' own checked too", async () => {
  const outside = "declare const process: { env: Record<string, string | undefined> };";
  const program = (await readmeProgram(client, outside)).replace(
    'import OpenAI from "openai";',
    "declare class OpenAI { constructor(options: { apiKey: string; fetch: typeof fetch }); }",
  );
  const calls = Object.keys(createKeyhub({ url: "http://keyhub.test", token: "t" }));
  expect(calls.filter((call) => !program.includes(`keyhub.${call}(`))).toEqual([]);
  await expectTypes(client, program, TYPED);
});
