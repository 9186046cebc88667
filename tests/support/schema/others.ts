/** The statements of schemas, extensions and types. As in relations.ts, each query returns rows (object, statement). */
export const beginnings: string[] = [
  `
  select 'schema ' || quote_ident(n.nspname), format('create schema %I;', n.nspname)
  from pg_namespace n
  where n.oid = any ($1::regnamespace[])`,

  // Extensions are listed from every schema, because the migrations create them in other schemas, too.
  `
  select 'extension ' || quote_ident(e.extname), format('create extension %I with schema %I;', e.extname, e.extnamespace::regnamespace)
  from pg_extension e
  where e.extname <> 'plpgsql' and $1::regnamespace[] is not null`,

  `
  select 'type ' || t.oid::regtype,
    case t.typtype
      when 'e' then format('create type %s as enum (%s);', t.oid::regtype,
        (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
      when 'd' then format('create domain %s as %s%s%s%s;', t.oid::regtype, format_type(t.typbasetype, t.typtypmod),
        case when t.typnotnull then ' not null' else '' end, ' default ' || t.typdefault,
        (select string_agg(format(' constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), '' order by k.conname)
          from pg_constraint k where k.contypid = t.oid and k.contype = 'c'))
      else format('create type %s as (%s);', t.oid::regtype,
        (select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
          from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped))
    end
  from pg_type t
  left join pg_class c on c.oid = t.typrelid
  where t.typnamespace = any ($1::regnamespace[]) and (t.typtype in ('e', 'd') or c.relkind = 'c')`,
];

export const functions: string[] = [
  `
  select p.oid::regprocedure::text, rtrim(pg_get_functiondef(p.oid), E'\\n') || ';'
  from pg_proc p
  where p.pronamespace = any ($1::regnamespace[]) and p.prokind <> 'a'`,
];

export const comments: string[] = [
  `
  select
    case d.classoid
      when 'pg_class'::regclass then coalesce((select indrelid from pg_index where indexrelid = d.objoid), d.objoid)::regclass::text
      when 'pg_proc'::regclass then d.objoid::regprocedure::text
      when 'pg_type'::regclass then 'type ' || d.objoid::regtype
      else coalesce(
        (select conrelid from pg_constraint where oid = d.objoid and d.classoid = 'pg_constraint'::regclass),
        (select tgrelid from pg_trigger where oid = d.objoid and d.classoid = 'pg_trigger'::regclass),
        (select polrelid from pg_policy where oid = d.objoid and d.classoid = 'pg_policy'::regclass)
      )::regclass::text
    end,
    format('comment on %s %s is %L;', case when i.type ~ '(column|constraint)$' then regexp_replace(i.type, '^.* ', '') else i.type end, i.identity, d.description)
  from pg_description d
  cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) i
  where i.schema::regnamespace = any ($1::regnamespace[]) or i.identity ~ ' on (public|private)\\.'
  order by d.objsubid > 0, i.identity`,

  `
  select 'schema ' || quote_ident(n.nspname), format('comment on schema %I is %L;', n.nspname, obj_description(n.oid))
  from pg_namespace n
  where n.oid = any ($1::regnamespace[]) and obj_description(n.oid) is not null`,
];

/** Kinds of objects that the dump does not support. The dump fails when it finds one, because an incomplete dump would hide differences. */
export const unknown: string[] = [
  `
  select c.oid::regclass::text, 'relation of kind ' || c.relkind::text
  from pg_class c
  where c.relnamespace = any ($1::regnamespace[]) and c.relkind not in ('r', 'p', 'v', 'm', 'S', 'i', 'I', 'c', 't')
  union all
  select t.oid::regtype::text, 'type of kind ' || t.typtype::text
  from pg_type t
  where t.typnamespace = any ($1::regnamespace[]) and t.typtype not in ('b', 'c', 'd', 'e')
  union all
  select p.oid::regprocedure::text, 'aggregate'
  from pg_proc p
  where p.pronamespace = any ($1::regnamespace[]) and p.prokind = 'a'
  union all
  select c.oid::regclass::text, 'table that inherits'
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where c.relnamespace = any ($1::regnamespace[]) and c.relkind in ('r', 'p')`,
];
