import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** A failure the reader can act on: printed as one line, exit code 1. Its message holds no key and no input. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
}

/** Runs a command line tool; whatever goes wrong becomes one line on standard error. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  // Whoever reads us may have enough (`| head -1`); that is no fault of ours.
  process.stdout.on("error", () => process.exit(1));
  try {
    await work();
  } catch (error) {
    process.stderr.write(`Keyhub: ${describe(error)}\n`);
    process.exitCode = 1;
  }
}

/** Reads options. An argument that is not expected is never repeated: it may be a key in the wrong place. */
export function readOptions<T extends ParseArgsOptionsConfig>(options: T, usage: string) {
  try {
    return parseArgs({ options, allowPositionals: false }).values;
  } catch {
    throw new CommandFailure(`the arguments are not what is expected; usage: ${usage}`);
  }
}

/** A message may repeat what was read (as those of parsers do), so only failures of our own wording show theirs. */
function describe(error: unknown): string {
  if (error instanceof CommandFailure) return error.message.replace(/\s+/g, " ");
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return `internal fault: ${[name, code].filter((part) => typeof part === "string").join(" ") || "unknown"}`;
}
