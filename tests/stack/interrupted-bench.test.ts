import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandLine, processesWith } from "../../packages/local/src/processes/identity.ts";
import { compileCache, repository } from "../support/cli.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { until } from "../support/until.ts";
import { isRunning, scratchFolder } from "./scratch.ts";

let scratch: ReturnType<typeof scratchFolder>;
let left: number[] = [];
beforeEach(() => {
  scratch = scratchFolder();
});
afterEach(() => {
  for (const pid of left.filter(isRunning)) process.kill(pid, "SIGKILL");
  scratch.remove();
});

test.runIf(LONG_TESTS).each(["SIGTERM", "SIGINT"] as const)(
  "a bench that %s ends leaves no process and no file",
  async (signal) => {
    const bench = spawn(process.execPath, [join(repository, "tests", "bench", "run.ts"), "load"], {
      // Children inherit TEMP, so the test finds the processes of this bench by that variable.
      env: {
        ...compileCache,
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: scratch.path,
        TEMP: scratch.path,
      },
      stdio: "ignore",
    });
    const exit = new Promise((resolve) => bench.once("exit", (code) => resolve(code)));
    const started = () => processesWith("TEMP", scratch.path);
    await until(() => {
      const lines = started().map(commandLine);
      return ["postgres", "deno"].every((name) => lines.some((line) => line.includes(name)));
    });
    left = started();
    bench.kill(signal);
    expect(await exit).toBe({ SIGTERM: 143, SIGINT: 130 }[signal]);
    await until(() => started().length === 0);
    expect(readdirSync(scratch.path)).toEqual([]);
  },
);
