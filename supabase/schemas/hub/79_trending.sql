-- Computes the listings that trend this week. Users cannot read the stars and imports of others, so SECURITY DEFINER functions
-- count them.
create index hub_stars_starred_at_idx on public.hub_stars (starred_at);
create index hub_imports_created_at_idx on public.hub_imports (created_at);

create function private.count_trending(most integer)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
-- Keeps one query plan for each session: planning takes longer than counting a few hundred acts (stars, imports and remixes).
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  return (
    with acts as (
      -- Counts one act of each kind for each user and listing.
      select distinct l.kind, l.asset_id, l.user_id
      from (
        (
          select 'star' as kind, s.asset_id, s.user_id
          from public.hub_stars s
          where s.starred_at > now() - interval '7 days'
          order by s.starred_at desc
          limit count_trending.most
        )
        union all
        (
          select 'import', i.asset_id, i.user_id
          from public.hub_imports i
          where i.created_at > now() - interval '7 days'
          order by i.created_at desc
          limit count_trending.most
        )
        union all
        (
          select 'remix', r.parent_asset_id, r.creator_id
          from public.hub_assets r
          where r.is_visible and r.published_at > now() - interval '7 days'
          order by r.published_at desc, r.id desc
          limit count_trending.most
        )
      ) l
      where l.asset_id is not null and l.user_id is not null
    ),
    counted as (
      select a.id, coalesce(a.creator_id, a.id) as creator, a.published_at,
        sum(case c.kind when 'import' then 3 when 'star' then 2 else 5 end) as weight
      from acts c
      join public.hub_assets a on a.id = c.asset_id
      where a.is_visible
        -- The creator's own acts do not count.
        and c.user_id is distinct from a.creator_id
      group by a.id
    ),
    scored as (
      select c.id, c.creator,
        ln(1 + c.weight)::float8
          * greatest(0.25, power(2::float8, - extract(epoch from now() - c.published_at)::float8 / 86400 / 14)) as score
      from counted c
    ),
    ranked as (
      select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s
    ),
    -- The first twenty places hold at most two listings of one creator. Further listings of that creator come after these places,
    -- and only when all twenty are filled.
    first as (
      select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
    ),
    placed as (
      select r.id, r.score, f.id is not null as is_first
      from ranked r
      left join first f on f.id = r.id
      where f.id is not null or (select count(*) from first) = 20
      order by f.id is not null desc, r.score desc, r.id
      limit 120
    )
    select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p
  );
end;
$$;
comment on function private.count_trending is 'Returns the ids of trending listings, best first, counted from the stars, imports and remixes of the last seven days. Reads the latest `most` stars, imports and new listings, or, with null, all.';
revoke execute on function private.count_trending from public, anon, authenticated, service_role;

create function private.has_many_acts()
returns boolean
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  return exists (select from public.hub_stars s where s.starred_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_imports i where i.created_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_assets a where a.is_visible and a.published_at > now() - interval '7 days' offset 100);
end;
$$;
comment on function private.has_many_acts is 'Returns whether the last seven days have more stars, imports or new listings than the 100 of each that hub_trending counts in a call.';
revoke execute on function private.has_many_acts from public, anon, authenticated, service_role;

create function private.trending(wanted integer)
returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  -- Writers of stars and imports renew the snapshot, so when the snapshot is hours old, little has happened since.
  ids constant jsonb := coalesce(private.snapshot('trending', '1 day'), private.count_trending(100));
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A listing may have been hidden after the snapshot was made.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$$;
comment on function private.trending is 'Returns the ids of the visible listings that trend, best first.';
revoke execute on function private.trending from public, anon, authenticated, service_role;
grant execute on function private.trending to anon, authenticated, service_role;

create function private.refresh_old_trending()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Leaves a fresh snapshot as it is. Of concurrent writers, one replaces an old snapshot, and the others do not wait for it.
  perform from private.hub_snapshots s
  where s.name = 'trending' and s.made_at < clock_timestamp() - interval '15 minutes'
  for update skip locked;
  if found then
    update private.hub_snapshots s
    -- When there are few acts, the value is null, and each call counts the acts.
    set value = case when private.has_many_acts() then private.count_trending(2000) end, made_at = clock_timestamp()
    where s.name = 'trending';
  end if;
  return null;
end;
$$;
comment on function private.refresh_old_trending is 'Renews the snapshot of trending on a hub without a schedule: the first star or import when the snapshot is more than 15 minutes old counts at most the latest 2,000 acts of each kind.';
revoke execute on function private.refresh_old_trending from public, anon, authenticated, service_role;

-- The names of these two triggers sort before those of the triggers that count stars and imports and lock the listing, so no
-- listing is locked while trending is counted.
create trigger hub_stars_10_refresh_trending after insert on public.hub_stars
for each statement execute function private.refresh_old_trending();
create trigger hub_imports_10_refresh_trending after insert on public.hub_imports
for each statement execute function private.refresh_old_trending();

create function private.judge_page_size(page_size integer)
returns void
language plpgsql
immutable
security definer
set search_path = ''
as $$
begin
  if judge_page_size.page_size not between 1 and 100 then
    perform private.refuse_faults(private.fault('page_size', 'invalid_value', 'must be from 1 to 100'));
  end if;
end;
$$;
comment on function private.judge_page_size is 'Checks that a page size is from 1 to 100. Raises PT422 validation_failed.';
revoke execute on function private.judge_page_size from public, anon, authenticated, service_role;
grant execute on function private.judge_page_size to anon, authenticated, service_role;

create function public.hub_trending(page_size integer default 20)
returns json
language plpgsql
stable
security invoker
set search_path = ''
as $$
begin
  perform private.judge_page_size(hub_trending.page_size);
  return json_build_object('items', private.asset_cards(private.trending(coalesce(hub_trending.page_size, 20))));
end;
$$;
comment on function public.hub_trending is 'Returns the listings that were installed, starred and remixed most in the last seven days: {items}. Raises PT422 validation_failed.';
revoke execute on function public.hub_trending from public, anon, authenticated, service_role;
grant execute on function public.hub_trending to anon, authenticated, service_role;
