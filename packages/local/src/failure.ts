/** A failure that the user can act on: `npm start` prints its message as one line, without a stack trace. */
export class StartFailure extends Error {
  override name = "StartFailure";
}

/** Returns the message of any thrown value as one line. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, " ").trim() || "unknown failure";
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
