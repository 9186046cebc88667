import { createClient } from "@supabase/supabase-js";
import { CommandFailure } from "../failure.ts";
import { type DatabaseFault, type ProjectDatabase, type RowQuery, UUID } from "./database.ts";
import { RefusedByDatabase } from "./fault.ts";

/** The most rows in one answer; by default, a project's API returns at most this many. */
const PAGE = 1_000;
/** The most values of a list in one request. They are part of its URL, so a longer list is split. */
const LISTED = 100;

/** Connects through the project's API with the secret key. */
export function connectByRest(url: string, secretKey: string): ProjectDatabase {
  const client = createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });

  async function page<T>(from: string, query: RowQuery, start: number, rows: number): Promise<T[]> {
    const { columns, where = {}, order, descending } = query;
    let request = client.from(from).select(columns.join(","));
    for (const [column, value] of Object.entries(where)) {
      if (Array.isArray(value)) request = request.in(column, value);
      else request = value === null ? request.is(column, null) : request.eq(column, value);
    }
    const answer = await request.order(order, { ascending: !descending }).range(start, start + rows - 1);
    return taken(answer) as T[];
  }

  async function pages<T>(from: string, query: RowQuery): Promise<T[]> {
    const rows: T[] = [];
    const most = query.limit ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const wanted = Math.min(PAGE, most - rows.length);
      const next = wanted > 0 ? await page<T>(from, query, rows.length, wanted) : [];
      rows.push(...next);
      if (next.length < wanted || wanted <= 0) return rows;
    }
  }

  return {
    host: new URL(url).host,
    async select<T extends object>(from: string, query: RowQuery) {
      const [column, list] =
        Object.entries(query.where ?? {}).find(([, value]) => Array.isArray(value)) ?? [];
      if (column === undefined || !Array.isArray(list)) return pages<T>(from, query);
      const rows: T[] = [];
      for (let start = 0; start < list.length; start += LISTED) {
        const where = { ...query.where, [column]: list.slice(start, start + LISTED) };
        rows.push(...(await pages<T>(from, { ...query, where })));
      }
      return rows;
    },
    async insert(into, rows) {
      // One request is one transaction, so all rows are inserted or none.
      taken(await client.from(into).insert(rows));
    },
    async update(table, id, values) {
      taken(await client.from(table).update(values).eq("id", id));
    },
    async call<T extends object>(name: string, args: object) {
      return taken(await client.rpc(name, args)) as T[];
    },
    async findUser(idOrEmail) {
      // The API does not show e-mail addresses.
      if (!UUID.test(idOrEmail))
        throw new CommandFailure("--user is not a user's id; an e-mail address needs SUPABASE_DB_URL");
      const query = { columns: ["user_id"], where: { user_id: idOrEmail }, order: "user_id" };
      // Each user has a profile, so a missing profile means that there is no such user.
      const [profile] = await page<{ user_id: string }>("hub_profiles", query, 0, 1);
      return profile?.user_id ?? null;
    },
    end: async () => {},
  };
}

interface Answer {
  data: unknown;
  error: (DatabaseFault & { details?: string | null }) | null;
  status: number;
}

function taken({ data, error, status }: Answer): unknown {
  if (error === null) return data;
  if (status === 401 || (status === 403 && !error.code)) throw refusedKey();
  if (status === 0) throw new CommandFailure("the project of SUPABASE_URL cannot be reached");
  throw new RefusedByDatabase({ ...error, code: error.code || String(status) });
}

const refusedKey = () => new CommandFailure("the project refuses SUPABASE_SECRET_KEY");
