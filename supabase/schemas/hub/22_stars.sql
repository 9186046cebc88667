-- Stars. star_count changes by the number of rows added or removed. It is not recounted: two concurrent recounts would miss each
-- other's rows.
create table public.hub_stars (
  asset_id uuid not null,
  user_id uuid not null default auth.uid(),
  starred_at timestamptz not null default now(),
  constraint hub_stars_pkey primary key (asset_id, user_id),
  constraint hub_stars_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_stars_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table public.hub_stars is 'One star per user and asset. Starring an asset again changes nothing.';
alter table public.hub_stars enable row level security;
revoke all on table public.hub_stars from public, anon, authenticated, service_role;
grant select, insert (asset_id, user_id), delete on table public.hub_stars to authenticated;
grant select on table public.hub_stars to service_role;

create index hub_stars_user_id_idx on public.hub_stars (user_id);

create policy hub_stars_select on public.hub_stars for select to authenticated using (user_id = (select auth.uid()));
-- The subquery runs with the caller's rights, so that a hidden asset and a missing one give the same error.
create policy hub_stars_insert on public.hub_stars for insert to authenticated
with check (
  user_id = (select auth.uid())
  and (select private.is_member())
  and exists (
    select from public.hub_assets a
    where a.id = hub_stars.asset_id
      and (a.is_visible or (a.is_shared and a.organization_id = any (array(select private.member_organization_ids()))))
  )
);
create policy hub_stars_delete on public.hub_stars for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy hub_stars_service_select on public.hub_stars for select to service_role using (true);

create function private.hub_stars_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and private.is_seen_by(a, new.user_id))
  then
    -- The star exists already: starring is idempotent, also for an insert without "on conflict". The lock of begin_write keeps
    -- another insert of this user from running in between.
    return null;
  end if;
  return new;
end;
$$;
comment on function private.hub_stars_before_insert is 'Skips the insert when the star exists already, so that starring is idempotent. Raises PT403 banned.';
revoke execute on function private.hub_stars_before_insert from public, anon, authenticated, service_role;

create trigger hub_stars_before_insert
before insert on public.hub_stars
for each row execute function private.hub_stars_before_insert();

create function private.refuse_banned()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Does not check a ban in a cascade, because a banned user may still delete rows of their workspace.
  if pg_trigger_depth() = 1 and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  return null;
end;
$$;
comment on function private.refuse_banned is 'Raises PT403 banned when a banned caller deletes stars or follows, which row level security allows.';
revoke execute on function private.refuse_banned from public, anon, authenticated, service_role;

create trigger hub_stars_refuse_banned
before delete on public.hub_stars
for each statement execute function private.refuse_banned();

-- Changes star_count. Runs once per statement and locks assets in the order of ids, so that two statements with several stars
-- cannot deadlock.
create function private.count_stars()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not private.is_seen_by(a, s.user_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_stars"';
    end if;
    update public.hub_assets a
    set star_count = a.star_count + s.stars
    from (select n.asset_id, count(*)::integer as stars from added n group by n.asset_id) s
    where a.id = s.asset_id;
  else
    perform from public.hub_assets a where a.id in (select s.asset_id from removed s) order by a.id for no key update;
    update public.hub_assets a
    set star_count = a.star_count - s.stars
    from (select o.asset_id, count(*)::integer as stars from removed o group by o.asset_id) s
    where a.id = s.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_stars is 'Changes star_count by the number of stars added or removed.';
revoke execute on function private.count_stars from public, anon, authenticated, service_role;

create trigger hub_stars_20_count_added after insert on public.hub_stars
referencing new table as added for each statement execute function private.count_stars();
create trigger hub_stars_count_removed after delete on public.hub_stars
referencing old table as removed for each statement execute function private.count_stars();

create function private.hub_stars_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_stars", "hint": "delete the star and insert another"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_stars_before_update is 'Refuses to move a star to another asset or user. Raises PT409 append_only.';
revoke execute on function private.hub_stars_before_update from public, anon, authenticated, service_role;

create trigger hub_stars_before_update
before update on public.hub_stars
for each row execute function private.hub_stars_before_update();

create function private.reset_star_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_assets a set star_count = 0 where a.star_count <> 0;
  return null;
end;
$$;
comment on function private.reset_star_counts is 'Sets star_count of all listings to 0 when hub_stars is truncated.';
revoke execute on function private.reset_star_counts from public, anon, authenticated, service_role;

create trigger hub_stars_reset_on_truncate
after truncate on public.hub_stars
for each statement execute function private.reset_star_counts();
