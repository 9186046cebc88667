import { errorCode } from "../failure.ts";

const codes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  // admin shutdown, crash shutdown, cannot connect now
  "57P01",
  "57P02",
  "57P03",
]);

/** Returns whether an error is about the connection and not about the statement. */
export function connectionIsLost(error: unknown): boolean {
  return codes.has(errorCode(error) ?? "");
}

export function lostConnection(): Error {
  return Object.assign(new Error("the connection to the database was lost"), { code: "CONNECTION_CLOSED" });
}
