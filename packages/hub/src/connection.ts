import { asQuery, settled } from "./client.ts";
import type { CallResult, RowsRequest, Transport } from "./transport.ts";

/** The access to a project without a client library, for example on a page for guests. */
export interface Connection {
  /** The address of the project. */
  url: string;
  /** The publishable key. */
  key: string;
  /** A user's access token, or a function that returns the token. A guest has no token. */
  token?: string | null | (() => string | null | Promise<string | null>);
  fetch?: typeof fetch;
}

export function overFetch(connection: Connection): Transport {
  const { key } = connection;
  const url = connection.url.replace(/\/+$/, "");
  const send = async (path: string, init: RequestInit & { headers: Record<string, string> }) => {
    const { token } = connection;
    const given = typeof token === "function" ? await token() : token;
    const headers = { apikey: key, ...(given && { Authorization: `Bearer ${given}` }), ...init.headers };
    // The call is not `connection.fetch(…)`, because the global fetch refuses to run with `connection` as its `this`.
    const { fetch: fetchFrom = fetch } = connection;
    return fetchFrom(`${url}/${path}`, { ...init, headers });
  };
  const json = { "Content-Type": "application/json" };
  return {
    rpc: (name, args, get) =>
      settled(async () => {
        const path = `rest/v1/rpc/${name}`;
        const query = get ? queryOf(asQuery(args)) : "";
        return rest(
          get
            ? await send(path + query, { headers: {} })
            : await send(path, { method: "POST", headers: json, body: JSON.stringify(args) }),
        );
      }),
    rows: (request) =>
      settled(async () => {
        const { method, columns, row } = request;
        const prefer = [
          method !== "select" && `return=${columns === undefined ? "minimal" : "representation"}`,
          method === "upsert" && "resolution=ignore-duplicates",
        ].filter(Boolean);
        return rest(
          await send(`rest/v1/${request.table}${filterOf(request)}`, {
            method: { select: "GET", insert: "POST", upsert: "POST", update: "PATCH", delete: "DELETE" }[
              method
            ],
            headers: { ...(prefer.length > 0 && { Prefer: prefer.join(",") }), ...(row && json) },
            ...(row && { body: JSON.stringify(row) }),
          }),
        );
      }),
    invoke: (path, body, headers, method = "POST") =>
      settled(async () => {
        const isBytes = body instanceof Blob || body instanceof ArrayBuffer;
        const response = await send(`functions/v1/${path}`, {
          method,
          headers: { ...(body && !isBytes && json), ...headers },
          ...(body && { body: isBytes ? body : JSON.stringify(body) }),
        });
        const { ok, status } = response;
        return ok
          ? { data: await response.json(), error: null, status }
          : { data: null, error: response, status };
      }),
  };
}

/** Converts an answer of PostgREST. A write that asked for no columns gets an answer without a body, so its data is null. */
async function rest(response: Response): Promise<CallResult> {
  const { ok, status } = response;
  const text = await response.text();
  if (ok) return { data: text === "" ? null : JSON.parse(text), error: null, status };
  // Supabase's own gateway puts the request id into sb-request-id.
  const requestId = response.headers.get("x-request-id") ?? response.headers.get("sb-request-id");
  const named = requestId === null ? {} : { requestId };
  try {
    return { data: null, error: JSON.parse(text), status, ...named };
  } catch {
    return { data: null, error: { message: text }, status, ...named };
  }
}

function queryOf(args: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) query.set(name, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

/** Returns the query string of a request in PostgREST's notation. Values in a list are quoted; a value after `eq.` needs no quotes. */
function filterOf({ columns, where = {}, atLeast = {}, order, offset, limit }: RowsRequest): string {
  const query: Record<string, unknown> = {};
  if (columns !== undefined) query.select = columns;
  for (const [column, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const list = (values: readonly string[]) =>
      values.map((one) => `"${one.replace(/["\\]/g, "\\$&")}"`).join(",");
    query[column] = typeof value === "string" ? `eq.${value}` : `in.(${list(value)})`;
  }
  for (const [column, least] of Object.entries(atLeast)) query[column] = `gte.${least}`;
  if (order) query.order = `${order.column}.${order.ascending ? "asc" : "desc"}`;
  if (offset) query.offset = offset;
  if (limit !== undefined) query.limit = limit;
  return queryOf(query);
}
