// demo/: npm run demo: agents that share keys of a simulated provider, and a check of every count at the end.

import postgres from "postgres";
import { CommandFailure, runCommand } from "../cli/command.ts";
import { onSignals } from "../cli/signals.ts";
import { audit, settle } from "./audit.ts";
import { makePool } from "./pool.ts";
import { drawFrame, type RunOptions, runAgents } from "./run.ts";
import { openScreen, type Screen } from "./screen.ts";
import { type DemoSettings, readDemoSettings } from "./settings.ts";
import { isClean, summarize } from "./summary.ts";
import { startUpstream } from "./upstream.ts";

/** How long the provider works on a call, in milliseconds. One in fifty calls fails, and one in fifty gets an error page of a proxy. */
const provider = { faultRate: 0.02, proxyRate: 0.02, workMs: [120, 300] as [number, number] };

/**
 * `npm run demo`: a simulated provider with rate limits, agents that use its keys through the running stack, and a live table of
 * the keys. Exits with 1 when a key was leased wrongly or the records disagree.
 */
async function demo(): Promise<void> {
  const settings = await readDemoSettings();
  const stop = new AbortController();
  onSignals(
    () => stop.abort(),
    () => process.exit(130),
  );
  await requireStack(settings.url);
  const sql = postgres(settings.databaseUrl, { max: 2, onnotice: () => {}, connect_timeout: 30 });
  try {
    await play(settings, sql, stop.signal);
  } catch (error) {
    throw readable(error);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

async function play(settings: DemoSettings, sql: postgres.Sql, stop: AbortSignal): Promise<void> {
  const pool = await makePool(settings, sql);
  const port = settings.providerPort;
  const upstream = await startUpstream({ keys: pool.keys, port, ...provider }).catch(async (error) => {
    await pool.remove();
    throw error.code === "EADDRINUSE" ? new CommandFailure(`port ${port} of the provider is in use`) : error;
  });
  let screen: Screen | undefined;
  try {
    screen = openScreen(process.stdout);
    const options: RunOptions = { settings, sql, pool, upstream, screen, stop };
    const record = await runAgents(options);
    await settle(sql, pool);
    await drawFrame(options, record);
    screen.close();
    const result = await audit(sql, pool, record, upstream.counts);
    const provided = pool.keys.map(({ name }) => upstream.counts(name));
    const clean = isClean(record, result);
    const verdict = clean ? "As it should be." : "This is not as it should be.";
    process.stdout.write(`\n${[...summarize(record, result, provided), verdict].join("\n")}\n`);
    process.exitCode = clean ? (stop.aborted ? 130 : 0) : 1;
  } finally {
    screen?.close();
    await upstream.stop();
    await pool.remove().catch(() => {
      process.stderr.write("Keyhub: the demo's user could not be removed; a later demo will do it\n");
      process.exitCode = 1;
    });
  }
}

async function requireStack(url: string): Promise<void> {
  const asked = { method: "POST", signal: AbortSignal.timeout(30_000) };
  const answer = await fetch(`${url}/functions/v1/get-active-key`, asked).catch(() => null);
  const { code } = ((await answer?.json().catch(() => null)) ?? {}) as { code?: string };
  // Only Keyhub refuses a request without a credential in this way.
  if (answer?.status === 401 && code === "missing_credential") return;
  throw new CommandFailure(
    `no Keyhub answers at ${url}; start the stack in another terminal first (npm start)`,
  );
}

/** An error of the database as one line. Without its message, which may hold values. */
function readable(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (error instanceof CommandFailure || typeof code !== "string") return error;
  return new CommandFailure(`the stack's database does not answer as it should: ${code}`);
}

await runCommand(demo);
