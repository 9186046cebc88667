import type postgres from "postgres";

/** The database roles of the publishable key and of users' tokens, which anybody can get. */
export const clients = ["anon", "authenticated"] as const;
export type Client = (typeof clients)[number];

export interface Relation {
  name: string;
  kind: "table" | "view" | "sequence";
  /** A column that a test tries to update. */
  column: string;
  /** The writes that are possible for the owner; a view with a join, for example, cannot be written. */
  writable: { insert: boolean; update: boolean; delete: boolean };
}

/** Returns every relation of public and private that stores or produces data. */
export async function listRelations(sql: postgres.Sql): Promise<Relation[]> {
  return await sql<Relation[]>`
    select c.oid::regclass::text as name,
      case when c.relkind = 'S' then 'sequence' when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
      (select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum = 1) as column,
      jsonb_build_object(
        'update', pg_relation_is_updatable(c.oid, true) & 4 > 0,
        'insert', pg_relation_is_updatable(c.oid, true) & 8 > 0,
        'delete', pg_relation_is_updatable(c.oid, true) & 16 > 0
      ) as writable
    from pg_class c
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    order by 1`;
}

export interface Routine {
  name: string;
  /** A statement that calls the routine with null for every argument. */
  call: string;
}

/** Returns every function and procedure of public and private. */
export async function listRoutines(sql: postgres.Sql): Promise<Routine[]> {
  return await sql<Routine[]>`
    select p.oid::regprocedure::text as name,
      format('%s %s(%s)', case p.prokind when 'p' then 'call' else 'select' end, p.oid::regproc,
        (select string_agg(format('null::%s', t::regtype), ', ' order by ord) from unnest(p.proargtypes) with ordinality as args (t, ord))
      ) as call
    from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    order by 1`;
}

/** Returns the rights of a role as texts, such as `select on user_api_keys`. A right on a single column is included. */
export async function rightsOf(sql: postgres.Sql, role: string): Promise<string[]> {
  const rows = await sql<{ granted: string }[]>`
    with relations as (
      select c.oid, c.relkind
      from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    )
    select verb || ' on ' || oid::regclass as granted
    from relations, unnest('{select,insert,update,delete,truncate,references,trigger,maintain}'::text[]) verb
    where relkind <> 'S'
      and (
        has_table_privilege(${role}, oid, verb)
        or (verb in ('select', 'insert', 'update', 'references') and has_any_column_privilege(${role}, oid, verb))
      )
    union all
    select verb || ' on ' || oid::regclass
    from relations, unnest('{usage,select,update}'::text[]) verb
    where relkind = 'S' and has_sequence_privilege(${role}, oid, verb)
    union all
    select 'execute on ' || p.oid::regprocedure
    from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and has_function_privilege(${role}, p.oid, 'execute')
    union all
    select verb || ' on schema ' || n.nspname
    from pg_namespace n, unnest('{create,usage}'::text[]) verb
    where n.nspname in ('public', 'private') and has_schema_privilege(${role}, n.oid, verb)
    order by 1`;
  return rows.map((row) => row.granted);
}
