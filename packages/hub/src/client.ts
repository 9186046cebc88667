import type { CallResult, RowsRequest, Transport } from "./transport.ts";

/**
 * A client of supabase-js or postgrest-js, with or without the types of a database. The arguments have
 * the type `never`, because each client declares other types for them, and all clients are accepted.
 */
export interface DataClient {
  rpc(name: never, args?: never, options?: never): unknown;
  from(table: never): unknown;
  /** Only supabase-js has this member. Without it, every call of an edge function needs the option `functions`. */
  readonly functions?: { invoke(name: string, options?: never): Promise<unknown> };
}

/** The parts of a client that this package uses. */
interface UsedClient {
  rpc(name: string, args: object, options: { get: boolean }): PromiseLike<CallResult>;
  from(table: string): {
    select(columns: string): Filter;
    insert(row: object): Filter;
    upsert(row: object, options: { ignoreDuplicates: boolean }): Filter;
    update(row: object): Filter;
    delete(): Filter;
  };
  functions?: { invoke(name: string, options: object): Promise<Invoked> };
}

interface Filter extends PromiseLike<CallResult> {
  select(columns: string): Filter;
  eq(column: string, value: string): Filter;
  in(column: string, values: readonly string[]): Filter;
  gte(column: string, value: number): Filter;
  order(column: string, options: { ascending: boolean }): Filter;
  range(from: number, to: number): Filter;
}

interface Invoked {
  data: unknown;
  error: unknown;
  response?: Response;
}

/** Returns a transport that uses a client. `invoke` is for a client that cannot call functions. */
export function overClient(client: DataClient, invoke: Transport["invoke"] | undefined): Transport {
  const used = client as unknown as UsedClient;
  return {
    rpc: (name, args, get) => settled(() => used.rpc(name, get ? asQuery(args) : args, { get })),
    rows: (request) => settled(() => filtered(used, request)),
    invoke: (path, body, headers, method) => {
      if (invoke !== undefined) return invoke(path, body, headers, method);
      const { functions } = used;
      if (functions === undefined)
        return Promise.reject(
          new TypeError(
            `a call of ${path.split(/[/?]/)[0]} needs supabase-js, or the option functions: { url, key }`,
          ),
        );
      return settled(async () => {
        const options = { headers, ...(body && { body }), ...(method && { method }) };
        const { data, error, response } = await functions.invoke(path, options);
        return { data, error, status: response?.status ?? 0 };
      });
    },
  };
}

/** Returns arguments for the query of a GET. Lists become arrays in Postgres' notation, because clients do not quote the elements. */
export function asQuery(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, Array.isArray(value) ? arrayText(value) : value]),
  );
}

function arrayText(list: readonly unknown[]): string {
  return `{${list.map((one) => `"${String(one).replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

function filtered(client: UsedClient, request: RowsRequest): Filter {
  const { table, method, columns, where = {}, atLeast = {}, order, offset = 0, limit, row = {} } = request;
  const from = client.from(table);
  let query: Filter;
  if (method === "select") query = from.select(columns ?? "*");
  else if (method === "delete") query = from.delete();
  else if (method === "upsert") query = from.upsert(row, { ignoreDuplicates: true });
  else query = from[method](row);
  for (const [column, value] of Object.entries(where)) {
    if (value === undefined) continue;
    query = typeof value === "string" ? query.eq(column, value) : query.in(column, value);
  }
  for (const [column, least] of Object.entries(atLeast)) query = query.gte(column, least);
  if (order) query = query.order(order.column, { ascending: order.ascending });
  if (limit !== undefined) query = query.range(offset, offset + limit - 1);
  return method === "select" || columns === undefined ? query : query.select(columns);
}

/** Returns the result of a call. If the call throws, the result has the thrown error and status 0. */
export async function settled(call: () => PromiseLike<CallResult>): Promise<CallResult> {
  try {
    const { data, error, status, requestId } = await call();
    return { data, error, status, ...(requestId && { requestId }) };
  } catch (error) {
    return { data: null, error, status: 0 };
  }
}
