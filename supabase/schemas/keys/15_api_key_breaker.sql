-- The breaker keeps a network fault from disabling a whole pool. Within a minute, reports can disable at most two keys of one pool
-- and provider. A further report that would disable a key makes the key cool down instead.
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
comment on table public.api_key_alerts is 'Events in a pool that an operator should look at. The edge function keyhub-alerts sends them. Pruning the usage log also deletes old alerts.';
comment on column public.api_key_alerts.provider is 'Provider of the keys that the alert is about; null: keys that serve any provider, or calls that named no provider.';
comment on column public.api_key_alerts.kind is 'The change of state that the alert tells of. pool_starved: no key could be leased for a minute, or no key comes back by itself; pool_recovered: after pool_starved, a key was leased again; key_disabled: a report disabled a key; key_unopenable: a sealed text could not be opened; many_at_once: reports would have disabled more keys of the provider within a minute than the breaker allows, so that further keys cool down.';
comment on column public.api_key_alerts.sent_at is 'When keyhub-alerts delivered the alert to KEYHUB_ALERT_URL; null: not delivered yet.';
comment on column public.api_key_alerts.claimed_until is 'Until this time one call of keyhub-alerts is sending the alert; afterwards another call may send it.';
comment on column public.api_key_alerts.user_api_key_id is 'The id of the key that caused the alert; null for an alert about a pool. Not a foreign key, because the alert stays when the key is deleted.';
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
comment on table private.api_key_breakers is 'The breakers: one row per pool and provider, inserted before a report first disables a key there. A report that is about to disable a key locks the row, so that two reports cannot both disable the last key that the breaker allows.';
comment on column private.api_key_breakers.provider is 'The provider of the keys; an empty text for keys that serve any provider.';
comment on column private.api_key_breakers.key_ids is 'The ids of the keys that reports disabled most recently. recently_disabled_keys reads only these keys, so the list has every key that is still within the window.';
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
      -- Leaves out a key that was given to another user.
      and k.user_id = recently_disabled_keys.user_id
      -- Leaves out a key that has been enabled again.
      and not k.is_active
      -- Leaves out a key that an operator disabled.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$$;
comment on function private.recently_disabled_keys is 'Returns keys of a pool and provider: the ids of those that were disabled by reports within the last window_seconds and are still disabled. Locks the row of the breaker until the transaction ends, so that no other report can disable a key there meanwhile.';
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
comment on function private.alert_once is 'Writes an alert about a key, unless an alert of the same pool, provider and kind is less than quiet_seconds old. The caller must hold a lock against concurrent calls, because two of them could both write the alert.';
revoke execute on function private.alert_once from public, anon, authenticated, service_role;
grant execute on function private.alert_once to service_role;
