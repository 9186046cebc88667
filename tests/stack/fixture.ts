import { afterEach, beforeEach, expect } from "vitest";
import { copyDataFolder } from "../support/data-folder.ts";
import { isRunning, type Place, place, type Run, readEnv, scratchFolder, start } from "./scratch.ts";

/** A test file that imports this module gets a folder and free ports for each test. After a test, all that it started there is stopped. */
export let folder: ReturnType<typeof scratchFolder>;
export let here: Place;
let runs: Run[] = [];

beforeEach(async () => {
  folder = scratchFolder();
  here = await place(folder.path);
  runs = [];
});

afterEach(async () => {
  for (const run of runs) if (isRunning(run.pid)) run.signal("SIGTERM");
  await Promise.all(runs.map((run) => run.exit));
  folder.remove();
});

export function begin(args: string[] = [], where = here): Run {
  const run = start(where, args);
  runs.push(run);
  return run;
}

/** Starts a stack whose data folder is already filled, as after the first start. */
export async function beginPrepared(where = here): Promise<Run> {
  await copyDataFolder(where.dataDir);
  return begin([], where);
}

/** Leases a key as the demo agent. */
export async function lease(provider?: string): Promise<Response> {
  const env = readEnv(here);
  return fetch(`${env.SUPABASE_URL}/functions/v1/get-active-key`, {
    method: "POST",
    headers: { authorization: `Bearer ${env.KEYHUB_AGENT_TOKEN}`, "content-type": "application/json" },
    ...(provider ? { body: JSON.stringify({ provider }) } : {}),
  });
}

/** Checks that a run ended with one line on stderr and exit code 1, and left nothing running or listening. */
export async function expectOneLine(run: Run, words: RegExp): Promise<void> {
  expect(await run.exit).toBe(1);
  const lines = run.err().trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(words);
  expect(lines[0]).toMatch(/^Keyhub: /);
}
