/** The result of a call. `error` is null when it succeeded; otherwise its form depends on the layer that answered. */
export interface CallResult {
  data: unknown;
  error: unknown;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** Of a refusal, where the headers of the answer can be read and name it. */
  requestId?: string;
}

/** One request to a table or view. */
export interface RowsRequest {
  table: string;
  method: "select" | "insert" | "upsert" | "update" | "delete";
  /** The columns of the answer; without columns there is no answer. */
  columns?: string;
  /** Columns that must have a given value, or one of several. */
  where?: Record<string, string | readonly string[] | undefined>;
  order?: { column: string; ascending: boolean } | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  row?: object;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The three ways to call a project: REST, RPC and functions. An error is in the answer; nothing is thrown. */
export interface Transport {
  rpc(name: string, args: Record<string, unknown>, get: boolean): Promise<CallResult>;
  rows(request: RowsRequest): Promise<CallResult>;
  /** A POST unless another method is named. Bytes are sent as they are, any other body as JSON. */
  invoke(
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    method?: Method,
  ): Promise<CallResult>;
}
