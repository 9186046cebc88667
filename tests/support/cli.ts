import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * The environment for every Node that the tests start. A process stores the code that it has compiled in a cache on disk, and later
 * processes read it there. This halves the time in which a tool starts.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: join(repository, "node_modules", ".cache", "keyhub", "compile"),
};

const require = createRequire(import.meta.url);

/** The tools of package-lock.json. They are started without npx or PATH, so that exactly the installed version runs. */
const tools = {
  node: () => [process.execPath],
  biome: () => [process.execPath, join(packageFolder("@biomejs/biome"), "bin", "biome")],
  tsc: () => [process.execPath, join(packageFolder("typescript"), "bin", "tsc")],
  redocly: () => [process.execPath, join(packageFolder("@redocly/cli"), "bin", "cli.js")],
  vitest: () => [process.execPath, join(packageFolder("vitest"), "vitest.mjs")],
  supabase: () => [process.execPath, join(packageFolder("supabase"), "dist", "supabase.js")],
  deno: () => [join(packageFolder("deno"), process.platform === "win32" ? "deno.exe" : "deno")],
} satisfies Record<string, () => string[]>;

export type Tool = keyof typeof tools;

export interface Finished {
  /** The exit code; null when a signal ended the tool. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  /** All environment variables of the tool; by default those of this process. */
  env?: NodeJS.ProcessEnv;
  /** The text that the tool reads from standard input. */
  input?: string;
  /** Whether to print the tool's output at once, besides returning it. */
  show?: boolean;
}

/** Returns the folder of an installed package, wherever npm hoisted it. */
export function packageFolder(name: string): string {
  // Look for the folder itself, because `require.resolve` of package.json fails for packages that do not export that file.
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name));
  const folder = folders.find((candidate) => existsSync(join(candidate, "package.json")));
  if (folder === undefined) throw new Error(`${name} is not installed`);
  return folder;
}

/** Returns the command line of a tool, for callers that start it in their own way. */
export function commandOf(tool: Tool): [command: string, ...args: string[]] {
  return tools[tool]() as [string, ...string[]];
}

/** Runs a tool to its end. Never rejects on a non-zero exit. */
export async function runTool(tool: Tool, args: string[], options: RunOptions = {}): Promise<Finished> {
  const [command, ...first] = commandOf(tool);
  const child = spawn(command, [...first, ...args], {
    cwd: options.cwd ?? repository,
    env: options.env ?? process.env,
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  if (options.show) {
    child.stdout.pipe(process.stdout, { end: false });
    child.stderr.pipe(process.stderr, { end: false });
  }
  child.stdin?.end(options.input ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout, stderr };
}

/**
 * Runs the Supabase CLI with its own environment and home folder, so that the user's login and settings do not influence a test,
 * and the home folder is removed at the end. Docker is not on its PATH.
 */
export async function supabase(args: string[], env: Record<string, string> = {}): Promise<Finished> {
  const home = await mkdtemp(join(tmpdir(), "keyhub-cli-"));
  try {
    return await runTool("supabase", [...args, "--yes", "--workdir", repository], {
      env: {
        PATH: dirname(process.execPath),
        HOME: home,
        USERPROFILE: home,
        DO_NOT_TRACK: "1",
        SUPABASE_NO_UPDATE_NOTIFIER: "1",
        NO_COLOR: "1",
        // The test cluster has no TLS; without this the CLI would print a note about it on standard output.
        PGSSLMODE: "disable",
        ...env,
      },
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
