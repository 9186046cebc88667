-- A report and the next lease in one call, for an agent that goes from one task to the next.
create function public.report_and_lease(
  report jsonb,
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  exclude uuid[] default '{}'
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- Shorter than deadlock_timeout: see report_api_key and lease_api_key.
set lock_timeout = '600ms'
as $$
declare
  told record;
  reported jsonb;
begin
  select r.* into told
  from jsonb_to_record(report_and_lease.report) r (
    outcome text, rule text, lease_id uuid, error_code text,
    base_seconds double precision, cap_seconds double precision, jitter double precision,
    hint_seconds double precision, hint_at timestamptz, hint_cap_seconds double precision, hint_given boolean,
    error_threshold integer, window_seconds double precision, reset_after_seconds double precision,
    breaker_most integer, breaker_window_seconds double precision, breaker_quiet_seconds double precision
  );
  -- The report first, so that what it blocks is not handed out again.
  reported := public.report_api_key(
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    outcome => told.outcome,
    rule => told.rule,
    lease_id => told.lease_id,
    error_code => told.error_code,
    base_seconds => told.base_seconds,
    cap_seconds => told.cap_seconds,
    jitter => coalesce(told.jitter, 0),
    hint_seconds => told.hint_seconds,
    hint_at => told.hint_at,
    hint_cap_seconds => told.hint_cap_seconds,
    hint_given => coalesce(told.hint_given, false),
    error_threshold => told.error_threshold,
    window_seconds => told.window_seconds,
    reset_after_seconds => told.reset_after_seconds,
    breaker_most => told.breaker_most,
    breaker_window_seconds => told.breaker_window_seconds,
    breaker_quiet_seconds => told.breaker_quiet_seconds
  );
  -- With the report in hand this waits for no key, but says retry; the report is committed all the same.
  return jsonb_build_object(
    'reported', reported,
    'lease', public.lease_api_key(
      token_hash => report_and_lease.token_hash,
      user_id => report_and_lease.user_id,
      provider => report_and_lease.provider,
      live_kids => report_and_lease.live_kids,
      exclude => report_and_lease.exclude
    )
  );
end;
$$;
comment on function public.report_and_lease is
  'report_api_key and then lease_api_key in one transaction: {reported, lease}. A lease that says retry is asked for by lease_api_key alone. For the function get-active-key. Raises what the two raise; then neither was done.';
revoke execute on function public.report_and_lease from public, anon, authenticated, service_role;
grant execute on function public.report_and_lease to service_role;
