-- Each row is a starvation: a period in which no key of a pool could be leased. A refused lease begins the period, and the next
-- lease of a fitting key ends it.
create table public.api_key_starvations (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  provider text,
  model text,
  since timestamptz not null,
  last_refused_at timestamptz not null,
  refusals integer not null default 1,
  soonest_at timestamptz,
  ended_at timestamptz,
  alerted_at timestamptz,
  constraint api_key_starvations_pkey primary key (id),
  constraint api_key_starvations_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.api_key_starvations is 'Starvations: periods in which no key of a pool could be leased for the requested provider and model. Pruning the usage log also deletes old starvations.';
comment on column public.api_key_starvations.provider is 'The provider that the refused calls requested; null: they named no provider.';
comment on column public.api_key_starvations.model is 'The model that the refused calls requested, if a key was limited for that model; otherwise null.';
comment on column public.api_key_starvations.refusals is 'Number of refused calls; of the calls within one second, only one is counted.';
comment on column public.api_key_starvations.soonest_at is 'When the first key comes back from its block, according to the last refusal; null: no key comes back without an operator.';
comment on column public.api_key_starvations.ended_at is 'When a fitting key was leased again; null while the starvation lasts.';
alter table public.api_key_starvations enable row level security;
revoke all on table public.api_key_starvations from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_starvations to service_role;

create unique index api_key_starvations_open_key on public.api_key_starvations (user_id, coalesce(provider, ''), coalesce(model, ''))
where ended_at is null;
create index api_key_starvations_user_id_idx on public.api_key_starvations (user_id, since);
create index api_key_starvations_last_refused_at_idx on public.api_key_starvations (last_refused_at);

create policy api_key_starvations_service_all on public.api_key_starvations for all to service_role using (true) with check (true);

create function private.alert_starvation(starvation public.api_key_starvations, kind text, detail jsonb default '{}')
returns void
language sql
volatile
set search_path = ''
as $$
  insert into public.api_key_alerts (user_id, provider, kind, detail, created_at)
  values (
    (alert_starvation.starvation).user_id, (alert_starvation.starvation).provider, alert_starvation.kind,
    jsonb_build_object(
      'model', (alert_starvation.starvation).model,
      'since', (alert_starvation.starvation).since,
      'soonest_at', (alert_starvation.starvation).soonest_at
    ) || alert_starvation.detail,
    clock_timestamp()
  );
$$;
comment on function private.alert_starvation is 'Writes an alert of the given kind with the model, the start and the expected end of a starvation.';
revoke execute on function private.alert_starvation from public, anon, authenticated, service_role;
grant execute on function private.alert_starvation to service_role;

-- Records that a lease was refused. Refused callers do not wait for each other here: one of them writes the row, and the others
-- write nothing.
create function private.note_starvation(user_id uuid, provider text, model text, refusal jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  at timestamptz := clock_timestamp();
  -- The model is stored only if some key is limited for it, because agents may send any text as the model.
  wanted constant text := case when (note_starvation.refusal ->> 'limited')::integer > 0 then note_starvation.model end;
  soonest constant timestamptz := at + make_interval(secs => (note_starvation.refusal ->> 'retry_after')::double precision);
  last public.api_key_starvations;
begin
  -- A pool that has no key for the provider is not starved: the call asked for the wrong provider.
  if (note_starvation.refusal ->> 'cooling_down')::integer + (note_starvation.refusal ->> 'limited')::integer
    + (note_starvation.refusal ->> 'disabled')::integer = 0
    or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(note_starvation.user_id, 3))
  then
    return;
  end if;
  select s.* into last
  from public.api_key_starvations s
  where s.user_id = note_starvation.user_id
    and s.provider is not distinct from note_starvation.provider
    and s.model is not distinct from wanted
    and (s.ended_at is null or (s.alerted_at is null and s.last_refused_at > at - interval '1 minute'))
  order by s.ended_at is null desc, s.since desc
  limit 1
  for update skip locked;
  if last.id is null then
    insert into public.api_key_starvations (user_id, provider, model, since, last_refused_at, soonest_at)
    values (note_starvation.user_id, note_starvation.provider, wanted, at, at, soonest)
    -- There is a conflict when a lease is just ending the open starvation: it has locked the row, so the query above skipped it.
    on conflict do nothing
    returning * into last;
  elsif last.ended_at is not null then
    -- Reopens a starvation that had no alert and whose last refusal is at most a minute old. Otherwise a pool at its limit, where
    -- refused and granted leases alternate, would get a new row every second.
    update public.api_key_starvations s
    set since = at, last_refused_at = at, soonest_at = soonest, refusals = 1, ended_at = null
    where s.id = last.id
    returning s.* into last;
  elsif last.last_refused_at < at - interval '1 second' then
    update public.api_key_starvations s
    set last_refused_at = at, soonest_at = soonest, refusals = s.refusals + 1
    where s.id = last.id
    returning s.* into last;
  end if;
  if last.id is not null and last.alerted_at is null and (soonest is null or last.since <= at - interval '1 minute') then
    update public.api_key_starvations s set alerted_at = at, soonest_at = soonest where s.id = last.id returning s.* into last;
    perform private.alert_starvation(
      last, 'pool_starved', note_starvation.refusal - array['kind', 'retry_after', 'other_providers']
    );
  end if;
end;
$$;
comment on function private.note_starvation is 'Records a refused lease in api_key_starvations; refusal is the answer of pool_availability. Writes one pool_starved alert for a starvation: when it has lasted a minute, or at once when no key comes back by itself.';
revoke execute on function private.note_starvation from public, anon, authenticated, service_role;
grant execute on function private.note_starvation to service_role;

create function private.end_starvations(user_id uuid, key_id uuid, model text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  ended public.api_key_starvations;
begin
  for ended in
    update public.api_key_starvations s
    set ended_at = clock_timestamp()
    where s.id in (
      select o.id
      from public.api_key_starvations o
      join public.user_api_keys k on k.id = end_starvations.key_id
      where o.user_id = end_starvations.user_id
        and o.ended_at is null
        and (o.provider is null or k.provider is null or o.provider = k.provider)
        and (o.model is null or o.model = end_starvations.model)
      -- Skips rows that another lease is ending.
      for update of o skip locked
    )
    returning s.*
  loop
    if ended.alerted_at is not null then
      perform private.alert_starvation(ended, 'pool_recovered', jsonb_build_object('ended_at', ended.ended_at, 'refusals', ended.refusals));
    end if;
  end loop;
end;
$$;
comment on function private.end_starvations is 'Ends the open starvations of a pool whose provider and model fit the key and the model of a lease. Writes a pool_recovered alert for each of them that had a pool_starved alert.';
revoke execute on function private.end_starvations from public, anon, authenticated, service_role;
grant execute on function private.end_starvations to service_role;
