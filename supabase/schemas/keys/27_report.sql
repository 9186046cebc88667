create function public.report_api_key(
  report jsonb,
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- While a table is small each call would plan again.
set plan_cache_mode = 'force_generic_plan'
-- A plan made while a table was small reads the whole table, and a session keeps it while the table grows. The one query
-- with an order, of open leases, has an index for it.
set enable_seqscan = off
set jit = off
-- Shorter than deadlock_timeout: a report that waits in a cycle ends with 55P03 before the deadlock detector runs.
set lock_timeout = '600ms'
as $$
<<this>>
declare
  -- Taken before anything is read: what is not visible below came later.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  agent_id uuid;
  reported_id uuid;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
  lease public.api_key_usage_log;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  if report_api_key.lease_id is not null then
    if this.rule in ('success', 'escalate') and not report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'] then
      -- A report that changes nothing: a success on a key in good health, or one more failure of a known outage. It reads key
      -- and health in one snapshot and locks the row of the log alone, which tells who was first. So it stands before every
      -- failure, reset and edit that it does not see. The pool is the lease's: a key that was given away has risen in
      -- generation, and a condition on its owner would let a plan walk through all of the owner's keys.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = case this.rule when 'success' then 'none' else 'ignored' end,
        state_before = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        state_after = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        blocked_until = case when h.blocked_until > at then h.blocked_until end,
        consecutive_failures = h.consecutive_failures
      from public.user_api_keys k, public.api_key_health h
      where l.id = report_api_key.lease_id
        and l.user_id = report_api_key.user_id
        -- One lease has one effect.
        and l.outcome is null
        and l.issued_at is not null
        and (report_api_key.key_id is null or report_api_key.key_id = l.user_api_key_id)
        and k.id = l.user_api_key_id
        and k.is_active
        -- Only a key that can be opened.
        and k.unusable_reason is null
        -- Not on a lease from before an operator's edit.
        and k.generation <= l.key_generation
        and h.user_api_key_id = l.user_api_key_id
        -- A success would make it forget server errors.
        and h.recent_server_errors = '{}'
        and case this.rule
          when 'success' then
            h.consecutive_failures = 0
            and (h.blocked_until is null or h.blocked_until <= at)
            and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
          -- A failure counts here only when it belongs to the known outage.
          else l.issued_at < h.rate_blocked_until
        end
      returning l.user_api_key_id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_id, last_at, last_outcome_of_key, answer;
      if found then
        -- The newest outcome for operators, to the second. A locked row is skipped, not waited for.
        if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
          update public.api_key_health h
          set last_reported_at = at,
            last_outcome = this.outcome,
            last_error_code = this.error_code,
            last_effect = case this.rule when 'success' then 'none' else 'ignored' end
          where h.user_api_key_id = (
            select free.user_api_key_id
            from public.api_key_health free
            where free.user_api_key_id = reported_id
              -- A newer outcome stays.
              and (free.last_reported_at is null or free.last_reported_at < at)
            for no key update skip locked
          );
        end if;
        return answer;
      end if;
    end if;

    select l.* into lease
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    elsif report_api_key.key_id <> lease.user_api_key_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    elsif lease.outcome <> this.outcome then
      raise exception using errcode = 'PT409', message = 'already_reported';
    elsif lease.outcome is not null then
      -- Answered here, before any queue: who came too late above still holds the row of the log.
      lease.effect := 'duplicate';
      return private.report_answer(lease);
    end if;
  end if;

  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    jsonb_populate_record(null::private.key_report, report_api_key.report)
  ));
end;
$$;
comment on function public.report_api_key is 'Takes the outcome of a key''s use. For the function set-key-state; report is what core makes of it: outcome, rule, error_code and the rule''s numbers (private.key_report). hint_given: the provider named a wait, which may be none that can be read. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';
revoke execute on function public.report_api_key from public, anon, authenticated, service_role;
grant execute on function public.report_api_key to service_role;

-- Some answers mean different things at different providers: Google uses OpenAI's sentence of an empty account for every limit.
create function public.api_key_provider(
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns text
language sql
stable
security invoker
set search_path = ''
as $$
  select k.provider
  from private.key_caller(api_key_provider.token_hash, api_key_provider.user_id) c
  join public.user_api_keys k on k.user_id = c.pool_user_id
  where k.id = coalesce(
    api_key_provider.key_id,
    (
      select l.user_api_key_id
      from public.api_key_usage_log l
      where l.id = api_key_provider.lease_id and l.user_id = c.pool_user_id
    )
  );
$$;
comment on function public.api_key_provider is
  'The provider of a key of the caller''s pool, named by itself or by a lease; null for a key of any provider and for none. For set-key-state and get-active-key, where it decides what a report means. Raises PT401 invalid_credential.';
revoke execute on function public.api_key_provider from public, anon, authenticated, service_role;
grant execute on function public.api_key_provider to service_role;
