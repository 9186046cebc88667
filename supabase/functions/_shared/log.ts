/** An error whose message contains no part of the request, so that it may be logged. */
export class SafeError extends Error {}

/** Deno's environment. It is absent in Node, where tests run the handlers. */
const { Deno } = globalThis as { Deno?: { env: { get(name: string): string | undefined } } };

/**
 * `npm start` sets this variable to `full`, because a developer of a function needs whole errors. A project that others use does not log an
 * error's message, which may repeat what was sent, such as a key.
 */
const logsWholeErrors = Deno?.env.get("KEYHUB_LOG_ERRORS") === "full";

/** Returns the text to log for an error: a SafeError's message, else the name and the place that threw, or with `full` the whole stack. */
export function describeError(error: unknown): string {
  if (error instanceof SafeError) return error.message;
  if (!(error instanceof Error)) return typeof error;
  if (logsWholeErrors) return error.stack ?? `${error.name}: ${error.message}`;
  const where = /\n\s+at (.+)/.exec(error.stack ?? "")?.[1] ?? "nowhere";
  return `${error.name} at ${where}`;
}
