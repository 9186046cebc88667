// demo/: `npm run demo` runs agents that share keys of a simulated provider, and checks every count at the end.

import postgres from "postgres";
import { CommandFailure, runCommand } from "../cli/command.ts";
import { onSignals } from "../cli/signals.ts";
import { audit } from "./audit.ts";
import { play } from "./play.ts";
import { makePool } from "./pool.ts";
import { type DemoProvider, startProvider } from "./provider.ts";
import { DemoRecord } from "./record.ts";
import { openScreen } from "./screen.ts";
import { readDemoSettings } from "./settings.ts";
import { isClean, summarize } from "./summary.ts";

/**
 * The rates of failed calls and of error pages from a proxy (one in fifty calls each), and the shortest and longest time that the provider
 * works on a call, in milliseconds.
 */
const PROVIDER = { faultRate: 0.02, proxyRate: 0.02, workMs: [120, 300] as [number, number] };

/**
 * `npm run demo`: a simulated provider with rate limits, agents that use its keys through the running stack, and a live table of
 * the keys. Exits with 1 when a key was leased wrongly or the records disagree.
 */
async function demo(): Promise<void> {
  const settings = await readDemoSettings();
  const end = new AbortController();
  onSignals(
    () => end.abort("stopped"),
    () => process.exit(130),
  );
  const sql = postgres(settings.databaseUrl, { max: 2, onnotice: () => {}, connect_timeout: 30 });
  let provider: DemoProvider | undefined;
  try {
    const pool = await makePool(settings, sql);
    try {
      provider = await startProvider({ keys: pool.keys, port: settings.providerPort, ...PROVIDER });
      const [screen, record] = [openScreen(process.stdout), new DemoRecord()];
      const run = { settings, sql, pool, provider, screen, record, end };
      await play(run).finally(screen.close);
      const result = await audit(run);
      const clean = isClean(record, result);
      const verdict = clean ? "As it should be." : "This is not as it should be.";
      process.stdout.write(`\n${[...summarize(record, result), verdict].join("\n")}\n`);
      process.exitCode = clean ? (end.signal.reason === "stopped" ? 130 : 0) : 1;
    } finally {
      await provider?.stop();
      await pool.remove().catch(() => {
        process.stderr.write("Keyhub: the demo's user could not be removed; a later demo will do it\n");
        process.exitCode = 1;
      });
    }
  } catch (error) {
    throw readable(error);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** Returns an error of the database as one line, without its message, which may contain values. */
function readable(error: unknown): unknown {
  const { code, syscall } = Object(error) as { code?: unknown; syscall?: unknown };
  if (error instanceof CommandFailure || typeof code !== "string") return error;
  if (syscall === "listen") return new CommandFailure("the port of the demo's provider is in use");
  return new CommandFailure(`the stack's database does not answer as it should: ${code}`);
}

await runCommand(demo);
