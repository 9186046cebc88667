-- One row per priority that a pool has keys of. The low-water mark (low_water_count, low_water_id) is where the scan of the
-- tier starts: no ready key comes before it. Each lease moves its key's index entry from the front to the back and leaves a
-- dead entry behind; without the mark a scan would read all dead entries until the next vacuum.
create table private.api_key_tiers (
  user_id uuid not null,
  priority integer not null,
  low_water_count bigint not null,
  low_water_id uuid not null,
  next_expiry_check_at timestamptz not null default '-infinity',
  constraint api_key_tiers_pkey primary key (user_id, priority),
  constraint api_key_tiers_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
) with (fillfactor = 50);
comment on table private.api_key_tiers is 'The tiers of each pool, and where the scan for the least used ready key starts. A tier that lost its keys keeps its row.';
comment on column private.api_key_tiers.next_expiry_check_at is 'Until then leases do not look for expired cooldowns. Never after the end of a cooldown that was visible when it was set, and at most half a second ahead.';
alter table private.api_key_tiers enable row level security;
revoke all on table private.api_key_tiers from public, anon, authenticated, service_role;
grant select, insert, update on table private.api_key_tiers to service_role;

create policy api_key_tiers_service_all on private.api_key_tiers for all to service_role using (true) with check (true);

create function private.lower_low_water_mark()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  tier private.api_key_tiers;
begin
  -- Locked even where the mark is low enough already: raise_low_water_mark cannot see this key before it is committed, and
  -- must not move the mark until then.
  loop
    select t.* into tier
    from private.api_key_tiers t
    where t.user_id = new.user_id and t.priority = new.priority
    -- guard: a key that joins keeps the low-water mark from being raised past it
    -- without: ;
    for no key update;
    -- end
    exit when found;
    insert into private.api_key_tiers (user_id, priority, low_water_count, low_water_id)
    values (new.user_id, new.priority, new.usage_count, new.id)
    on conflict do nothing;
  end loop;
  -- guard: a key that joins lowers the low-water mark
  -- without: if false then
  if (new.usage_count, new.id) < (tier.low_water_count, tier.low_water_id) then
  -- end
    update private.api_key_tiers t
    set low_water_count = new.usage_count, low_water_id = new.id
    where t.user_id = new.user_id and t.priority = new.priority;
  end if;
  return null;
end;
$$;
comment on function private.lower_low_water_mark is 'Keeps the low-water mark of a tier at or below every key that becomes ready or gets a lower count.';
revoke execute on function private.lower_low_water_mark from public, anon, authenticated, service_role;

create trigger user_api_keys_55_lower_low_water_mark_insert
after insert on public.user_api_keys
for each row execute function private.lower_low_water_mark();
-- A lease evaluates this condition and does not call the function.
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

create function private.expire_cooldowns(user_id uuid, priority integer, at timestamptz, batch integer)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  expired integer := 0;
begin
  -- One caller at a time per tier, and nobody waits for it: a second caller takes a key that is ready.
  perform from private.api_key_tiers t
  where t.user_id = expire_cooldowns.user_id and t.priority = expire_cooldowns.priority
  for no key update skip locked;
  if found then
    -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
    update public.user_api_keys k
    set cooling_until = null
    where k.id in (
      select over.id
      from public.user_api_keys over
      where over.user_id = expire_cooldowns.user_id
        and over.priority = expire_cooldowns.priority
        and not over.is_ready
        and over.is_active
        and over.unusable_reason is null
        and over.cooling_until <= expire_cooldowns.at
      order by over.cooling_until
      limit expire_cooldowns.batch
      for no key update skip locked
    );
    get diagnostics expired = row_count;
  end if;
  return expired;
end;
$$;
comment on function private.expire_cooldowns is 'Makes keys ready whose cooldown is over, the earliest end first; returns how many. Never waits.';
revoke execute on function private.expire_cooldowns from public, anon, authenticated, service_role;
grant execute on function private.expire_cooldowns to service_role;

create function private.raise_low_water_mark(user_id uuid, priority integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  tier private.api_key_tiers;
  -- Taken before anything is read: a cooldown that is not visible below is newer.
  at constant timestamptz := clock_timestamp();
begin
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_low_water_mark.user_id and t.priority = raise_low_water_mark.priority
  -- guard: postponing the next expiry check never waits for a tier's lock
  -- without: for no key update;
  for no key update skip locked;
  -- end

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = least(
      -- guard: the next expiry check is half a second ahead at most
      -- without: at + interval '1 day',
      at + interval '0.5 s',
      -- end
      (
        select k.cooling_until
        from public.user_api_keys k
        where k.user_id = tier.user_id
          and k.priority = tier.priority
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until is not null
        -- guard: the next expiry check is not after the end of the earliest cooldown
        -- without: order by k.cooling_until desc
        order by k.cooling_until
        -- end
        limit 1
      )
    )
  from (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = tier.user_id
      and k.priority = tier.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where t.user_id = tier.user_id and t.priority = tier.priority;
end;
$$;
comment on function private.raise_low_water_mark is 'Moves the low-water mark up to the first ready key and postpones the next expiry check, unless another transaction holds the tier. Never waits.';
revoke execute on function private.raise_low_water_mark from public, anon, authenticated, service_role;
grant execute on function private.raise_low_water_mark to service_role;

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
  on conflict (user_id, priority) do update set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id;
$$;
comment on function private.rebuild_tiers is 'Rebuilds the tiers of a pool: for rows that came in without their triggers, such as a restored dump.';
revoke execute on function private.rebuild_tiers from public, anon, authenticated, service_role;
grant execute on function private.rebuild_tiers to service_role;
