import { setTimeout as sleep } from "node:timers/promises";
import { startAgents } from "../agents.ts";
import { audit } from "../audit.ts";
import { killUnderLoad, type Victim } from "../faults.ts";
import { startFixture } from "../fixture.ts";
import { progress } from "./settings.ts";

const ROUNDS = 10;
const victims: Victim[] = ["postgres", "get-active-key", "set-key-state", "a connection"];

/** The least time of a round. The stack ends at the tenth death (or failed restart) of Postgres within a minute. */
const LEAST_ROUND_MS = 13_000;

/** Kills Postgres, each function and a single connection with kill -9, ten times each, under load. */
export async function soakKills(): Promise<string[]> {
  const fixture = await startFixture(64);
  try {
    const agents = startAgents(fixture, 16);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const pause = sleep(LEAST_ROUND_MS);
      for (const victim of victims) await killUnderLoad(fixture, agents, victim);
      progress(`kills: round ${round} of ${ROUNDS}, ${agents.seen.reports.length} reports answered`);
      if (round < ROUNDS) await pause;
    }
    await agents.stop();
    const { leases, reports, refusals, faults, longest } = agents.seen;
    console.log(
      `${leases.length} leases and ${reports.length} reports answered; refused: ${JSON.stringify(refusals)}; ` +
        `longest call ${(longest / 1_000).toFixed(1)} s`,
    );
    return [...faults, ...(await audit(fixture, agents.seen))];
  } finally {
    await fixture.stop();
  }
}
