import { HubError } from "./error.ts";
import { problemFrom } from "./problem.ts";
import type { CallResult, Method, RowsRequest, Transport } from "./transport.ts";

/**
 * Makes calls and returns their data, or rejects with a HubError. The type of an answer is the
 * contract of its call in packages/core/src/hub/contracts, with which tests compare real answers.
 */
export interface HubCalls {
  /** Makes a call that only reads: by GET, which a CDN can cache, or by POST if PostgREST would read an argument as a filter. */
  read<T>(name: string, args?: object): Promise<T>;
  /** Makes a call that changes something. */
  run<T = void>(name: string, args: object): Promise<T>;
  rows<T>(request: RowsRequest): Promise<T>;
  /** Calls a function; `path` is below /functions/v1. */
  invoke<T>(path: string, body?: object, idempotencyKey?: string): Promise<T>;
  /** Calls a function by another HTTP method. */
  invokeBy<T>(method: Method, path: string, body?: object): Promise<T>;
}

export function callsOf(transport: Transport): HubCalls {
  return {
    read: async (name, args = {}) => {
      const sent = given(args);
      return dataOf(await transport.rpc(name, sent, !Object.values(sent).some(isLikeFilter)));
    },
    run: async (name, args) => dataOf(await transport.rpc(name, given(args), false)),
    rows: async (request) => dataOf(await transport.rows(request)),
    invoke: async (path, body, idempotencyKey) => {
      const headers: Record<string, string> =
        idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
      return dataOf(await transport.invoke(path, body, headers));
    },
    invokeBy: async (method, path, body) => dataOf(await transport.invoke(path, body, {}, method)),
  };
}

async function dataOf<T>({ data, error, status, requestId }: CallResult): Promise<T> {
  if (error === null || error === undefined) return data as T;
  throw new HubError({ ...(requestId && { requestId }), ...(await problemFrom(error, status)) }, error);
}

/** Returns whether PostgREST would read an argument in the query of a GET as a filter: `eq.x`, `not.x` or `fts(german).x`. */
function isLikeFilter(value: unknown): boolean {
  return typeof value === "string" && /^[a-z]+(\(\w+\))?\./.test(value);
}

/** Leaves out members that are undefined or null, because a query would have them as the texts `undefined` and `null`. */
function given(args: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== undefined && value !== null),
  );
}
