-- Each row is a tier: a priority that a pool has keys of. A search for a ready key starts at the low-water mark (low_water_count,
-- low_water_id): no ready key of the tier has a lower (usage_count, id). Each lease raises usage_count, so that it moves its key's
-- index entry from the front to the back and leaves a dead entry behind. Without the mark, each search would read all dead entries
-- until the next vacuum.
create table private.api_key_tiers (
  user_id uuid not null,
  priority integer not null,
  low_water_count bigint not null,
  low_water_id uuid not null,
  next_expiry_check_at timestamptz not null default '-infinity',
  model_marks jsonb not null default '{}',
  constraint api_key_tiers_pkey primary key (user_id, priority),
  constraint api_key_tiers_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
) with (fillfactor = 50);
comment on table private.api_key_tiers is 'The tiers of each pool, with the low-water mark, where a search for the least used ready key of the tier starts. A tier keeps its row when it has no keys any more.';
comment on column private.api_key_tiers.next_expiry_check_at is 'While the tier has a ready key, leases do not look for its expired cooldowns before this time, which is normally half a second after the last check.';
comment on column private.api_key_tiers.model_marks is 'The model marks of the tier: {model: {count, id, until}}. Before the time until, no ready key with a (usage_count, id) below (count, id) is free for the model, so a search for the model starts there. Every change that makes a key ready, lowers its usage_count or ends a block for a model early deletes all model marks of the tier.';
alter table private.api_key_tiers enable row level security;
revoke all on table private.api_key_tiers from public, anon, authenticated, service_role;
grant select, insert, update on table private.api_key_tiers to service_role;

create policy api_key_tiers_service_all on private.api_key_tiers for all to service_role using (true) with check (true);

-- Returns the usage_count at which a key that joins a tier starts: with a lower usage_count the key would get all leases until it
-- had caught up with the other keys of the tier.
create function private.least_usage_count(user_id uuid, priority integer, except_id uuid, is_ready boolean)
returns bigint
language sql
stable
set search_path = ''
as $$
  select k.usage_count
  from public.user_api_keys k
  where k.user_id = least_usage_count.user_id
    and k.priority = least_usage_count.priority
    and k.is_ready = least_usage_count.is_ready
    and k.is_active
    and k.id is distinct from least_usage_count.except_id
    -- A search for ready keys starts at the low-water mark, because below it the index is full of dead entries that leases left
    -- behind.
    and k.usage_count >= coalesce(
      (
        select t.low_water_count
        from private.api_key_tiers t
        where t.user_id = least_usage_count.user_id
          and t.priority = least_usage_count.priority
          and least_usage_count.is_ready
      ),
      0
    )
  order by k.usage_count, k.id
  limit 1;
$$;
comment on function private.least_usage_count is 'Returns the least usage_count of the ready keys of a tier, or, with is_ready false, of its active keys that are not ready; null when there are no such keys. Leaves out the key except_id.';
revoke execute on function private.least_usage_count from public, anon, authenticated, service_role;
grant execute on function private.least_usage_count to service_role;

create function private.lower_low_water_mark()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- Locks the tier's row even when the mark is already low enough. refresh_tier cannot see this key before the commit, so until
  -- then it must not raise the mark above the key.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  values (new.user_id, new.priority, new.usage_count, new.id)
  on conflict (user_id, priority) do update
  set (low_water_count, low_water_id) = (
      select low.usage_count, low.id
      from (values (excluded.low_water_count, excluded.low_water_id), (t.low_water_count, t.low_water_id)) low (usage_count, id)
      order by low.usage_count, low.id
      limit 1
    ),
    model_marks = '{}'
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id) or t.model_marks <> '{}';
  return null;
end;
$$;
comment on function private.lower_low_water_mark is 'When a key becomes ready, joins a tier or gets a lower usage_count: lowers the low-water mark of the tier to this key if the mark is higher, and deletes the model marks of the tier.';
revoke execute on function private.lower_low_water_mark from public, anon, authenticated, service_role;

create trigger user_api_keys_55_lower_low_water_mark_insert
after insert on public.user_api_keys
for each row execute function private.lower_low_water_mark();
-- For a lease, this condition is false, so a lease does not call the function.
create trigger user_api_keys_60_lower_low_water_mark_update
after update on public.user_api_keys
for each row
when (
  new.usage_count < old.usage_count
  or new.is_ready and not old.is_ready
  or new.priority <> old.priority
  or new.user_id <> old.user_id
)
execute function private.lower_low_water_mark();

-- Brings the stored values of a tier up to date: which keys are ready, the low-water mark, the time of the next expiry check.
create function private.refresh_tier(user_id uuid, priority integer, only_expired boolean default false)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch constant integer := 64;
  -- Reads the clock before any row, so a cooldown that the queries below do not see was committed after this time.
  at constant timestamptz := clock_timestamp();
  over_id uuid;
  expired integer := 0;
begin
  -- Checks without a lock first, because usually no cooldown has expired. If this call took the lock at once, a transaction that
  -- makes a key ready would have to wait for it.
  if refresh_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = refresh_tier.user_id and k.priority = refresh_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- A transaction that makes a key ready holds this lock until its commit, so the queries below see every ready key.
  perform from private.api_key_tiers t
  where t.user_id = refresh_tier.user_id and t.priority = refresh_tier.priority
  -- Skips a tier that another call is refreshing.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Does not take the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready. Handles
  -- the keys in the order of their usage_count. When the tier had no ready key, the usage_count of each further key rises to the
  -- least usage_count of the keys that this loop made ready before.
  for over_id in
    select over.id
    from (
      select k.usage_count, k.id
      from public.user_api_keys k
      where k.user_id = refresh_tier.user_id
        and k.priority = refresh_tier.priority
        and not k.is_ready
        and k.ready_at <= at
      order by k.ready_at
      limit batch
      for no key update skip locked
    ) over
    order by over.usage_count, over.id
  loop
    update public.user_api_keys k set cooling_until = null where k.id = over_id;
    expired := expired + 1;
  end loop;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- This batch was full, so more cooldowns may have expired. The next batch starts when eight times the duration of this one
      -- has passed, so that clearing takes an eighth of the time. In the rest, callers lease the ready keys.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      -- A check every half second is enough, because leases check a tier without a ready key at once, and a key that becomes ready
      -- somewhat later keeps its place in the order of selection.
      else at + interval '0.5 s'
    end
  from private.api_key_tiers mark
  cross join lateral (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = mark.user_id
      and k.priority = mark.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (mark.low_water_count, mark.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where mark.user_id = refresh_tier.user_id
    and mark.priority = refresh_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$$;
comment on function private.refresh_tier is 'Clears at most 64 expired cooldowns of a tier, the earliest first, moves the low-water mark of the tier up to its first ready key, and sets the time of the next expiry check. Does nothing while another transaction has locked the row of the tier, or, with only_expired, when no cooldown has expired. Never waits for a lock.';
revoke execute on function private.refresh_tier from public, anon, authenticated, service_role;
grant execute on function private.refresh_tier to service_role;

create function private.raise_model_mark(user_id uuid, priority integer, model text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
  tier private.api_key_tiers;
  old_mark jsonb;
  until timestamptz := 'infinity';
  front_count bigint;
  front_id uuid;
begin
  -- Every transaction that makes a key ready, or ends a block early, holds this lock until its commit, so the queries below see all
  -- such changes.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_model_mark.user_id and t.priority = raise_model_mark.priority
  -- Skips a tier that another call is refreshing.
  for no key update skip locked;
  if not found then
    return;
  end if;
  old_mark := tier.model_marks -> raise_model_mark.model;
  if (old_mark ->> 'until')::timestamptz > at then
    tier.low_water_count := old_mark ->> 'count';
    tier.low_water_id := old_mark ->> 'id';
    until := old_mark ->> 'until';
  end if;
  select k.usage_count, k.id into front_count, front_id
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.limited_models is null or raise_model_mark.model <> all (k.limited_models))
  order by k.usage_count, k.id
  limit 1;
  -- When no ready key is free for the model, sets the mark behind every key.
  front_count := coalesce(front_count, 5000000000000000000);
  front_id := coalesce(front_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The mark is valid until a key before the mark becomes free for the model: until the earliest end of these blocks.
  select least(until, min(k.limited_until[array_position(k.limited_models, raise_model_mark.model)])) into until
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.usage_count, k.id) < (front_count, front_id);
  if until > at and until < 'infinity' then
    update private.api_key_tiers t
    set model_marks = (
      -- Drops expired marks of all models. When 200 or more marks have not expired, drops these as well, to keep the column small.
      select case when count(*) < 200 then coalesce(jsonb_object_agg(m.key, m.value), '{}') else '{}' end
      from jsonb_each(t.model_marks) m
      where (m.value ->> 'until')::timestamptz > at
    ) || jsonb_build_object(
      raise_model_mark.model, jsonb_build_object('count', front_count, 'id', front_id, 'until', until)
    )
    where t.user_id = tier.user_id and t.priority = tier.priority;
  end if;
end;
$$;
comment on function private.raise_model_mark is 'Moves the mark of a model in a tier up to the first ready key that is not limited for the model. Does nothing while another transaction has locked the row of the tier. Never waits for a lock.';
revoke execute on function private.raise_model_mark from public, anon, authenticated, service_role;
grant execute on function private.raise_model_mark to service_role;

create function private.rebuild_tiers(user_id uuid)
returns void
language sql
volatile
set search_path = ''
as $$
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  select distinct k.user_id, k.priority, 0, '00000000-0000-0000-0000-000000000000'::uuid
  from public.user_api_keys k
  where k.user_id = rebuild_tiers.user_id
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id, model_marks = '{}';
$$;
comment on function private.rebuild_tiers is 'Inserts the missing tiers of a pool and sets the low-water mark of each tier below all keys. Needed after keys were inserted without firing triggers, such as from a restored dump.';
revoke execute on function private.rebuild_tiers from public, anon, authenticated, service_role;
grant execute on function private.rebuild_tiers to service_role;
