/** A failure the reader can act on: printed as one line, exit code 1. Its message holds no key and no input. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
}

/** What is printed of a failure. Only the message of a CommandFailure: others, such as those of parsers, may repeat the input. */
export function describe(error: unknown): string {
  if (error instanceof CommandFailure) return error.message.replace(/\s+/g, " ");
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return `internal error: ${[name, code].filter((part) => typeof part === "string").join(" ") || "unknown"}`;
}
