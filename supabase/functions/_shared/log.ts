/** A fault whose message names nothing of the request, so that it may be logged. */
export class SafeError extends Error {}

/** Deno's environment; in Node, where tests run the handlers, there is none. */
const { Deno } = globalThis as { Deno?: { env: { get(name: string): string | undefined } } };

/**
 * Set to `full` by `npm start`. A message may repeat what was sent, such as a key, so it stays out of the log of a project
 * that others use, but is needed while working on a function.
 */
const logsWholeErrors = Deno?.env.get("KEYHUB_LOG_ERRORS") === "full";

/** What the log shows of an unexpected error: its name and where it was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof SafeError) return error.message;
  if (!(error instanceof Error)) return typeof error;
  if (logsWholeErrors) return error.stack ?? `${error.name}: ${error.message}`;
  const where = /\n\s+at (.+)/.exec(error.stack ?? "")?.[1] ?? "nowhere";
  return `${error.name} at ${where}`;
}
