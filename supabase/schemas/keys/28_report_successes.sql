create function public.report_successes(lease_ids uuid[], token_hash text default null, user_id uuid default null)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- Without these settings, a session would keep a query plan that it made while the tables were small: see report_api_key.
set enable_seqscan = off
set jit = off
-- This call waits for no row, but it may wait for a TRUNCATE. The timeout is shorter than deadlock_timeout, as in report_api_key.
set lock_timeout = '600ms'
as $$
<<this>>
declare
  at constant timestamptz := clock_timestamp();
  agent_id uuid;
  answers jsonb;
begin
  select c.pool_user_id, c.agent_id into report_successes.user_id, agent_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- Processes reports on the fast path of report_api_key when they change nothing and their log row is not locked. The caller must
  -- report the other leases one by one, with report_api_key.
  with open as materialized (
    select l.id, l.user_api_key_id, l.model
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Skips leases of other callers.
      and l.user_id = report_successes.user_id
      and (this.agent_id is null or l.agent_id = this.agent_id)
      -- Skips leases that have been reported: the caller passes them to report_api_key.
      and l.outcome is null
      and l.issued_at is not null
    -- Skips a lease whose log row another call has locked.
    for no key update skip locked
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o
    join public.user_api_keys k on k.id = o.user_api_key_id
    join public.api_key_health h on h.user_api_key_id = o.user_api_key_id
    left join public.api_key_model_health m on m.user_api_key_id = o.user_api_key_id and m.model = o.model
    where l.id = o.id
      -- These conditions leave a lease to report_api_key when its key is disabled or cannot be opened, was edited by an operator
      -- after the lease, has server errors or failures that the success ends, is blocked, or failed after the lease.
      and k.is_active
      and k.unusable_reason is null
      and k.generation <= l.key_generation
      and h.recent_server_errors = '{}'
      and h.consecutive_failures = 0
      and (h.blocked_until is null or h.blocked_until <= at)
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- The same conditions apply to the health of the key with the model of the lease.
      and (m.model is null or (
        m.consecutive_failures = 0
        and (m.blocked_until is null or m.blocked_until <= at)
        and (m.last_failure_at is null or m.last_failure_at < l.issued_at)
      ))
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
        -- Keeps an outcome that a newer report has stored.
        and (free.last_reported_at is null or free.last_reported_at < at)
      -- Skips a health row that another call has locked.
      for no key update of free skip locked
    ))
  )
  select coalesce(jsonb_agg(
    -- A lease that is listed twice is reported once: its first entry has the answer, the second one {"kind": "retry"}.
    case when a.turn = 1 and r.id is not null then r.answer else '{"kind": "retry"}' end
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
  'Reports the successes of one caller in one transaction. For the function set-key-state. Returns an array with one entry for each lease of lease_ids: the answer of report_api_key, or {"kind": "retry"} for a lease that the caller must report with report_api_key, because the report may change the key, must be refused, or would have to wait for a lock. Waits for no row. Raises PT401 invalid_credential.';
revoke execute on function public.report_successes from public, anon, authenticated, service_role;
grant execute on function public.report_successes to service_role;
