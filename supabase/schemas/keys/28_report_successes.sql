create function public.report_successes(lease_ids uuid[], token_hash text default null, user_id uuid default null)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- See report_api_key and lease_batch.
set enable_seqscan = off
set jit = off
-- It waits for no row, but it may wait for a TRUNCATE: shorter than deadlock_timeout.
-- guard: batch: a TRUNCATE is not waited for long
set lock_timeout = '600ms'
-- end
as $$
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb;
begin
  select c.pool_user_id into report_successes.user_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- As in report_api_key: reports that change nothing and whose log row is not locked. The caller reports the others one by one.
  with open as materialized (
    select l.id
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- guard: batch: somebody else's lease is left alone
      and l.user_id = report_successes.user_id
      -- end
      -- guard: batch: a lease that was reported is evaluated alone
      and l.outcome is null
      -- end
      and l.issued_at is not null
    -- guard: batch: a lease is not waited for
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o, public.user_api_keys k, public.api_key_health h
    where l.id = o.id
      and k.id = l.user_api_key_id
      -- guard: batch: a key that is off is evaluated alone
      and k.is_active
      -- end
      -- guard: batch: a key that cannot be opened is evaluated alone
      and k.unusable_reason is null
      -- end
      -- guard: batch: a lease from before an operator's edit is evaluated alone
      and k.generation <= l.key_generation
      -- end
      and h.user_api_key_id = l.user_api_key_id
      -- guard: batch: server errors in a row are evaluated alone
      and h.recent_server_errors = '{}'
      -- end
      -- guard: batch: an expiry of failures is evaluated alone
      and h.consecutive_failures = 0
      -- end
      -- guard: batch: a block is evaluated alone
      and (h.blocked_until is null or h.blocked_until <= at)
      -- end
      -- guard: batch: a failure after the lease is evaluated alone
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- end
    returning l.id, l.user_api_key_id, private.report_answer(l) as answer,
      h.last_reported_at is null or h.last_reported_at < at - interval '1 s' or h.last_outcome <> 'success' as is_due
  ),
  heard as (
    update public.api_key_health h
    set last_reported_at = at, last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select free.user_api_key_id
      from public.api_key_health free
      where free.user_api_key_id in (select r.user_api_key_id from reported r where r.is_due)
        -- guard: batch: what is newer stays
        and (free.last_reported_at is null or free.last_reported_at < at)
        -- end
      -- guard: batch: a health row is not waited for
      -- without: for no key update of free
      for no key update of free skip locked
      -- end
    ))
  )
  select coalesce(jsonb_agg(
    -- guard: batch: the same lease twice is one report
    -- without: coalesce(r.answer, '{"retry": true}')
    case when a.turn = 1 and r.id is not null then r.answer else '{"retry": true}' end
    -- end
    order by a.place
  ), '[]')
  into answers
  from (
    select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
    from unnest(report_successes.lease_ids) with ordinality u (id, place)
  ) a
  left join reported r on r.id = a.id;
  return answers;
end;
$$;
comment on function public.report_successes is
  'Successes of one caller in one transaction: an array of what report_api_key answers, or {"retry": true} for one that is to be asked again, alone, because it may move something, is refused, or would have to wait. Waits for nobody. For the function set-key-state. Raises PT401 invalid_credential.';
revoke execute on function public.report_successes from public, anon, authenticated, service_role;
grant execute on function public.report_successes to service_role;
