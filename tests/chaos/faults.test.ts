import { afterAll, beforeAll, expect, test } from "vitest";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { until } from "../support/until.ts";
import { startAgents } from "./agents.ts";
import { audit } from "./audit.ts";
import { freeze, killUnderLoad, type Victim } from "./faults.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const [AGENTS, REPORTS] = LONG_TESTS ? [16, 30] : [8, 15];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture(16, copyDataFolder);
});
afterAll(() => fixture?.stop());

/** The time after which a call fails the test because it hangs. The functions themselves stop waiting after 8 s. */
const HANG_MS = 100_000;

async function call(name: string, token: string) {
  const response = await fetch(`${fixture.url}/functions/v1/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    // The id belongs to no lease: if the database runs this call after the freeze, the call must not report a lease of an agent.
    body: JSON.stringify(
      name === "set-key-state" ? { lease_id: crypto.randomUUID(), status: "success" } : {},
    ),
    signal: AbortSignal.timeout(HANG_MS),
  });
  const body = (await response.json()) as { code?: string };
  return { name, response, code: body.code };
}

test("a database that hangs: both functions answer 503 within their own timeout, and work when it goes on", async () => {
  const agents = startAgents(fixture, 4);
  await until(() => agents.seen.reports.length > 20);
  const thaw = freeze(fixture.pids().postgres ?? 0);
  try {
    const tokens = [fixture.token, fixture.userToken];
    const calls = tokens.flatMap((token) => [call("get-active-key", token), call("set-key-state", token)]);
    for (const { name, response, code } of await Promise.all(calls)) {
      expect({ name, status: response.status, code }).toEqual({ name, status: 503, code: "unavailable" });
      expect(response.headers.get("content-type")).toBe(PROBLEM_TYPE);
      expect(response.headers.get("retry-after")).toBe("1");
    }
    // The agents' calls do not hang either: all of them end while the database is frozen.
    await agents.answered();
  } finally {
    thaw();
  }
  const { length } = agents.seen.reports;
  await until(() => agents.seen.reports.length > length + 20 || agents.seen.faults.length > 0);
  await agents.stop();
  await until(async () => (await call("get-active-key", fixture.userToken)).code === "no_active_key");
  expect(agents.seen.faults).toEqual([]);
  expect(await audit(fixture, agents.seen)).toEqual([]);
});

/** Each victim once; in the long form also the database again, after it was restarted. `npm run test:soak -- kills` has more rounds. */
const victims: Victim[] = ["postgres", "get-active-key", "set-key-state", "a connection"];
if (LONG_TESTS) victims.push("postgres");

test("kill -9 under load: what was answered is kept, callers get a 503 problem and succeed on retry", async () => {
  const agents = startAgents(fixture, AGENTS);
  try {
    for (const victim of victims) await killUnderLoad(fixture, agents, victim, REPORTS);
  } finally {
    await agents.stop();
  }
  const { seen } = agents;
  expect(seen.faults).toEqual([]);
  expect(await audit(fixture, seen)).toEqual([]);
  // There was load, and the kills were noticed.
  expect(seen.reports.length).toBeGreaterThanOrEqual(victims.length * 2 * REPORTS);
  expect(seen.refusals.unavailable).toBeGreaterThan(0);
});
