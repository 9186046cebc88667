create function private.compare_usage()
returns table (user_id uuid, counter text, stored integer, counted integer)
language sql
stable
security definer
set search_path = ''
as $$
  with held as (
    select s.user_id, count(*)::integer as rows, (sum(private.source_bytes(s.source))::bigint / 1024)::integer as kilobytes
    from private.all_sources() s
    group by s.user_id
  )
  select coalesce(h.user_id, u.user_id), c.counter, coalesce(c.stored, 0), coalesce(c.counted, 0)
  from held h
  full join private.workspace_usage u on u.user_id = h.user_id
  cross join lateral (
    values
      ('workspace_rows', u.row_count, h.rows),
      ('workspace_kilobytes', (u.byte_count / 1024)::integer, h.kilobytes)
  ) c (counter, stored, counted);
$$;
comment on function private.compare_usage is 'Returns, for each account, the sums stored in private.workspace_usage beside the sums of its source rows.';
revoke execute on function private.compare_usage from public, anon, authenticated, service_role;
grant execute on function private.compare_usage to service_role;

create function private.compare_creators()
returns table (user_id uuid, counter text, stored integer, counted integer)
language sql
stable
security definer
set search_path = ''
as $$
  with held as (
    select a.creator_id as user_id, count(*) as listings, sum(a.install_count) as installs, sum(a.star_count) as stars
    from public.hub_assets a
    where a.is_visible and a.creator_id is not null
    group by a.creator_id
  )
  select coalesce(h.user_id, c.user_id), v.counter, coalesce(v.stored, 0)::integer, coalesce(v.counted, 0)::integer
  from held h
  full join private.hub_creators c on c.user_id = h.user_id
  cross join lateral (
    values
      ('creator_listings', c.published_assets::bigint, h.listings),
      ('creator_installs', c.total_installs, h.installs::bigint),
      ('creator_stars', c.total_stars, h.stars::bigint)
  ) v (counter, stored, counted);
$$;
comment on function private.compare_creators is 'Returns, for each creator, the sums stored in private.hub_creators beside the sums of the visible listings.';
revoke execute on function private.compare_creators from public, anon, authenticated, service_role;
grant execute on function private.compare_creators to service_role;

-- Consistency check for operators: it returns no rows unless a trigger is wrong or was disabled.
create function public.hub_check_counters()
returns table (asset_id uuid, counter text, stored integer, counted integer)
language sql
stable
security invoker
set search_path = ''
as $$
  select c.asset_id, c.counter, c.stored, c.counted
  from (
    select a.id as asset_id, 'star_count' as counter, a.star_count as stored, coalesce(s.stars, 0) as counted
    from public.hub_assets a
    left join (select o.asset_id, count(*)::integer as stars from public.hub_stars o group by o.asset_id) s on s.asset_id = a.id
    union all
    select a.id, 'install_count', a.install_count, coalesce(i.users, 0)
    from public.hub_assets a
    left join (
      select o.asset_id, count(distinct o.user_id)::integer as users
      from public.hub_imports o
      join public.hub_assets of on of.id = o.asset_id
      where o.counts or o.user_id is distinct from of.creator_id
      group by o.asset_id
    ) i on i.asset_id = a.id
    union all
    select a.id, 'open_reports', m.open_reports, coalesce(r.open, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as open from public.hub_reports o where not o.resolved group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    select a.id, 'counting_reports', m.counting_reports, coalesce(r.counting, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as counting
      from public.hub_reports o
      where not o.resolved and o.counts
      group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    -- These rows concern an account, not a listing: asset_id holds the id of the account.
    select u.user_id, u.counter, u.stored, u.counted from private.compare_usage() u
    union all
    select u.user_id, u.counter, u.stored, u.counted from private.compare_creators() u
  ) c
  where c.stored is distinct from c.counted;
$$;
comment on function public.hub_check_counters is 'For operators: returns one row for each counter that differs from the number of rows it counts; no row when all counters are right. For the counters of accounts and creators, asset_id holds the id of the user.';
revoke execute on function public.hub_check_counters from public, anon, authenticated, service_role;
grant execute on function public.hub_check_counters to service_role;
