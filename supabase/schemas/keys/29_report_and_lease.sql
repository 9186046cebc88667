-- Reports on a lease and leases the next key in one call, for an agent that goes from one task to the next.
create function public.report_and_lease(
  report jsonb,
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  exclude uuid[] default '{}',
  model text default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- The timeout is shorter than deadlock_timeout for the reason given in report_api_key and lease_api_key.
set lock_timeout = '600ms'
as $$
declare
  -- The report comes first, so that a key that it blocks is not leased again.
  reported constant jsonb := public.report_api_key(
    report => report_and_lease.report,
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    lease_id => (report_and_lease.report ->> 'lease_id')::uuid
  );
begin
  -- The report holds locks, so lease_api_key must not wait for a key and may return the kind retry. In that case the report is
  -- still committed. An error of lease_api_key rolls the report back.
  return jsonb_build_object(
    'reported', reported,
    'lease', public.lease_api_key(
      token_hash => report_and_lease.token_hash,
      user_id => report_and_lease.user_id,
      provider => report_and_lease.provider,
      live_kids => report_and_lease.live_kids,
      exclude => report_and_lease.exclude,
      model => report_and_lease.model
    )
  );
end;
$$;
comment on function public.report_and_lease is
  'Calls report_api_key and then lease_api_key in one transaction and returns both answers as {reported, lease}. For the function get-active-key. When lease has the kind retry, the report was recorded: call lease_api_key alone. Raises the errors of both functions; after an error, neither the report nor a lease was made.';
revoke execute on function public.report_and_lease from public, anon, authenticated, service_role;
grant execute on function public.report_and_lease to service_role;
