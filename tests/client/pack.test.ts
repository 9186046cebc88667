import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runTool } from "../support/cli.ts";

const run = promisify(execFile);

let folder: string;
let files: string[];
const installed = () => join(folder, "node_modules", "@keyhub", "client");

/** What npm would publish, unpacked where nothing else is installed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-pack-"));
  const source = join(repository, "packages", "client");
  await run(process.execPath, ["build.ts"], { cwd: source });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source, shell: process.platform === "win32" });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  files = packed.files.map(({ path }) => path).sort();
  await mkdir(installed(), { recursive: true });
  await run("tar", ["-xzf", join(folder, packed.filename), "-C", installed(), "--strip-components=1"]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the package holds one module, its types, and no dependency", async () => {
  expect(files).toEqual([
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
  const manifest = JSON.parse(await readFile(join(installed(), "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "@keyhub/client", type: "module", license: "MIT" });
  expect(manifest.private).toBeUndefined();
  expect([manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const module = await readFile(join(installed(), "dist", "index.js"), "utf8");
  expect(module).not.toMatch(/^import |\bimport\(|\brequire\(/m);
  const types = await Promise.all(
    files.filter((name) => name.endsWith(".d.ts")).map((name) => readFile(join(installed(), name), "utf8")),
  );
  expect(types.join("\n")).not.toContain("@keyhub/core");
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

test.each([
  ["node", ["script.mjs"]],
  ["deno", ["run", "--no-lock", "--node-modules-dir=manual", "--allow-env", "script.mjs"]],
] as const)("as it is published it rotates on %s", async (tool, args) => {
  await writeFile(join(folder, "package.json"), '{"type": "module"}');
  await writeFile(join(folder, "script.mjs"), SCRIPT);
  const { stdout, stderr } = await runTool(tool, [...args], { cwd: folder });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe("200 Bearer sk-1,Bearer sk-2");
});

test("its types check, with the libraries' own checked too", async () => {
  await writeFile(
    join(folder, "typed.ts"),
    `import { createKeyhub, type KeyhubEvent, NoKeyError, type Lease } from "@keyhub/client";
const events: KeyhubEvent[] = [];
const keyhub = createKeyhub({ url: "u", token: async () => "t", reuse: { for: "2s", uses: 50 }, onEvent: (event) => void events.push(event) });
const f: typeof fetch = keyhub.fetch("openai", { hosts: ["https://proxy.example"] });
const n: number = await keyhub.withKey("gemini", async (key: string, lease: Lease) => { lease.report("success"); return key.length; });
const wait: number | null = new NoKeyError("m", { code: "c", retryAfter: 1 }).retryAfter;
// @ts-expect-error maxAttempts is a number
createKeyhub({ maxAttempts: "3" });
export { f, n, wait };
`,
  );
  const options = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable", "esnext.disposable"],
    types: [],
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["typed.ts"] }),
  );
  const { code, stdout } = await runTool("tsc", ["-p", folder], { cwd: folder });
  expect(stdout).toBe("");
  expect(code).toBe(0);
});
