// cli/: the commands of package.json that belong to the stack. Each is in a file of its own name, except npm start, which is in start.ts
// and main.ts.

import { oneLine, StartFailure } from "../failure.ts";
import { endChildrenQuickly } from "../processes/children.ts";
import { readSettings } from "../settings/settings.ts";
import { type Stack, startStack } from "../stack.ts";
import { banner } from "./banner.ts";
import { onSignals } from "./signals.ts";

const options = {
  /** Deletes the data of earlier starts. */
  fresh: "--fresh",
  /** Adds a new seal pair. It seals keys from now on. */
  newSealPair: "--new-seal-pair",
  /** Builds the pages again when a source of the pages changes. */
  watch: "--watch",
};
const known: string[] = Object.values(options);

/** `npm start`: starts the stack, runs until a signal stops it, and sets the exit code. */
export async function main(args: string[]): Promise<void> {
  // On SIGHUP the terminal is gone and writing fails. Ignore that: the children must still be stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  // An unexpected argument is never printed: it may be a key in the wrong place.
  if (!args.every((arg) => known.includes(arg))) {
    const usage = known.map((option) => `[${option}]`).join(" ");
    throw new StartFailure(`the arguments are not valid; usage: npm start -- ${usage}`);
  }
  const settings = readSettings();

  const aborter = new AbortController();
  let stack: Stack | undefined;
  let stopping = false;
  const starting = startStack({
    ...settings,
    fresh: args.includes(options.fresh),
    newSealPair: args.includes(options.newSealPair),
    watchPages: args.includes(options.watch),
    signal: aborter.signal,
    onLog: say,
    onFatal: (message) => {
      printError(message);
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
      printError(oneLine(error));
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
  // A bug of ours or of a library must not leave children running.
  process.on("uncaughtException", (error) => {
    printError(`internal error: ${oneLine(error)}`);
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

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line: string): void {
  process.stderr.write(`Keyhub: ${line}\n`);
}
