-- The view has one row for each provider of a pool. Keys without a provider serve every provider; they have a separate row with the
-- provider null.
create view public.api_key_pools
with (security_invoker = true)
as
select
  p.*,
  l.leases as leases_last_hour,
  l.failures as failures_last_hour,
  case
    when p.available = 0 then (
      select min(s.since)
      from public.api_key_starvations s
      where s.user_id = p.user_id and s.ended_at is null and (s.provider is null or s.provider is not distinct from p.provider)
    )
  end as starved_since
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
) p
left join lateral (
  -- The log rows are materialized before the join, because the planner would otherwise read the whole log of each key. The
  -- condition uses now(), because an index cannot be searched with clock_timestamp().
  with recent as materialized (
    select r.user_api_key_id, r.issued_at, r.outcome
    from public.api_key_usage_log r
    where r.user_id = p.user_id
      and coalesce(r.issued_at, r.reported_at) > now() - interval '1 hour'
  )
  select
    count(*) filter (where recent.issued_at is not null) as leases,
    count(*) filter (where recent.outcome <> 'success') as failures
  from recent
  join public.user_api_keys k on k.id = recent.user_api_key_id
  where k.provider is not distinct from p.provider
) l on true;
comment on view public.api_key_pools is 'For operators: one row for each provider of a pool. available, limited, cooling_down and disabled: how many keys are available for every model, limited for some models, cooling down or disabled. soonest_seconds: the seconds until the first cooling key is back. leases_last_hour and failures_last_hour: the leases of the last hour and the failures reported on them, for the keys that exist now. starved_since: since when no key could be leased.';
revoke all on table public.api_key_pools from public, anon, authenticated, service_role;
grant select on table public.api_key_pools to service_role;
