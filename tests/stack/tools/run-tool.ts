import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compileCache, repository } from "../../support/cli.ts";

export interface ToolRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ToolOptions {
  args?: string[];
  env?: Record<string, string>;
  input?: string | Buffer;
}

export function toolPath(tool: string): string {
  return fileURLToPath(new URL(`../../../packages/local/src/cli/${tool}.ts`, import.meta.url));
}

/** Returns the environment of a tool: only the given settings, wherever the tests themselves run. */
export function toolEnvironment(env: Record<string, string> = {}): Record<string, string> {
  return { ...compileCache, PATH: process.env.PATH ?? "", KEYHUB_ENV_FILE: "/dev/null", ...env };
}

/** Runs a tool like `npm run`, in a process of its own. */
export function runTool(tool: string, options: ToolOptions = {}): Promise<ToolRun> {
  return runScript(toolPath(tool), options);
}

/** The command `keyhub` bundled with its libraries. The bundle starts in half the time of the sources, and the tests start it often. */
const bundles = await mkdtemp(join(tmpdir(), "keyhub-bundle-"));
process.once("exit", () => rmSync(bundles, { recursive: true, force: true }));
export const keyhubPath = join(bundles, "keyhub.mjs");
await build({
  entryPoints: { keyhub: join(repository, "packages", "cli", "src", "main.ts") },
  outdir: bundles,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // Some libraries of the command are CommonJS, so they call `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});

/** Runs the command `keyhub`. */
export function runKeyhub(options: ToolOptions = {}): Promise<ToolRun> {
  return runScript(keyhubPath, options);
}

function runScript(path: string, options: ToolOptions): Promise<ToolRun> {
  const child = spawn(process.execPath, [path, ...(options.args ?? [])], {
    env: toolEnvironment(options.env),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  // A tool that refuses before it reads its input closes the pipe, and writing to it then fails.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Returns the settings that a tool printed, parsed as an env file. */
export function settingsOf(stdout: string): Record<string, string> {
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
}
