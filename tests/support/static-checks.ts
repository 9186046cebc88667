import { join } from "node:path";
import { repository, runTool, type Tool } from "./cli.ts";

/** A check with its name. `run` returns undefined when it finds no fault, else the text to show. */
export interface Check {
  name: string;
  run: () => Promise<string | undefined>;
}

const tscState = join(repository, "node_modules", ".cache", "keyhub", "tsc");

/** Without these variables, redocly would send telemetry and look for newer versions. */
const QUIET = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** tsc is a Go program. With this setting it collects garbage less often: 18 instead of 22 s of CPU, for 0.2 GB more memory. */
const COLLECT_SELDOM = { ...process.env, GOGC: "400" };

/** Types, formatter and linters. */
export const codeChecks: Check[] = [
  toolCheck("tsc", "tsc", ["--noEmit", "--incremental", "--tsBuildInfoFile", tscState], COLLECT_SELDOM),
  toolCheck("biome check", "biome", ["check", "."]),
  toolCheck("redocly lint", "redocly", ["lint", "docs/openapi.json", "--extends=recommended-strict"], QUIET),
];

export function toolCheck(name: string, tool: Tool, args: string[], env = process.env): Check {
  return {
    name,
    run: async () => {
      const { code, stdout, stderr } = await runTool(tool, args, { env });
      return code === 0 ? undefined : `${stdout}${stderr}`;
    },
  };
}

/** Runs the checks two at a time and prints a line for each, with its faults. Resolves to the number of failed checks. */
export async function runChecks(
  checks: readonly Check[],
  print: (line: string) => void = console.log,
): Promise<number> {
  const waiting = [...checks];
  let failed = 0;
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const started = performance.now();
      const fault = await check.run().catch(String);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      print(`${fault === undefined ? "✓" : "✗"} ${check.name} (${seconds} s)`);
      if (fault === undefined) continue;
      failed += 1;
      print(fault);
    }
  };
  await Promise.all([work(), work()]);
  return failed;
}
