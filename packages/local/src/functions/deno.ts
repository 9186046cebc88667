import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { oneLine, StartFailure } from "../failure.ts";
import { type Child, plainEnvironment, spawnChild, within } from "../processes/children.ts";

export interface DenoOptions {
  /** The path of the Deno binary, from findDeno. */
  deno: string;
  /** The function's folder, with `index.ts` and `deno.json`. */
  folder: string;
  env: Record<string, string>;
  /** The hosts that the function may reach besides loopback. */
  hosts: string[];
  onLine: (line: string) => void;
  /** When this signal aborts, the process is ended. */
  signal: AbortSignal;
}

/** The time in milliseconds after which a start is given up. It is generous, because a start takes seconds on a busy machine. */
const startTimeout = 60_000;

/**
 * Serves one edge function on a free loopback port. Resolves when the function listens. The function may read its environment and reach
 * loopback and `hosts`, and nothing else: no files, no processes, no other host.
 */
export async function serveFunction(options: DenoOptions): Promise<{ child: Child; port: number }> {
  const config = join(options.folder, "deno.json");
  const flags = [
    // The configuration is given explicitly, because Deno looks for deno.json in the working directory, not beside the module.
    ...(existsSync(config) ? ["--config", config] : ["--no-config"]),
    "--no-lock",
    "--cached-only",
    "--node-modules-dir=manual",
    "--no-prompt",
    // With this flag, a request's signal fires only when the caller has gone; without the flag, Deno logs a message about this behaviour.
    "--unstable-no-legacy-abort",
    "--allow-env",
    `--allow-net=${["127.0.0.1", ...options.hosts].join(",")}`,
    "--host=127.0.0.1",
    "--port=0",
  ];
  let resolvePort = (_port: number) => {};
  const listening = new Promise<number>((resolve) => {
    resolvePort = resolve;
  });
  const firstLines: string[] = [];
  let started = false;
  const child = await spawnChild(options.deno, ["serve", ...flags, join(options.folder, "index.ts")], {
    cwd: options.folder,
    env: { ...plainEnvironment(), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
    onLine: (line) => {
      const address = started ? null : /^deno serve: Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
      if (address) {
        started = true;
        resolvePort(Number(address[1]));
      } else if (started) options.onLine(line);
      else if (firstLines.length < 50) firstLines.push(line);
    },
  });
  const end = () => child.signal("SIGTERM");
  if (options.signal.aborted) end();
  options.signal.addEventListener("abort", end);
  const outcome = await within(Promise.race([listening, child.exited]), startTimeout);
  if (outcome === undefined) {
    child.signal("SIGKILL");
    throw new Error(`it did not start to listen within ${startTimeout / 1000} s`);
  }
  if (typeof outcome === "number") {
    for (const line of firstLines) options.onLine(line);
    return { child, port: outcome };
  }
  throw new Error(
    oneLine(causeOf(firstLines) ?? `Deno ended with ${outcome.signal ?? `code ${outcome.code}`}`),
  );
}

/** Returns the first line that mentions an error, and the place in the code from one of the next lines. */
function causeOf(lines: string[]): string | undefined {
  const at = lines.findIndex((line) => /error/i.test(line));
  if (at === -1) return lines[0];
  const place = lines.slice(at + 1).find((line) => /^\s+at /.test(line));
  return [lines[at], ...(place === undefined ? [] : [place])].join(" ");
}

/** Returns the path of the Deno binary of the package `deno`. */
export function findDeno(): string {
  const resolve = createRequire(import.meta.url).resolve;
  try {
    const binary = join(
      dirname(resolve("deno/package.json")),
      process.platform === "win32" ? "deno.exe" : "deno",
    );
    if (existsSync(binary)) return binary;
  } catch {
    // Ignore this error: a package that cannot be resolved gets the same error below as a missing binary.
  }
  throw new StartFailure(
    "Deno, the functions' runtime, is not installed; run npm ci (install scripts allowed).",
  );
}
