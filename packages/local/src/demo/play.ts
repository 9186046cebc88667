import { setTimeout as sleep } from "node:timers/promises";
import { runByFetch, runByGateway } from "./agents.ts";
import { settle } from "./audit.ts";
import { lieFor } from "./liar.ts";
import type { DemoRun } from "./run.ts";
import { totals } from "./summary.ts";
import { createPaint, type DemoKeyState, drawTable, newsOf, readStates } from "./table.ts";

/** The planned events of a run, besides rate limits. `at` is the share of the run's time after which an event begins. */
const EVENTS: [at: number, text: string, happen: (run: DemoRun) => void | Promise<void>][] = [
  [0.3, "the provider revokes cedar", ({ provider }) => provider.revoke("cedar")],
  [
    0.45,
    "an agent lies: it says that its keys are limited for ten minutes",
    (run) => lieFor(LYING * run.settings.seconds, run),
  ],
  [0.7, "the provider of birch has faults for a moment", ({ provider }) => provider.spoil("birch", 1_500)],
];
/** The share of the run in which one agent sends false reports. */
const LYING = 0.1;

/** Runs the agents for the whole time, half of them with the client and half through the gateway. Resolves after the last report. */
export async function play(run: DemoRun): Promise<void> {
  const agents = run.pool.tokens.map((token, i) => (i % 2 === 0 ? runByFetch : runByGateway)(run, token));
  const beside = [playEvents(run), watch(run)];
  try {
    await Promise.all(agents);
  } finally {
    // When one agent gives up, the others finish their current call and end.
    run.end.abort();
    await Promise.allSettled([...agents, ...beside]);
  }
  await settle(run);
  await drawFrame(run, []);
}

async function playEvents(run: DemoRun): Promise<void> {
  const { settings, record, end } = run;
  const reached = (at: number) => {
    const ms = Math.max(0, 1000 * (at * settings.seconds - record.seconds()));
    return sleep(ms, true, { signal: end.signal }).catch(() => false);
  };
  for (const [at, text, happen] of EVENTS) {
    if (!(await reached(at))) return;
    record.note(text);
    await happen(run);
  }
  if (await reached(1)) end.abort();
}

async function watch(run: DemoRun): Promise<void> {
  let known: DemoKeyState[] = [];
  while (!run.end.signal.aborted) {
    known = await drawFrame(run, known).catch(() => known);
    await sleep(run.screen.interval, undefined, { signal: run.end.signal }).catch(() => {});
  }
}

/** Draws the pool, with the changes since `known`. */
async function drawFrame(
  { settings, sql, pool, screen, record }: DemoRun,
  known: DemoKeyState[],
): Promise<DemoKeyState[]> {
  const states = await readStates(sql, pool.userId);
  for (const text of newsOf(known, states)) record.note(text);
  const paint = createPaint(screen.coloured);
  const time = `${Math.min(record.seconds(), settings.seconds).toFixed(1)} of ${settings.seconds} s`;
  const heading = `${paint("bold", "Keyhub demo")} · ${settings.agents} agents · ${time}`;
  const news = record.news.map((line) => paint("dim", line));
  screen.draw([heading, "", ...drawTable(states, paint), "", totals(record), "", ...news]);
  return states;
}
