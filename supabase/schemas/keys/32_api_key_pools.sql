-- A line for each provider of a pool. A key without a provider serves every one and has a line of its own (provider null).
create view public.api_key_pools
with (security_invoker = true)
as
select
  p.*,
  (
    select count(*)
    from public.user_api_keys k
    join public.api_key_usage_log l on l.user_api_key_id = k.id
    where k.user_id = p.user_id
      and k.provider is not distinct from p.provider
      and l.issued_at > clock_timestamp() - interval '1 hour'
  ) as leases_last_hour,
  (
    select count(*)
    from public.user_api_keys k
    join public.api_key_usage_log l on l.user_api_key_id = k.id
    where k.user_id = p.user_id
      and k.provider is not distinct from p.provider
      and l.reported_at > clock_timestamp() - interval '1 hour'
      and l.outcome <> 'success'
  ) as failures_last_hour
from (
  select
    k.user_id,
    k.provider,
    count(*) filter (where k.ready_at <= k.at and not k.is_limited) as available,
    count(*) filter (where k.ready_at <= k.at and k.is_limited) as limited,
    count(*) filter (where k.is_usable and k.ready_at > k.at) as cooling_down,
    count(*) filter (where not k.is_usable) as disabled,
    ceil(extract(epoch from min(k.ready_at) filter (where k.is_usable and k.ready_at > k.at) - min(k.at)))::bigint as soonest_seconds
  from (
    select
      every.user_id,
      every.provider,
      every.ready_at,
      every.is_active and every.unusable_reason is null as is_usable,
      exists (select from unnest(every.limited_until) ends where ends > clock.at) as is_limited,
      clock.at
    from (select clock_timestamp() as at) clock
    cross join public.user_api_keys every
  ) k
  group by k.user_id, k.provider
) p;
comment on view public.api_key_pools is 'For operators: how many keys of each provider of a pool are available for every model, limited for some, cooling down and disabled, when the first that cools is back (seconds), and leases and failures of the last hour by the keys that are there now. Reads of the log only the keys it is asked for: name a user_id.';
revoke all on table public.api_key_pools from public, anon, authenticated, service_role;
grant select on table public.api_key_pools to service_role;
