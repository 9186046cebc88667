-- The SQL functions that the edge function keyhub-alerts calls.
create function public.claim_api_key_alerts(most integer)
returns table (id uuid, user_id uuid, provider text, kind text, user_api_key_id uuid, key_name text, detail jsonb, created_at timestamptz)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  starved public.api_key_starvations;
begin
  -- Looks for starved pools here as well: perhaps no agent has asked for a key since the starvation began, because agents wait as
  -- long as the refusal told them to.
  for starved in
    update public.api_key_starvations s
    set alerted_at = at
    where s.id in (
      select o.id
      from public.api_key_starvations o
      where o.ended_at is null
        and o.alerted_at is null
        and o.since <= at - interval '1 minute'
        and (o.soonest_at is null or o.soonest_at > at)
      for update skip locked
    )
    returning s.*
  loop
    perform private.alert_starvation(starved, 'pool_starved');
  end loop;
  return query
  update public.api_key_alerts a
  set claimed_until = at + interval '2 minutes'
  where a.id in (
    select w.id
    from public.api_key_alerts w
    where w.sent_at is null
      -- Leaves out an alert that is more than a day old, because it helps nobody.
      and w.created_at > at - interval '1 day'
      and (w.claimed_until is null or w.claimed_until <= at)
    order by w.created_at, w.id
    limit claim_api_key_alerts.most
    for update skip locked
  )
  returning a.id, a.user_id, a.provider, a.kind, a.user_api_key_id, a.key_name, a.detail, a.created_at;
end;
$$;
comment on function public.claim_api_key_alerts is 'For keyhub-alerts: writes a pool_starved alert for each pool that has been starved for a minute and has no such alert yet. Then returns at most `most` unsent alerts of the last day, oldest first. No other call returns these alerts for two minutes.';
revoke execute on function public.claim_api_key_alerts from public, anon, authenticated, service_role;
grant execute on function public.claim_api_key_alerts to service_role;

create function public.settle_api_key_alerts(sent uuid[], failed uuid[])
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  update public.api_key_alerts a
  set sent_at = case when a.id = any (settle_api_key_alerts.sent) then clock_timestamp() end, claimed_until = null
  where a.id = any (settle_api_key_alerts.sent || settle_api_key_alerts.failed) and a.sent_at is null;
$$;
comment on function public.settle_api_key_alerts is 'For keyhub-alerts: marks the alerts with the ids of sent as sent. Releases the alerts with the ids of failed, so that the next call of claim_api_key_alerts may return them again.';
revoke execute on function public.settle_api_key_alerts from public, anon, authenticated, service_role;
grant execute on function public.settle_api_key_alerts to service_role;
