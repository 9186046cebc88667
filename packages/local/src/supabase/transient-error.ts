import { errorCode } from "../failure.ts";

/**
 * Errors of Postgres that pass by themselves, with PostgREST's status for each: connection, serialization and deadlock,
 * resources, a cancelled statement, the system around the server.
 */
const transient: [code: RegExp, status: number][] = [
  [/^08/, 503],
  [/^53/, 503],
  [/^(?:40|57|58)/, 500],
];

/** Undone for somebody else's sake, and asked again by the functions: no news for an operator. */
export function isRetryable(error: unknown): boolean {
  return /^(?:40001|40P01|55P03)$/.test(errorCode(error) ?? "");
}

/**
 * PostgREST's answer to such an error, where lite gives a 500 that hides the code: by the code a client knows that it
 * may try again. Undefined for every other error.
 */
export function transientErrorResponse(error: unknown): Response | undefined {
  const code = errorCode(error) ?? "";
  const status = /^[0-9A-Z]{5}$/.test(code) && transient.find(([codes]) => codes.test(code))?.[1];
  if (!status) return undefined;
  return Response.json(
    { code, message: (error as Error).message, details: null, hint: null },
    { status, headers: { "access-control-allow-origin": "*" } },
  );
}
