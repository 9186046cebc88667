import { errorCode } from "../failure.ts";

/**
 * SQLSTATE classes that are worth a retry, with PostgREST's status: connection (08), resources (53), serialization and deadlock
 * (40), cancelled statement and shutdown (57), system (58).
 */
const transient: [code: RegExp, status: number][] = [
  [/^08/, 503],
  [/^53/, 503],
  [/^(?:40|57|58)/, 500],
];

/** Returns whether the functions retry this SQLSTATE (serialization, deadlock, lock timeout), so that the error need not be logged. */
export function isRetryable(error: unknown): boolean {
  return /^(?:40001|40P01|55P03)$/.test(errorCode(error) ?? "");
}

/**
 * Returns PostgREST's answer to a transient error, which lite would hide in a 500: clients need the code to know that a retry helps.
 * Undefined for every other error.
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
