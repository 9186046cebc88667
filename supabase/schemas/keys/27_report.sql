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
-- Without this setting, each call would plan its queries again while a table is small.
set plan_cache_mode = 'force_generic_plan'
-- Without enable_seqscan off, a query plan made while a table was small would read the whole table, and a session would keep that
-- plan while the table grows. Sorting stays on: the only query with an order, for open leases, has an index in that order.
set enable_seqscan = off
set jit = off
-- The timeout is shorter than deadlock_timeout, so that a report that waits in a cycle of locks ends with 55P03 before the
-- deadlock detector runs.
set lock_timeout = '600ms'
as $$
<<this>>
declare
  -- Reads the clock before any row: a change that the queries below do not see was committed after this time.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  named_scope constant text := report_api_key.report ->> 'scope';
  is_same_answer constant boolean := report_api_key.report ? 'same_answer_as';
  -- Most reports are plain: a success that names only its lease.
  is_plain boolean := rule = 'success' and report_api_key.lease_id is not null and report_api_key.key_id is null
    and not report_api_key.report ?| array['model', 'scope', 'same_answer_as', 'hint_given', 'hint_seconds', 'hint_at'];
  caller record;
  model text;
  scope text;
  agent_id uuid;
  reported_key uuid;
  lease public.api_key_usage_log;
  told private.key_report;
  tried boolean := false;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  caller := private.key_caller(report_api_key.token_hash, report_api_key.user_id);
  report_api_key.user_id := caller.pool_user_id;
  agent_id := caller.agent_id;

  loop
    if is_plain then
      -- The fast path below for a lease without a model, in one statement that reads the lease itself.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = 'none',
        state_before = 'available',
        state_after = 'available',
        consecutive_failures = 0
      from public.user_api_keys k
      join public.api_key_health h on h.user_api_key_id = k.id
      where l.id = report_api_key.lease_id
        and l.user_id = report_api_key.user_id
        and (this.agent_id is null or l.agent_id = this.agent_id)
        and l.outcome is null
        and l.model is null
        and k.id = l.user_api_key_id
        and k.is_active
        and k.unusable_reason is null
        and k.generation <= l.key_generation
        and h.recent_server_errors = '{}'
        and h.consecutive_failures = 0
        and (h.blocked_until is null or h.blocked_until <= at)
        and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      returning k.id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_key, last_at, last_outcome_of_key, answer;
    else
      if report_api_key.lease_id is null then
        select l.* into lease
        from public.api_key_usage_log l
        where l.user_api_key_id = report_api_key.key_id
          and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
          and l.user_id = report_api_key.user_id
          and l.reported_at is null
          and l.issued_at > at - interval '24 h'
        order by l.issued_at desc
        limit 1;
        if not found then
          if not exists (select from public.user_api_keys k where k.id = report_api_key.key_id and k.user_id = report_api_key.user_id) then
            raise exception using errcode = 'PT404', message = 'key_not_found';
          -- A caller that has not leased the key within the last 24 hours cannot report on it.
          elsif not exists (
            select
            from public.api_key_usage_log l
            where l.user_api_key_id = report_api_key.key_id
              and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
              and l.issued_at > at - interval '24 h'
          ) then
            raise exception using errcode = 'PT404', message = 'lease_not_found';
          end if;
        end if;
      else
        select l.* into lease
        from public.api_key_usage_log l
        where l.id = report_api_key.lease_id
          and l.user_id = report_api_key.user_id
          and l.issued_at is not null
          -- An agent may report only on its own leases, the owner of the pool on every lease of the pool.
          and (this.agent_id is null or l.agent_id = this.agent_id);
        if not found then
          raise exception using errcode = 'PT404', message = 'lease_not_found';
        elsif report_api_key.key_id <> lease.user_api_key_id then
          raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
        elsif lease.outcome <> this.outcome and not (lease.outcome = 'caller_fault' and is_same_answer) then
          raise exception using errcode = 'PT409', message = 'already_reported';
        elsif lease.outcome is not null then
          -- A second report on a lease ends here, before any lock. So does a call that reads the lease again because another call
          -- reported on the lease before the update below.
          lease.effect := 'duplicate';
          return private.report_answer(lease);
        end if;
      end if;
      -- A model that only the provider's answer names is ignored, because leases that name no model would not respect a block for it.
      model := coalesce(report_api_key.report ->> 'model', lease.model);
      scope := case
        when this.outcome = 'caller_fault' or named_scope = 'request' then 'request'
        when this.rule in ('success', 'ignore', 'tolerate') then null
        when named_scope = 'account' then 'account'
        -- If a model is known, the scope is `model` when the report says so, or when a rate limit is reported without a scope.
        when model is not null and coalesce(named_scope, case this.outcome when 'rate_limited' then 'model' end) = 'model' then 'model'
        else 'key'
      end;
      exit when tried
        or lease.id is null
        or is_same_answer
        or this.rule not in ('success', 'escalate')
        or report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'];
      tried := true;

      -- The fast path of a report that changes nothing: a success on a healthy key, or another failure during a known outage. It
      -- reads key and health in one snapshot and locks only the log row, which decides which of two reports was first. The report is
      -- therefore treated as earlier than every failure, reset and edit that the snapshot does not show. The owner of the key is not
      -- checked, because a key that was given away has a higher generation.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = case this.rule when 'success' then 'none' else 'ignored' end,
        state_before = case when block.ends > at then 'cooling_down' else 'available' end,
        state_after = case when block.ends > at then 'cooling_down' else 'available' end,
        blocked_until = case when block.ends > at then block.ends end,
        consecutive_failures = block.failures,
        model = this.model,
        scope = this.scope
      from public.user_api_keys k
      join public.api_key_health h on h.user_api_key_id = k.id
      left join public.api_key_model_health m on m.user_api_key_id = k.id and m.model = this.model
      cross join lateral (
        select
          case this.scope when 'model' then m.blocked_until else h.blocked_until end,
          case this.scope when 'model' then m.rate_blocked_until else h.rate_blocked_until end,
          case this.scope when 'model' then m.consecutive_failures else h.consecutive_failures end
      ) block (ends, rate_ends, failures)
      where l.id = lease.id
        -- Only the first report on a lease has an effect.
        and l.outcome is null
        and k.id = lease.user_api_key_id
        and k.is_active
        -- The fast path requires that the key can be opened.
        and k.unusable_reason is null
        -- The fast path requires that the lease was not issued before an operator's edit of the key.
        and k.generation <= lease.key_generation
        -- The fast path requires an empty list of server errors, because a success would clear the list.
        and h.recent_server_errors = '{}'
        and case this.rule
          when 'success' then
            h.consecutive_failures = 0
            and (h.blocked_until is null or h.blocked_until <= at)
            and (h.last_failure_at is null or h.last_failure_at < lease.issued_at)
            -- A success that ends an outage of the model needs the full evaluation as well.
            and (m.model is null or (
              m.consecutive_failures = 0
              and (m.blocked_until is null or m.blocked_until <= at)
              and (m.last_failure_at is null or m.last_failure_at < lease.issued_at)
            ))
          -- The fast path takes a failure only if its lease was issued before the end of the known block.
          else lease.issued_at < block.rate_ends
        end
      returning k.id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_key, last_at, last_outcome_of_key, answer;
    end if;
    if found then
      -- Stores this report in the health row as the newest, for operators: at most once a second while the outcome stays the same.
      -- Skips a locked row instead of waiting for it.
      if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
        update public.api_key_health h
        set last_reported_at = at,
          last_outcome = this.outcome,
          last_error_code = this.error_code,
          last_effect = case this.rule when 'success' then 'none' else 'ignored' end
        where h.user_api_key_id = (
          select free.user_api_key_id
          from public.api_key_health free
          where free.user_api_key_id = reported_key
            -- Keeps an outcome that a newer report has stored.
            and (free.last_reported_at is null or free.last_reported_at < at)
          for no key update skip locked
        );
      end if;
      return answer;
    end if;
    is_plain := false;
  end loop;

  told := jsonb_populate_record(null::private.key_report, report_api_key.report);
  if is_same_answer and lease.id is not null then
    answer := private.report_same_answer(report_api_key.user_id, agent_id, lease, told);
    if answer is not null then
      return answer;
    end if;
  end if;
  told.model := model;
  told.scope := scope;
  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    told
  ));
end;
$$;
comment on function public.report_api_key is 'Records the outcome of one use of a key and changes the state of the key accordingly. For the function set-key-state. report has the fields of private.key_report, as core makes them: outcome, rule, error_code and the numbers of the rule. Its field hint_given is true when the provider stated a wait, even one that core could not read. An agent may report only on its own leases, the owner of the pool on every lease of the pool. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when another transaction kept a row locked: then nothing was done, so call again.';
revoke execute on function public.report_api_key from public, anon, authenticated, service_role;
grant execute on function public.report_api_key to service_role;
