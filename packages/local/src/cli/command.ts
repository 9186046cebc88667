import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** A failure the reader can act on: printed as one line, exit code 1. Its message holds no key and no input. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
}

/** Runs a command line tool; whatever goes wrong becomes one line on standard error. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  // The reader may close the pipe early (`| head -1`): not an error.
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
    throw new CommandFailure(`the arguments are not what is expected; usage: ${usage}`);
  }
}

/** Only the message of a CommandFailure is printed: others, such as those of parsers, may repeat the input. */
function describe(error: unknown): string {
  if (error instanceof CommandFailure) return error.message.replace(/\s+/g, " ");
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return `internal error: ${[name, code].filter((part) => typeof part === "string").join(" ") || "unknown"}`;
}
