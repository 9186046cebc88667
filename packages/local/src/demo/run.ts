import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { runAgent } from "./agent.ts";
import { InvariantChecker } from "./invariant-checker.ts";
import type { Pool } from "./pool.ts";
import { RunRecord } from "./record.ts";
import type { Screen } from "./screen.ts";
import type { DemoSettings } from "./settings.ts";
import { totals } from "./summary.ts";
import { createPaint, drawTable, readStates } from "./table.ts";
import type { Upstream } from "./upstream.ts";

export interface RunOptions {
  settings: DemoSettings;
  sql: postgres.Sql;
  pool: Pool;
  upstream: Upstream;
  screen: Screen;
  /** Ends the run before its time. */
  stop: AbortSignal;
}

/** Runs the agents for their time and shows the table; resolves after the last report. */
export async function runAgents(options: RunOptions): Promise<RunRecord> {
  const { settings, pool, upstream, stop } = options;
  const record = new RunRecord();
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, stop]);
  const shared = {
    url: settings.url,
    upstreamUrl: upstream.url,
    keys: pool.keys,
    record,
    checker: new InvariantChecker((id) =>
      upstream.isRevoked(pool.keys.find((key) => key.id === id)?.name ?? ""),
    ),
    cooling: new Set<string>(),
    signal,
  };
  // Half of them by the client, half through the gateway.
  const agents = pool.tokens.map((token, i) =>
    runAgent(i % 2 === 0 ? "fetch" : "gateway", { ...shared, token }),
  );
  const story = runScenario(settings.seconds * 1000, upstream, record, signal).then(() => ended.abort());
  const watched = watch(options, record, ended.signal);
  try {
    await Promise.all(agents);
  } finally {
    // When one agent gives up, the others finish their current call and end.
    ended.abort();
    await Promise.allSettled([...agents, story, watched]);
  }
  return record;
}

/** Events at the provider, besides its rate limits: one key is revoked, another fails for a moment. */
async function runScenario(
  ms: number,
  upstream: Upstream,
  record: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  const wait = (part: number) => sleep(ms * part, true, { signal }).catch(() => false);
  if (!(await wait(0.35))) return;
  upstream.revoke("cedar");
  record.note("the provider revokes cedar");
  if (!(await wait(0.3))) return;
  upstream.spoil("amber", 1_500);
  record.note("the provider of amber has faults for a moment");
  await wait(0.35);
}

async function watch(options: RunOptions, record: RunRecord, ended: AbortSignal): Promise<void> {
  const { screen } = options;
  while (!ended.aborted) {
    await drawFrame(options, record).catch(() => {});
    await sleep(screen.interval, undefined, { signal: ended }).catch(() => {});
  }
}

/** Draws the current state of the pool. */
export async function drawFrame(options: RunOptions, record: RunRecord): Promise<void> {
  const { settings, sql, pool, screen } = options;
  const states = await readStates(sql, pool.userId);
  const paint = createPaint(screen.coloured);
  const time = `${Math.min(record.seconds(), settings.seconds).toFixed(1)} of ${settings.seconds} s`;
  screen.draw([
    `${paint("bold", "Keyhub demo")} · ${settings.agents} agents · ${time}`,
    "",
    ...drawTable(states, paint),
    "",
    totals(record),
    "",
    ...record.news.map((line) => paint("dim", line)),
  ]);
}
