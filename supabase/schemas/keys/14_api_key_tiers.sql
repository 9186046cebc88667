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
begin
  -- Locks the tier's row also where the mark is low enough already: tend_tier cannot see this key before it is committed, and
  -- must not raise the mark until then.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  values (new.user_id, new.priority, new.usage_count, new.id)
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id);
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

-- To tend a tier is to bring its stored values up to date: which keys are ready, the low-water mark, the next expiry check.
create function private.tend_tier(user_id uuid, priority integer, only_expired boolean default false)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  batch constant integer := 64;
  -- Taken before anything is read: a cooldown that is not visible below is newer.
  at constant timestamptz := clock_timestamp();
  expired integer;
begin
  -- Mostly there are none: then nobody waits for this call who makes a key ready.
  if tend_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  perform from private.api_key_tiers t
  where t.user_id = tend_tier.user_id and t.priority = tend_tier.priority
  -- A tier that another call tends is not waited for.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
  update public.user_api_keys k
  set cooling_until = null
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = tend_tier.user_id
      and over.priority = tend_tier.priority
      and not over.is_ready
      and over.ready_at <= at
    order by over.ready_at
    limit batch
    for no key update skip locked
  );
  get diagnostics expired = row_count;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- There are more. An eighth of the time goes into them; in the rest callers take the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      else least(
        at + interval '0.5 s',
        (
          select k.ready_at
          from public.user_api_keys k
          where k.user_id = tend_tier.user_id and k.priority = tend_tier.priority and not k.is_ready
          order by k.ready_at
          limit 1
        )
      )
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
  where mark.user_id = tend_tier.user_id
    and mark.priority = tend_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$$;
comment on function private.tend_tier is 'Makes keys ready whose cooldown is over, the earliest end first; moves the low-water mark up to the first ready key; postpones the next expiry check. Does nothing while another transaction holds the tier, or with only_expired when there are none. Never waits.';
revoke execute on function private.tend_tier from public, anon, authenticated, service_role;
grant execute on function private.tend_tier to service_role;

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
