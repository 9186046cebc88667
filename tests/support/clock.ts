import type postgres from "postgres";

/** Moves the frozen clock of a cloned database. */
export interface StoppedClock {
  pass(seconds: number): Promise<void>;
}

/**
 * Makes Keyhub's functions and views use a clock that only the test moves, so that no result depends on how long statements take. The
 * change applies to the whole clone and cannot be undone.
 */
export async function stopClock(sql: postgres.Sql): Promise<StoppedClock> {
  await sql.unsafe(`
    create table private.stopped_clock as select clock_timestamp() as at;
    create function private.stopped_now() returns timestamptz language sql stable security definer set search_path = ''
      as 'select at from private.stopped_clock';
    grant execute on function private.stopped_now() to public;

    do $$
    declare
      clock constant text := '(pg_catalog\\.)?\\m(clock_timestamp|now)\\(\\)';
      statement text;
    begin
      for statement in
        select pg_get_functiondef(p.oid)
        from pg_proc p
        where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prosrc ~ clock
        union all
        select format('create or replace view %s with (%s) as %s', c.oid::regclass,
          coalesce(array_to_string(c.reloptions, ', '), 'security_invoker = false'), pg_get_viewdef(c.oid))
        from pg_class c
        where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'v'
          and pg_get_viewdef(c.oid) ~ clock
      loop
        execute regexp_replace(statement, clock, 'private.stopped_now()', 'g');
      end loop;
    end $$`);
  return {
    pass: async (seconds) =>
      void (await sql`update private.stopped_clock set at = at + make_interval(secs => ${seconds})`),
  };
}
