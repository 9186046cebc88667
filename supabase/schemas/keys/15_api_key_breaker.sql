-- A network fault must not disable a whole pool: reports disable at most two keys of a provider within a minute; further keys cool
-- down.
create table public.api_key_alerts (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  provider text,
  kind text not null,
  user_api_key_id uuid,
  key_name text,
  detail jsonb not null default '{}',
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  claimed_until timestamptz,
  constraint api_key_alerts_pkey primary key (id),
  constraint api_key_alerts_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint api_key_alerts_kind_check check (
    kind in ('pool_starved', 'pool_recovered', 'key_disabled', 'key_unopenable', 'many_at_once')
  ),
  constraint api_key_alerts_detail_check check (jsonb_typeof(detail) = 'object')
);
comment on table public.api_key_alerts is 'Events that an operator should look at, by pool; keyhub-alerts sends them. Pruned with the usage log.';
comment on column public.api_key_alerts.provider is 'Provider of the keys; null for keys that serve any provider.';
comment on column public.api_key_alerts.kind is 'One row per change of state. pool_starved: for a minute no key could be leased, or no key comes back by itself; pool_recovered: a key was leased again; key_disabled: a report disabled a key; key_unopenable: a sealed text could not be opened; many_at_once: reports would have disabled more keys of the provider within a minute than allowed, so that further keys cool down.';
comment on column public.api_key_alerts.sent_at is 'When keyhub-alerts delivered the alert to KEYHUB_ALERT_URL.';
comment on column public.api_key_alerts.claimed_until is 'Until this time one call of keyhub-alerts is sending the alert; afterwards another call may send it.';
comment on column public.api_key_alerts.user_api_key_id is 'The key that caused the alert. No foreign key: the alert outlives the key.';
alter table public.api_key_alerts enable row level security;
revoke all on table public.api_key_alerts from public, anon, authenticated, service_role;
grant select, insert, update (sent_at, claimed_until) on table public.api_key_alerts to service_role;

create index api_key_alerts_user_id_idx on public.api_key_alerts (user_id, created_at);
create index api_key_alerts_created_at_idx on public.api_key_alerts (created_at);
create index api_key_alerts_unsent_idx on public.api_key_alerts (created_at) where sent_at is null;

create policy api_key_alerts_service_select on public.api_key_alerts for select to service_role using (true);
create policy api_key_alerts_service_update on public.api_key_alerts for update to service_role using (true) with check (true);
create policy api_key_alerts_service_insert on public.api_key_alerts for insert to service_role with check (true);

create table private.api_key_breakers (
  user_id uuid not null,
  provider text not null,
  key_ids uuid[] not null default '{}',
  constraint api_key_breakers_pkey primary key (user_id, provider),
  constraint api_key_breakers_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table private.api_key_breakers is 'One row per pool and provider that had a key disabled by a report. A report that is about to disable a key locks the row, so that two reports cannot both disable the last key that the breaker allows.';
comment on column private.api_key_breakers.provider is 'Empty for keys that serve any provider.';
comment on column private.api_key_breakers.key_ids is 'The keys that reports disabled last, including all that recently_disabled_keys can still count.';
alter table private.api_key_breakers enable row level security;
revoke all on table private.api_key_breakers from public, anon, authenticated, service_role;
grant select, insert, update on table private.api_key_breakers to service_role;

create policy api_key_breakers_service_all on private.api_key_breakers for all to service_role using (true) with check (true);

create function private.recently_disabled_keys(user_id uuid, provider text, window_seconds double precision)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  listed uuid[];
begin
  -- Locks the breaker's row until the transaction ends. No deadlock can follow, because this lock is the last one: its holder waits
  -- for nothing else.
  insert into private.api_key_breakers as b (user_id, provider)
  values (recently_disabled_keys.user_id, coalesce(recently_disabled_keys.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = recently_disabled_keys.user_id
      -- A key that has been enabled again does not count.
      and not k.is_active
      -- A key that an operator disabled does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$$;
comment on function private.recently_disabled_keys is 'Returns the keys of a pool and provider that reports disabled within the window and that are still disabled. Locks the breaker''s row until the transaction ends, so that the number cannot change.';
revoke execute on function private.recently_disabled_keys from public, anon, authenticated, service_role;
grant execute on function private.recently_disabled_keys to service_role;

create function private.alert_once(user_id uuid, provider text, kind text, key_id uuid, detail jsonb, quiet_seconds double precision)
returns void
language sql
volatile
set search_path = ''
as $$
  insert into public.api_key_alerts (user_id, provider, kind, user_api_key_id, key_name, detail, created_at)
  select alert_once.user_id, alert_once.provider, alert_once.kind, alert_once.key_id, k.key_name, alert_once.detail, clock_timestamp()
  from public.user_api_keys k
  where k.id = alert_once.key_id
    and not exists (
      select
      from public.api_key_alerts a
      where a.user_id = alert_once.user_id
        and a.provider is not distinct from alert_once.provider
        and a.kind = alert_once.kind
        and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)
    );
$$;
comment on function private.alert_once is 'Writes an alert for a pool and provider unless one of that kind was written less than quiet_seconds ago. The caller must prevent two concurrent calls.';
revoke execute on function private.alert_once from public, anon, authenticated, service_role;
grant execute on function private.alert_once to service_role;
