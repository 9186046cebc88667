/** Returns SQL for the grants in an access list, one row for each role. The queries leave out the owner, who always has all rights. */
const to = (acl: string) => `(
    select case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee,
      a.is_grantable, string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as privileges
    from aclexplode(${acl}) a
    group by a.grantee, a.is_grantable
  )`;

const closing = "case when g.is_grantable then ' with grant option' else '' end || ';'";

export const grants: string[] = [
  `
  select c.oid::regclass::text,
    format('grant %s on %s %s to %s', g.privileges, case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass, g.grantee)
      || ${closing}
  from pg_class c
  cross join lateral ${to("coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::\"char\", c.relowner))")} g
  where c.relnamespace = any ($1::regnamespace[]) and c.relkind in ('r', 'p', 'v', 'm', 'S') and g.grantee <> c.relowner::regrole::text
  order by g.grantee`,

  // The grants on single columns.
  `
  select c.oid::regclass::text,
    format('grant %s (%s) on table %s to %s', privilege, string_agg(quote_ident(a.attname), ', ' order by a.attname), c.oid::regclass, g.grantee)
      || ${closing}
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attacl is not null and not a.attisdropped
  cross join lateral ${to("a.attacl")} g
  cross join lateral string_to_table(g.privileges, ', ') privilege
  where c.relnamespace = any ($1::regnamespace[]) and g.grantee <> c.relowner::regrole::text
  group by c.oid, privilege, g.grantee, g.is_grantable
  order by g.grantee, privilege`,

  `
  select p.oid::regprocedure::text,
    format('grant %s on %s %s to %s', g.privileges, case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure, g.grantee)
      || ${closing}
  from pg_proc p
  cross join lateral ${to("coalesce(p.proacl, acldefault('f', p.proowner))")} g
  where p.pronamespace = any ($1::regnamespace[]) and g.grantee <> p.proowner::regrole::text
  order by g.grantee`,

  `
  select 'schema ' || quote_ident(n.nspname), format('grant %s on schema %I to %s', g.privileges, n.nspname, g.grantee) || ${closing}
  from pg_namespace n
  cross join lateral ${to("coalesce(n.nspacl, acldefault('n', n.nspowner))")} g
  where n.oid = any ($1::regnamespace[]) and g.grantee <> n.nspowner::regrole::text
  order by g.grantee`,
];
