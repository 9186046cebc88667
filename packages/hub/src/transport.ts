/** The result of a call. `error` is null when the call succeeded; otherwise the form of `error` depends on the layer that answered. */
export interface CallResult {
  data: unknown;
  error: unknown;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** The request id of a refusal, if its headers are readable and contain it. */
  requestId?: string;
}

/** One request to a table or view. */
export interface RowsRequest {
  table: string;
  method: "select" | "insert" | "upsert" | "update" | "delete";
  /** The columns of the answer. Without columns, a write returns no rows. */
  columns?: string;
  /** The values that a row must have in these columns. A list means any value of the list. */
  where?: Record<string, string | readonly string[] | undefined>;
  /** The smallest numbers that a row may have in these columns. */
  atLeast?: Record<string, number>;
  order?: { column: string; ascending: boolean } | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  row?: object;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The three ways to call a project: REST, RPC and functions. A refusal or a lost connection is part of the result, not an exception. */
export interface Transport {
  rpc(name: string, args: Record<string, unknown>, get: boolean): Promise<CallResult>;
  rows(request: RowsRequest): Promise<CallResult>;
  /** Sends a POST unless another method is given. Bytes are sent unchanged, any other body as JSON. */
  invoke(
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    method?: Method,
  ): Promise<CallResult>;
}
