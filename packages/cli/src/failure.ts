/** A failure that the user can act on. It is printed as one line, with exit code 1. Its message contains no key and no input. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
}

/**
 * Returns the text to print for a failure: the message of a CommandFailure, or only the name and code of any other error. The messages of
 * other errors, such as those of parsers, may repeat the input.
 */
export function describe(error: unknown): string {
  if (error instanceof CommandFailure) return error.message.replace(/\s+/g, " ");
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return `internal error: ${[name, code].filter((part) => typeof part === "string").join(" ") || "unknown"}`;
}
