-- One bad network must not take a pool: of the keys of one provider, reports disable so many within a minute, and cool the rest.
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
comment on table public.api_key_alerts is 'What an operator should look at, pool by pool; keyhub-alerts sends it. Pruned with the usage log.';
comment on column public.api_key_alerts.provider is 'Provider of the keys; null for those that serve any.';
comment on column public.api_key_alerts.kind is 'One row a change of state. pool_starved: no key could be leased for a minute, or none can come back by itself; pool_recovered: one was leased again; key_disabled: a report did it; key_unopenable: the sealed text; many_at_once: reports would have disabled more keys of the provider within a minute than they may; the rest is cooled.';
comment on column public.api_key_alerts.sent_at is 'When keyhub-alerts had told it to KEYHUB_ALERT_URL.';
comment on column public.api_key_alerts.claimed_until is 'A call of keyhub-alerts is about to send it; after this moment another one may.';
comment on column public.api_key_alerts.user_api_key_id is 'The key that it came up with. No foreign key: the alert outlives it.';
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
comment on table private.api_key_breakers is 'One row for each pool and provider of which a report has disabled a key. Whoever is about to disable one holds it.';
comment on column private.api_key_breakers.provider is 'Empty for keys that serve any.';
comment on column private.api_key_breakers.key_ids is 'The keys that reports disabled last: all of those that can still count.';
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
  -- Held to the end of the transaction, and taken last: who has it waits for nothing any more.
  insert into private.api_key_breakers as b (user_id, provider)
  values (recently_disabled_keys.user_id, coalesce(recently_disabled_keys.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  -- What an operator has enabled since does not count, nor what one has disabled.
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = recently_disabled_keys.user_id
      -- An operator's enabling takes a key out of the count.
      and not k.is_active
      -- An operator's disabling does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$$;
comment on function private.recently_disabled_keys is 'The keys of a pool and provider that reports have disabled within the window and that still are; holds them at that number until the transaction ends.';
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
comment on function private.alert_once is 'Writes an alert of a pool and provider unless there is one of that kind from less than quiet_seconds ago. The caller makes sure that no two do so at once.';
revoke execute on function private.alert_once from public, anon, authenticated, service_role;
grant execute on function private.alert_once to service_role;
