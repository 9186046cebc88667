import postgres from "postgres";
import { CommandFailure } from "../failure.ts";
import { type ProjectDatabase, type Row, type RowQuery, UUID } from "./database.ts";
import { RefusedByDatabase } from "./fault.ts";

/** Connects through SUPABASE_DB_URL, with the rights of the database's owner. */
export function connectBySql(url: string): ProjectDatabase {
  const sql = open(url);
  return {
    host: hostOf(url),
    select: <T extends object>(from: string, { columns, where = {}, order, descending, limit }: RowQuery) =>
      asked(() => {
        const conditions = Object.entries(where).map(([column, value]) => {
          if (Array.isArray(value)) return sql`and ${sql(column)} = any (${value as string[]})`;
          // Postgres can use an index for "=", but not for "is not distinct from".
          return value === null
            ? sql`and ${sql(column)} is null`
            : sql`and ${sql(column)} = ${value as string}`;
        });
        return sql<T[]>`
          select ${sql(columns)} from ${sql(`public.${from}`)}
          where true ${conditions.reduce((all, one) => sql`${all} ${one}`, sql``)}
          order by ${sql(order)} ${descending ? sql`desc` : sql`asc`}
          ${limit === undefined ? sql`` : sql`limit ${limit}`}`.then((rows) => [...rows]);
      }),
    insert: (into, rows) =>
      asked(async () => {
        const columns = Object.keys(rows[0] ?? {});
        // As JSON, all rows are one parameter, so one statement inserts any number of rows.
        await sql`
          insert into ${sql(`public.${into}`)} (${sql(columns)})
          select ${sql(columns)} from jsonb_populate_recordset(null::${sql(`public.${into}`)}, ${sql.json(rows as never)})`;
      }),
    update: (table, id, values) =>
      asked(async () => {
        await sql`update ${sql(`public.${table}`)} set ${sql(values)} where id = ${id}`;
      }),
    call: <T extends object>(name: string, args: Row) =>
      asked(() => {
        const given = Object.entries(args).map(([arg, value]) => sql`${sql(arg)} => ${value}`);
        return sql<T[]>`
          select * from ${sql(`public.${name}`)}(${given.reduce((all, one) => sql`${all}, ${one}`)})`.then(
          (rows) => [...rows],
        );
      }),
    findUser: (idOrEmail) =>
      asked(async () => {
        const [user] = UUID.test(idOrEmail)
          ? await sql<{ id: string }[]>`select id from auth.users where id = ${idOrEmail}`
          : await sql<
              { id: string }[]
            >`select id from auth.users where lower(email) = lower(${idOrEmail}) limit 1`;
        return user?.id ?? null;
      }),
    end: () => sql.end({ timeout: 5 }),
  };
}

function open(url: string): postgres.Sql {
  try {
    return postgres(url, {
      max: 1,
      // No prepared statements, because a pooler may use another connection for each transaction.
      prepare: false,
      onnotice: () => {},
      connect_timeout: 10,
      connection: { application_name: "keyhub" },
      // Returns bigint (type 20) as a number, which is large enough for any count here.
      types: { count: { to: 20, from: [20], serialize: String, parse: Number } },
    });
  } catch {
    throw new CommandFailure("SUPABASE_DB_URL is not a Postgres URL");
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "the database";
}

async function asked<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    const { code, message = "", detail } = error as { code?: unknown; message?: string; detail?: string };
    if (typeof code !== "string") throw error;
    throw new RefusedByDatabase({ code, message, ...(detail !== undefined && { details: detail }) });
  }
}
