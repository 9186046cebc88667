import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { CommandFailure, describe } from "@keyhub/cli/source";

export { CommandFailure };

/** Runs a command line tool; prints any error as one line on standard error. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  // A reader that closes the pipe early (`| head -1`) ends the command without an error message.
  process.stdout.on("error", () => process.exit(1));
  try {
    await work();
  } catch (error) {
    process.stderr.write(`Keyhub: ${describe(error)}\n`);
    process.exitCode = 1;
  }
}

/** Reads options. An unexpected argument is never printed: it may be a key in the wrong place. */
export function readOptions<T extends ParseArgsOptionsConfig>(options: T, usage: string) {
  try {
    return parseArgs({ options, allowPositionals: false }).values;
  } catch {
    throw new CommandFailure(`the arguments are not valid; usage: ${usage}`);
  }
}
