import { afterAll, beforeAll, expect, test } from "vitest";
import { copyDataFolder } from "../support/data-folder.ts";
import { startAgents } from "./agents.ts";
import { audit } from "./audit.ts";
import { killUnderLoad, type Victim } from "./faults.ts";
import { type Fixture, startFixture } from "./fixture.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture(16, copyDataFolder);
});
afterAll(() => fixture?.stop());

/** Each victim once, and at the end the database again, just after its restart. `npm run test:soak -- kills` has more rounds. */
const victims: Victim[] = ["postgres", "get-active-key", "set-key-state", "a connection", "postgres"];

test("kill -9 under load: what was answered is kept, callers get a 503 problem and succeed on retry", async () => {
  const agents = startAgents(fixture, 16);
  try {
    for (const victim of victims) await killUnderLoad(fixture, agents, victim);
  } finally {
    await agents.stop();
  }
  const { seen } = agents;
  expect(seen.faults).toEqual([]);
  expect(await audit(fixture, seen)).toEqual([]);
  // There was load, and the kills were noticed.
  expect(seen.reports.length).toBeGreaterThan(victims.length * 50);
  expect(seen.refusals.unavailable).toBeGreaterThan(0);
});
