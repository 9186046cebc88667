-- Sums over the listings of each creator. They are kept current while listings change, so that the directory of creators reads a
-- page in the order of an index.
create table private.hub_creators (
  user_id uuid not null,
  names text not null,
  published_assets integer not null default 0,
  total_installs bigint not null default 0,
  total_stars bigint not null default 0,
  listed_at timestamptz not null default clock_timestamp(),
  constraint hub_creators_pkey primary key (user_id),
  constraint hub_creators_user_id_fkey foreign key (user_id) references public.hub_profiles (user_id) on delete cascade
);
comment on table private.hub_creators is 'Creators who have or had visible listings, with the sums over the visible listings. Maintained by triggers; hub_check_counters compares the sums.';
comment on column private.hub_creators.names is 'The username and the display name in the form in which a search compares them, made by private.name_keys.';
comment on column private.hub_creators.listed_at is 'When the creator''s first listing became visible.';
alter table private.hub_creators enable row level security;
revoke all on table private.hub_creators from public, anon, authenticated, service_role;
grant select on table private.hub_creators to service_role;

create index hub_creators_most_installed_idx on private.hub_creators (total_installs desc, user_id desc) where published_assets > 0;
create index hub_creators_most_starred_idx on private.hub_creators (total_stars desc, user_id desc) where published_assets > 0;
create index hub_creators_newest_idx on private.hub_creators (listed_at desc, user_id desc) where published_assets > 0;

create policy hub_creators_service_select on private.hub_creators for select to service_role using (true);

create function private.name_keys(username text, display_name text)
returns text
language sql
immutable
set search_path = ''
as $$
  select ' ' || private.username_key(name_keys.username) || ' ' || coalesce(private.name_key(name_keys.display_name), '');
$$;
comment on function private.name_keys is 'Returns the keys of both names of a creator, each after a blank.';
revoke execute on function private.name_keys from public, anon, authenticated, service_role;

create type private.creator_change as (creator_id uuid, listings integer, installs integer, stars integer);

create function private.add_to_creators(changes private.creator_change[])
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  -- Changes the rows in the order of ids, so that two statements for the same creators do not deadlock. The join skips creators
  -- whose profile is deleted.
  insert into private.hub_creators as t (user_id, names, published_assets, total_installs, total_stars)
  select c.creator_id, private.name_keys(p.username, p.display_name), c.listings, c.installs, c.stars
  from (
    select u.creator_id, sum(u.listings) as listings, sum(u.installs) as installs, sum(u.stars) as stars
    from unnest(add_to_creators.changes) u
    where u.creator_id is not null
    group by u.creator_id
    having sum(u.listings) <> 0 or sum(u.installs) <> 0 or sum(u.stars) <> 0
  ) c
  join public.hub_profiles p on p.user_id = c.creator_id
  order by c.creator_id
  on conflict (user_id) do update
  set published_assets = t.published_assets + excluded.published_assets,
    total_installs = t.total_installs + excluded.total_installs,
    total_stars = t.total_stars + excluded.total_stars;
$$;
comment on function private.add_to_creators is 'Adds the given changes of listings, installs and stars to the sums of their creators.';
revoke execute on function private.add_to_creators from public, anon, authenticated, service_role;

create function private.count_creators()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
    ));
  elsif tg_op = 'DELETE' then
    perform private.add_to_creators(array(
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  else
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
      union all
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  end if;
  return null;
end;
$$;
comment on function private.count_creators is 'Maintains private.hub_creators after a statement that changed visible listings.';
revoke execute on function private.count_creators from public, anon, authenticated, service_role;

create trigger hub_assets_90_count_creators_insert after insert on public.hub_assets
referencing new table as added for each statement execute function private.count_creators();
create trigger hub_assets_91_count_creators_update after update on public.hub_assets
referencing old table as removed new table as added for each statement execute function private.count_creators();
create trigger hub_assets_92_count_creators_delete after delete on public.hub_assets
referencing old table as removed for each statement execute function private.count_creators();

create function private.rename_creator()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update private.hub_creators t set names = private.name_keys(new.username, new.display_name) where t.user_id = new.user_id;
  return null;
end;
$$;
comment on function private.rename_creator is 'Updates the stored names of a creator, so that a search for creators finds the current names.';
revoke execute on function private.rename_creator from public, anon, authenticated, service_role;

create trigger hub_profiles_20_rename_creator after update on public.hub_profiles
for each row when ((old.username, old.display_name) is distinct from (new.username, new.display_name))
execute function private.rename_creator();
