-- Nothing can change under a report whose log row and health row are held.
create function public.report_successes(lease_ids uuid[], token_hash text default null, user_id uuid default null)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- See report_api_key and lease_batch.
set enable_seqscan = off
-- guard: batch: several health rows are found one by one
set enable_hashjoin = off
set enable_mergejoin = off
-- end
-- It waits for no row, but may have to for a table that somebody empties: shorter than deadlock_timeout.
-- guard: batch: who empties a table is not waited for
set lock_timeout = '600ms'
-- end
as $$
declare
  open_ids uuid[];
  key_ids uuid[];
  oldest timestamptz[];
  times timestamptz[];
  generations integer[];
  written uuid[];
  written_keys uuid[];
begin
  if report_successes.token_hash is not null or report_successes.user_id is null then
    select c.pool_user_id into report_successes.user_id
    from private.key_caller(report_successes.token_hash, report_successes.user_id) c;
  end if;

  -- Only what moves nothing, and nothing that would have to be waited for: whatever is left out is asked again, alone. First the
  -- open leases of this pool.
  select array_agg(l.id) into open_ids
  from (
    select l.id
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- guard: batch: somebody else's lease is left alone
      and l.user_id = report_successes.user_id
      -- end
      -- guard: batch: a lease that was reported is weighed alone
      and l.outcome is null
      -- end
    -- guard: batch: a lease is not waited for
    -- without: for no key update
    for no key update skip locked
    -- end
  ) l;

  -- Then a place in the queue of each of their keys that has nobody in it.
  select array_agg(q.key_id), array_agg(q.issued_at), array_agg(q.generation) into key_ids, oldest, generations
  from (
    select each_key.key_id, each_key.issued_at, each_key.generation,
      pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(each_key.key_id, 0)) as is_ours
    from (
      -- guard: batch: the lease of the oldest generation counts
      -- without: select l.user_api_key_id as key_id, min(l.issued_at) as issued_at, max(l.key_generation) as generation
      -- guard: batch: the lease that was issued first counts
      -- without: select l.user_api_key_id as key_id, max(l.issued_at) as issued_at, min(l.key_generation) as generation
      select l.user_api_key_id as key_id, min(l.issued_at) as issued_at, min(l.key_generation) as generation
      -- end
      -- end
      from public.api_key_usage_log l
      where l.id = any (open_ids)
      group by l.user_api_key_id
    ) each_key
  ) q
  -- guard: batch: a key's queue is not waited in
  -- without: ;
  where q.is_ours;
  -- end

  -- From here on as in report_api_key: the health row first, which says all that makes a report steady, then the log rows.
  with touched as (
    update public.api_key_health h
    set last_reported_at = clock_timestamp(), last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select steady.user_api_key_id
      from unnest(key_ids, oldest, generations) o (key_id, issued_at, generation)
      join public.api_key_health steady on steady.user_api_key_id = o.key_id
      -- guard: batch: a key of which the health row does not remember that it is on is weighed alone
      -- without: where steady.recent_server_errors = '{}'
      -- guard: batch: a lease from before an operator's edit is weighed alone
      -- without: where steady.settled_generation is not null
      where steady.settled_generation <= o.generation
      -- end
        -- guard: batch: server errors in a row are weighed alone
        and steady.recent_server_errors = '{}'
        -- end
      -- end
        -- guard: batch: failures are forgotten alone
        and steady.consecutive_failures = 0
        -- end
        -- guard: batch: a block is weighed alone
        and (steady.blocked_until is null or steady.blocked_until <= clock_timestamp())
        -- end
        -- guard: batch: a failure after the lease is weighed alone
        and (steady.last_failure_at is null or steady.last_failure_at < o.issued_at)
        -- end
      -- guard: batch: a health row is not waited for
      -- without: for no key update of steady
      for no key update of steady skip locked
      -- end
    ))
    returning h.user_api_key_id, h.last_reported_at
  )
  select array_agg(t.user_api_key_id), array_agg(t.last_reported_at) into key_ids, times from touched t;

  with reported as (
    update public.api_key_usage_log l
    set reported_at = o.at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from unnest(key_ids, times) o (key_id, at)
    where l.id = any (open_ids) and l.user_api_key_id = o.key_id
    returning l.id, l.user_api_key_id
  )
  select array_agg(r.id), array_agg(r.user_api_key_id) into written, written_keys from reported r;

  return (
    select coalesce(jsonb_agg(
      case
        -- guard: batch: the same lease twice is one report
        -- without: when w.key_id is not null then jsonb_build_object(
        when w.key_id is not null and a.turn = 1 then jsonb_build_object(
        -- end
          'key_id', w.key_id,
          'state', 'available',
          'blocked_until', null,
          'consecutive_failures', 0,
          'outcome', 'success',
          'effect', 'none'
        )
        else jsonb_build_object('retry', true)
      end
      order by a.place
    ), '[]')
    from (
      select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
      from unnest(report_successes.lease_ids) with ordinality u (id, place)
    ) a
    left join unnest(written, written_keys) w (id, key_id) on w.id = a.id
  );
end;
$$;
comment on function public.report_successes is
  'Successes of one caller in one transaction: an array of what report_api_key answers, or that one is to be asked again, alone, because it may move something, is refused, or would have to wait. Waits for nobody. For the function set-key-state. Raises PT401 invalid_credential.';
revoke execute on function public.report_successes from public, anon, authenticated, service_role;
grant execute on function public.report_successes to service_role;
