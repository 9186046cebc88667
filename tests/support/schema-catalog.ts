import type postgres from "postgres";

/** One statement of the dump. `sort` orders those of one object; `object` is what they belong to. */
export interface Statement {
  object: string;
  statement: string;
}

/** Names are as they are written in SQL, expressions as Postgres prints them with an empty search_path. */
const ours = "n.nspname in ('public', 'private')";

/** What kinds of object there are, in the order in which they are shown, each with the query that writes them. */
export const sections: Record<string, string> = {
  schemas: `
    select format('%I', n.nspname) as object, 'create schema ' || quote_ident(n.nspname) || ';' as statement
    from pg_namespace n where ${ours} order by 1`,
};

export async function statements(sql: postgres.Sql, query: string): Promise<Statement[]> {
  return await sql.unsafe<Statement[]>(query);
}
