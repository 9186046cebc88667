-- Trending this week. Other people's stars and imports are nobody's to read: they are counted here.
create index hub_stars_starred_at_idx on public.hub_stars (starred_at);
create index hub_imports_created_at_idx on public.hub_imports (created_at);

create function private.count_trending(most integer)
returns jsonb
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  with latest_stars as (
    select s.asset_id, s.user_id
    from public.hub_stars s
    where s.starred_at > now() - interval '7 days'
    order by s.starred_at desc
    limit count_trending.most
  ),
  latest_imports as (
    select i.asset_id, i.user_id
    from public.hub_imports i
    where i.created_at > now() - interval '7 days'
    order by i.created_at desc
    limit count_trending.most
  ),
  latest_listings as (
    select r.parent_asset_id, r.creator_id
    from public.hub_assets r
    where r.is_visible and r.published_at > now() - interval '7 days'
    order by r.published_at desc, r.id desc
    limit count_trending.most
  ),
  acts as (
    -- The creator's own do not count.
    select s.asset_id, count(*) as stars, 0 as installs, 0 as remixes
    from latest_stars s
    join public.hub_assets a on a.id = s.asset_id
    -- guard: search: the creator's own acts do not trend
    -- without: where true
    where s.user_id is distinct from a.creator_id
    -- end
    group by s.asset_id
    union all
    select i.asset_id, 0, count(distinct i.user_id), 0
    from latest_imports i
    join public.hub_assets a on a.id = i.asset_id
    where i.user_id is distinct from a.creator_id
    group by i.asset_id
    union all
    select r.parent_asset_id, 0, 0, count(distinct r.creator_id)
    from latest_listings r
    join public.hub_assets a on a.id = r.parent_asset_id
    where r.creator_id is distinct from a.creator_id
    group by r.parent_asset_id
  ),
  scored as (
    select a.id, coalesce(a.creator_id, a.id) as creator,
      ln(1 + 3 * sum(c.installs) + 2 * sum(c.stars) + 5 * sum(c.remixes))::float8
        * greatest(0.25, power(2::float8, - extract(epoch from now() - a.published_at)::float8 / 86400 / 14)) as score
    from acts c
    join public.hub_assets a on a.id = c.asset_id
    where a.is_visible
    group by a.id
  ),
  ranked as (
    select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s where s.score > 0
  ),
  -- The first twenty have at most two of one creator; what these push out comes behind them.
  first as (
    select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
  ),
  placed as (
    select r.id, r.score, f.id is not null as is_first
    from ranked r
    left join first f on f.id = r.id
    -- guard: search: two of a creator among the first twenty
    -- without: where true
    where f.id is not null or (select count(*) from first) = 20
    -- end
    order by f.id is not null desc, r.score desc, r.id
    limit 120
  )
  select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p;
$$;
comment on function private.count_trending is 'The ids of what trends, best first, by at most so many of the latest stars, imports and listings; by all of seven days with null.';
revoke execute on function private.count_trending from public, anon, authenticated, service_role;

create function private.trending(wanted integer)
returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  ids constant jsonb := coalesce(private.snapshot('trending'), private.count_trending(1000));
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A snapshot may be older than what hid it.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$$;
comment on function private.trending is 'The ids of the visible listings that trend, best first.';
revoke execute on function private.trending from public, anon, authenticated, service_role;
grant execute on function private.trending to anon, authenticated, service_role;

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
comment on function private.judge_page_size is 'Raises PT422 validation_failed.';
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
comment on function public.hub_trending is 'What was installed, starred and remixed most in the last seven days: {items}. Raises PT422 validation_failed.';
revoke execute on function public.hub_trending from public, anon, authenticated, service_role;
grant execute on function public.hub_trending to anon, authenticated, service_role;
