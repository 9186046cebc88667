// cli/: every command of package.json: npm start (start.ts), logs, keygen, seal, reseal, db:diff, db:apply.

import { oneLine, StartFailure } from "../failure.ts";
import { endChildrenQuickly } from "../processes/children.ts";
import { readSettings } from "../settings/settings.ts";
import { type Stack, startStack } from "../stack.ts";
import { banner } from "./banner.ts";

const options = {
  /** Begins anew. */
  fresh: "--fresh",
  /** Changes the pair that keys are sealed to. */
  newSealPair: "--new-seal-pair",
};
const known: string[] = Object.values(options);

/** `npm start`: starts the stack, stays until told to stop, and sets the exit code. */
export async function main(args: string[]): Promise<void> {
  // The terminal may be gone when we are told to stop (SIGHUP); that is no reason to leave children behind.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  // What is not expected is never repeated: it may be a key in the wrong place.
  if (!args.every((arg) => known.includes(arg))) {
    const usage = known.map((option) => `[${option}]`).join(" ");
    throw new StartFailure(`the arguments are not what is expected; usage: npm start -- ${usage}`);
  }
  const settings = readSettings();

  const aborter = new AbortController();
  let stack: Stack | undefined;
  let stopping = false;
  const starting = startStack({
    ...settings,
    fresh: args.includes(options.fresh),
    newSealPair: args.includes(options.newSealPair),
    signal: aborter.signal,
    onLog: say,
    onFatal: (message) => {
      complain(message);
      process.exit(1);
    },
  });

  async function shutDown(): Promise<void> {
    stopping = true;
    aborter.abort();
    try {
      await stack?.stop();
      if (!stack) await starting.then((late) => late.stop()).catch(() => {});
      process.exit(0);
    } catch (error) {
      complain(oneLine(error));
      process.exit(1);
    }
  }

  onSignals(
    () => {
      say("Stopping …");
      void shutDown();
    },
    () => void endChildrenQuickly().finally(() => process.exit(130)),
  );
  // A fault of ours or of a library must not leave the children alone.
  process.on("uncaughtException", (error) => {
    complain(`internal fault: ${oneLine(error)}`);
    if (stopping) return;
    stopping = true;
    void (stack?.stop() ?? Promise.resolve()).finally(() => process.exit(1));
  });

  try {
    stack = await starting;
  } catch (error) {
    if (stopping) return;
    throw error;
  }
  if (!stopping) say(banner(stack, settings, performance.now() / 1000));
}

/**
 * The first signal asks, a later one forces. npm passes on a Ctrl-C that the terminal has sent us already, so what
 * comes within a second of the first is the same wish.
 */
function onSignals(ask: () => void, force: () => void): void {
  let askedAt: number | undefined;
  const handle = () => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      ask();
    } else if (performance.now() - askedAt > 1_000) force();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handle);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(line: string): void {
  process.stderr.write(`Keyhub: ${line}\n`);
}
