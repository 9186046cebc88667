import { afterAll, beforeAll, expect, test } from "vitest";
import { copyDataFolder } from "../support/data-folder.ts";
import { startAgents } from "./agents.ts";
import { audit } from "./audit.ts";
import { killUnderLoad, type Victim } from "./faults.ts";
import { type Stage, startStage } from "./fixture.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage(16, copyDataFolder);
});
afterAll(() => stage?.stop());

const victims: Victim[] = [
  "postgres",
  "get-active-key",
  "set-key-state",
  "a connection",
  "postgres",
  "set-key-state",
  "get-active-key",
  "postgres",
];

test("kill -9 under load: what was answered is kept, callers get a 503 problem and succeed on retry", async () => {
  const agents = startAgents(stage, 16);
  try {
    for (const victim of victims) await killUnderLoad(stage, agents, victim);
  } finally {
    await agents.stop();
  }
  const { seen } = agents;
  expect(seen.faults).toEqual([]);
  expect(await audit(stage, seen)).toEqual([]);
  // It was under load, and it was felt.
  expect(seen.reports.length).toBeGreaterThan(victims.length * 100);
  expect(seen.refusals.unavailable).toBeGreaterThan(0);
});
