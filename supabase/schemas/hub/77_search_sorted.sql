-- Listings in the order of one of their columns, with bounded work. Most filters leave so much that the first rows of the
-- order's own index hold a page; where they do not, what is left is little, and the index of documents has it.
create function private.sort_column(sort text)
returns text
language sql
immutable
set search_path = ''
as $$
  select case sort_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
$$;
comment on function private.sort_column is 'The column that a sort goes by.';
revoke execute on function private.sort_column from public, anon, authenticated, service_role;

create function private.search_filters(types text[], license text, creator_id uuid, tags text[])
returns tsquery
language plpgsql
immutable
set search_path = ''
as $$
declare
  filters text[] := '{}';
begin
  if search_filters.types is not null then
    filters := filters || ('(' || (select string_agg('''=type:' || t.type || '''', ' | ') from unnest(search_filters.types) t (type)) || ')');
  end if;
  if search_filters.license is not null then
    filters := filters || ('''=license:' || search_filters.license || '''');
  end if;
  if search_filters.creator_id is not null then
    filters := filters || ('''=creator:' || search_filters.creator_id || '''');
  end if;
  if search_filters.tags is not null then
    filters := filters || array(select '''=tag:' || translate(t.tag, '''\', '') || '''' from unnest(search_filters.tags) t (tag));
  end if;
  return nullif(array_to_string(filters, ' & '), '')::tsquery;
end;
$$;
comment on function private.search_filters is 'Filters as a question to the index of documents; null without any. Types, license and tags have been judged before.';
revoke execute on function private.search_filters from public, anon, authenticated, service_role;

create function private.search_few(
  list text, query tsquery, last_moment timestamptz, last_number integer, last_id uuid, most integer, wanted integer,
  out ids uuid[], out keys text[], out is_complete boolean
)
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
-- Whatever the caller has set: the index of documents can be read by this alone.
set enable_bitmapscan = on
set enable_sort = on
as $$
declare
  matching uuid[];
begin
  select array_agg(m.asset_id) into matching
  from (select d.asset_id from private.hub_documents d where d.document @@ search_few.query limit search_few.most + 1) m;
  search_few.is_complete := coalesce(cardinality(matching), 0) <= search_few.most;
  if not search_few.is_complete then
    return;
  end if;
  select array_agg(f.id), array_agg(coalesce(f.moment::text, f.number::text))
  into search_few.ids, search_few.keys
  from (
    select k.*
    from (
      select a.id,
        case when search_few.list like 'newest%' then a.published_at when search_few.list = 'recently_updated' then a.content_updated_at end as moment,
        case search_few.list when 'most_installed' then a.install_count when 'most_starred' then a.star_count end as number
      from unnest(matching) m (id)
      join public.hub_assets a on a.id = m.id
      where a.is_visible
    ) k
    where (k.moment, k.id) < (search_few.last_moment, search_few.last_id)
      or (k.number, k.id) < (search_few.last_number, search_few.last_id)
    order by k.moment desc, k.number desc, k.id desc
    limit search_few.wanted
  ) f;
end;
$$;
comment on function private.search_few is 'Listings in the order of a column, where few match; not complete when more do than so many.';
revoke execute on function private.search_few from public, anon, authenticated, service_role;

create function private.search_by_column(
  sort text,
  matches tsquery,
  types text[],
  license text,
  creator_id uuid,
  tags text[],
  place jsonb,
  wanted integer,
  out ids uuid[],
  out keys text[]
)
language plpgsql
stable
security definer
set search_path = ''
-- One plan for all sorts and filters, whatever the tables were like when a session made it: the index of the sort.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
as $$
declare
  by_time constant boolean := private.sort_column(search_by_column.sort) like '%\_at';
  -- A creator's own index has them in this order.
  list constant text := case
    when search_by_column.sort = 'newest' and search_by_column.creator_id is not null then 'newest of a creator'
    else search_by_column.sort
  end;
  last_moment constant timestamptz := case when by_time then coalesce((search_by_column.place ->> 'key')::timestamptz, 'infinity') end;
  last_number constant integer := case when not by_time then coalesce((search_by_column.place ->> 'key')::integer, 2147483647) end;
  last_id constant uuid := coalesce((search_by_column.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  filters tsquery;
  stretch integer;
  is_full boolean;
  few record;
begin
  foreach stretch in array '{300,20000}'::integer[] loop
    select array_agg(f.id) filter (where f.fits), array_agg(coalesce(f.moment::text, f.number::text)) filter (where f.fits),
      coalesce(bool_or(f.is_last), false)
    into search_by_column.ids, search_by_column.keys, is_full
    from (
      -- The last of the stretch comes through whether it fits or not: without it the list has ended.
      select m.*
      from (
        select w.id, w.moment, w.number, row_number() over () = stretch as is_last,
          (search_by_column.types is null or w.asset_type = any (search_by_column.types))
            and (search_by_column.license is null or w.license = search_by_column.license)
            and (search_by_column.creator_id is null or w.creator_id = search_by_column.creator_id)
            and (search_by_column.tags is null or w.tags @> search_by_column.tags)
            and (
              search_by_column.matches is null
              or (select d.document from private.hub_documents d where d.asset_id = w.id) @@ search_by_column.matches
            ) as fits
        from (
          -- Of these only the one that is asked for is run.
            (
              select a.id, a.published_at as moment, null::integer as number, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'newest of a creator' and a.is_visible and a.creator_id = search_by_column.creator_id
                and (a.published_at, a.id) < (last_moment, last_id)
              order by a.published_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, a.published_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'newest' and a.is_visible
                and (a.published_at, a.id) < (last_moment, last_id)
              order by a.published_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, a.content_updated_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'recently_updated' and a.is_visible
                and (a.content_updated_at, a.id) < (last_moment, last_id)
              order by a.content_updated_at desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, null::timestamptz, a.install_count, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'most_installed' and a.is_visible
                and (a.install_count, a.id) < (last_number, last_id)
              order by a.install_count desc, a.id desc
              limit stretch
            )
            union all
            (
              select a.id, null::timestamptz, a.star_count, a.asset_type, a.license, a.creator_id, a.tags
              from public.hub_assets a
              where list = 'most_starred' and a.is_visible
                and (a.star_count, a.id) < (last_number, last_id)
              order by a.star_count desc, a.id desc
              limit stretch
            )
        ) w
        offset 0
      ) m
      where m.fits or m.is_last
      limit search_by_column.wanted
    ) f;
    exit when cardinality(search_by_column.ids) = search_by_column.wanted or not is_full;
    if stretch = 300 and coalesce(cardinality(search_by_column.ids), 0) >= 3 then
      continue;
    end if;
    -- Less than one in a hundred fits: the index of documents knows them, and is asked unless they are many all the same.
    filters := private.search_filters(
      search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags
    );
    few := private.search_few(
      list, coalesce(filters && search_by_column.matches, filters, search_by_column.matches), last_moment, last_number, last_id,
      case when stretch = 300 then 2000 else 2147483646 end, search_by_column.wanted
    );
    if few.is_complete then
      search_by_column.ids := few.ids;
      search_by_column.keys := few.keys;
      exit;
    end if;
  end loop;
end;
$$;
comment on function private.search_by_column is 'Visible listings in the order of a column, each with its value there.';
revoke execute on function private.search_by_column from public, anon, authenticated, service_role;
