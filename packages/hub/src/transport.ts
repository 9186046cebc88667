/** What a call gave. `error` is null when it succeeded, else whatever shape the layer that answered gives it. */
export interface Answer {
  data: unknown;
  error: unknown;
  /** Of HTTP; 0 when there was no answer. */
  status: number;
  /** Of a refusal, where the headers of the answer can be read and name it. */
  requestId?: string;
}

/** One request to a table or view. */
export interface RowsRequest {
  table: string;
  method: "select" | "insert" | "upsert" | "update" | "delete";
  /** The columns of the answer; without them there is none. */
  columns?: string;
  /** Columns that must have a value, or one of several. */
  where?: Record<string, string | readonly string[] | undefined>;
  order?: { column: string; ascending: boolean } | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  row?: object;
}

/** The three doors of a project. A refusal is in the answer; nothing is thrown. */
export interface Transport {
  rpc(name: string, args: Record<string, unknown>, get: boolean): Promise<Answer>;
  rows(request: RowsRequest): Promise<Answer>;
  invoke(path: string, body: object | undefined, headers: Record<string, string>): Promise<Answer>;
}
