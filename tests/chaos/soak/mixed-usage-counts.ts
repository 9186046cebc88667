import type postgres from "postgres";

/**
 * Records every change of a use count that no lease made, such as an edit. A key's use count without these changes must equal the number of
 * its leases.
 */
export async function countAdjustments(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table private.soak_adjustments (key_id uuid not null, step bigint not null);
    create function private.soak_note() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
      insert into private.soak_adjustments values (
        new.id, new.usage_count - new.skipped_count - case when tg_op = 'UPDATE' then old.usage_count - old.skipped_count else 0 end);
      return null;
    end $$;
    create trigger soak_insert after insert on public.user_api_keys for each row execute function private.soak_note();
    create trigger soak_update after update on public.user_api_keys for each row
    when (
      new.usage_count - new.skipped_count <> old.usage_count - old.skipped_count
      and (new.is_active, new.priority, new.user_id, new.unusable_reason, new.api_key_encrypted)
        is distinct from (old.is_active, old.priority, old.user_id, old.unusable_reason, old.api_key_encrypted)
    )
    execute function private.soak_note();`);
}

/** Checks that each count is exact, each answered lease exists, and no key was leased during its block. */
export async function exactCounts(
  sql: postgres.Sql,
  leases: { lease_id: string; key_id: string }[],
): Promise<string[]> {
  const wrong = await sql`
    select k.id, k.usage_count - k.skipped_count - coalesce(noted.steps, 0) as counted, coalesce(logged.rows, 0) as logged
    from public.user_api_keys k
    left join (select key_id, sum(step) as steps from private.soak_adjustments group by 1) noted on noted.key_id = k.id
    left join (select user_api_key_id, count(issued_at) as rows from public.api_key_usage_log group by 1) logged on logged.user_api_key_id = k.id
    where k.usage_count - k.skipped_count - coalesce(noted.steps, 0) <> coalesce(logged.rows, 0)`;
  const rows = await sql`select id from public.api_key_usage_log where issued_at is not null`;
  const keys = await sql`select id from public.user_api_keys`;
  const stored = new Set(rows.map(({ id }) => id));
  const alive = new Set(keys.map(({ id }) => id));
  const lost = leases.filter(({ lease_id, key_id }) => alive.has(key_id) && !stored.has(lease_id));
  // Only leases of the same generation are compared, because a reset, which ends the block, raises the generation.
  const against = await sql`
    select l.id from public.api_key_usage_log r
    join public.api_key_usage_log l on l.user_api_key_id = r.user_api_key_id
      and l.key_generation = r.key_generation and l.issued_at > r.reported_at
    where (r.effect = 'cooled' and l.issued_at < r.blocked_until and not exists (
        select from public.api_key_usage_log later
        where later.user_api_key_id = r.user_api_key_id and later.reported_at > r.reported_at and later.reported_at < l.issued_at
          and later.blocked_until is distinct from r.blocked_until
      ))
      or r.effect = 'disabled'`;
  return [
    ...wrong.map(({ id, counted, logged }) => `key ${id} counts ${counted}, its log ${logged}`),
    ...lost.map(({ lease_id }) => `lease ${lease_id} was answered and is not in the log`),
    ...against.map(({ id }) => `lease ${id} was leased against the state of its key`),
  ];
}
