import { afterAll, beforeAll, expect, test } from "vitest";
import { copyDataFolder } from "../support/data-folder.ts";
import { until } from "../support/until.ts";
import { startAgents } from "./agents.ts";
import { audit } from "./audit.ts";
import { freeze } from "./faults.ts";
import { type Stage, startStage } from "./fixture.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage(4, copyDataFolder);
});
afterAll(() => stage?.stop());

/** A call that takes so long hangs for ever: the functions give up after 8 s. */
const HANG_MS = 100_000;

async function call(name: string, token: string) {
  const response = await fetch(`${stage.url}/functions/v1/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    // A lease that nobody has: the call may be carried out once the database goes on, and must not report an agent's.
    body: JSON.stringify(
      name === "set-key-state" ? { lease_id: crypto.randomUUID(), status: "success" } : {},
    ),
    signal: AbortSignal.timeout(HANG_MS),
  });
  const body = (await response.json()) as { code?: string };
  return { name, response, code: body.code };
}

test("a database that hangs: both functions answer 503 within their own timeout, and work when it goes on", async () => {
  const agents = startAgents(stage, 4);
  await until(() => agents.seen.reports.length > 50);
  const thaw = freeze(stage.pids().postgres ?? 0);
  try {
    const tokens = [stage.token, stage.token, stage.userToken, stage.userToken];
    const calls = tokens.flatMap((token) => [call("get-active-key", token), call("set-key-state", token)]);
    for (const { name, response, code } of await Promise.all(calls)) {
      expect({ name, status: response.status, code }).toEqual({ name, status: 503, code: "unavailable" });
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      expect(response.headers.get("retry-after")).toBe("1");
    }
    // The agents' calls that met it as well: all of them ended while the database stood.
    await agents.answered();
  } finally {
    thaw();
  }
  const { length } = agents.seen.reports;
  await until(() => agents.seen.reports.length > length + 50 || agents.seen.faults.length > 0);
  await agents.stop();
  await until(async () => (await call("get-active-key", stage.userToken)).code === "no_active_key");
  expect(agents.seen.faults).toEqual([]);
  expect(await audit(stage, agents.seen)).toEqual([]);
});
