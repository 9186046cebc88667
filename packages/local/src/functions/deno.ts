import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { oneLine, StartFailure } from "../failure.ts";
import { type Child, plainEnvironment, spawnChild, within } from "../processes/children.ts";

export interface DenoOptions {
  /** The function's folder, with `index.ts` and `deno.json`. */
  folder: string;
  env: Record<string, string>;
  onLine: (line: string) => void;
  onPid?: (pid: number) => void;
  /** The process, before it answers: whoever stops everything must be able to end it then, too. */
  onChild: (child: Child) => void;
}

/** For what hangs: on a busy machine a start takes seconds. */
const startTimeout = 60_000;

/**
 * Serves one edge function on a free loopback port and resolves to that port when it answers. The function may read its
 * environment and reach loopback, and nothing else: no files, no processes, no other host.
 */
export async function serveFunction(options: DenoOptions): Promise<number> {
  const config = join(options.folder, "deno.json");
  const flags = [
    // Named, because Deno does not look for it beside the module when it starts elsewhere.
    ...(existsSync(config) ? ["--config", config] : ["--no-config"]),
    "--no-lock",
    "--cached-only",
    "--node-modules-dir=manual",
    "--no-prompt",
    "--allow-env",
    "--allow-net=127.0.0.1",
    "--host=127.0.0.1",
    "--port=0",
  ];
  let tellPort = (_port: number) => {};
  const listening = new Promise<number>((resolve) => {
    tellPort = resolve;
  });
  const said: string[] = [];
  let started = false;
  const child = await spawnChild(denoBinary(), ["serve", ...flags, join(options.folder, "index.ts")], {
    cwd: options.folder,
    env: { ...plainEnvironment(), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...options.env },
    onPid: options.onPid,
    onLine: (line) => {
      const address = started ? null : /^deno serve: Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
      if (address) {
        started = true;
        tellPort(Number(address[1]));
      } else if (started) options.onLine(line);
      else if (said.length < 50) said.push(line);
    },
  });
  options.onChild(child);
  const outcome = await within(Promise.race([listening, child.exited]), startTimeout);
  if (outcome === undefined) {
    child.signal("SIGKILL");
    throw new Error(`it does not listen within ${startTimeout / 1000} s`);
  }
  if (typeof outcome === "number") {
    for (const line of said) options.onLine(line);
    return outcome;
  }
  throw new Error(oneLine(causeOf(said) ?? `Deno ended with ${outcome.signal ?? `code ${outcome.code}`}`));
}

/** The line that names the error, with the place in the code that one of the next lines gives. */
function causeOf(lines: string[]): string | undefined {
  const at = lines.findIndex((line) => /error/i.test(line));
  if (at === -1) return lines[0];
  const place = lines.slice(at + 1).find((line) => /^\s+at /.test(line));
  return [lines[at], ...(place === undefined ? [] : [place])].join(" ");
}

function denoBinary(): string {
  const resolve = createRequire(import.meta.url).resolve;
  try {
    const binary = join(
      dirname(resolve("deno/package.json")),
      process.platform === "win32" ? "deno.exe" : "deno",
    );
    if (existsSync(binary)) return binary;
  } catch {
    // Said below, for both cases.
  }
  throw new StartFailure(
    "Deno, the functions' runtime, is not installed; run npm ci (install scripts allowed).",
  );
}
