import { HubError } from "./error.ts";
import { problemFrom } from "./problem.ts";
import type { CallResult, Method, RowsRequest, Transport } from "./transport.ts";

/**
 * Makes calls and gives their data, or rejects with a HubError. The type of an answer is that of the contract of its call in
 * packages/core/src/hub/contracts, which with which tests compare real answers.
 */
export interface HubCalls {
  /** A call that reads: by GET, which a CDN can cache, if the arguments can be written in a query. */
  read<T>(name: string, args?: object): Promise<T>;
  /** A call that changes something. */
  run<T = void>(name: string, args: object): Promise<T>;
  rows<T>(request: RowsRequest): Promise<T>;
  /** Calls a function; `path` is below /functions/v1. */
  invoke<T>(path: string, body?: object, idempotencyKey?: string): Promise<T>;
  /** The same by another method. */
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

/** In the query of a GET, PostgREST reads `eq.x`, `not.x` or `fts(german).x` as a filter, also when it is the value of an argument. */
function isLikeFilter(value: unknown): boolean {
  return typeof value === "string" && /^[a-z]+(\(\w+\))?\./.test(value);
}

/** Without members that are undefined or null: in a query they would become text. */
function given(args: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== undefined && value !== null),
  );
}
