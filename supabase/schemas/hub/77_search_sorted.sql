-- Listings in the order of one of their columns, with bounded work. A tag has its own list in each order; other filters leave
-- so much that the first rows of the order's own index hold a page. Where they do not, what is left is little, and the index
-- of documents has it.
create function private.sort_column(sort text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case sort_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
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
set jit = off
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
        case when search_few.list = 'newest' then a.published_at when search_few.list = 'recently_updated' then a.content_updated_at end as moment,
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

create function private.rarest_first(tags text[])
returns text[]
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
  -- The rarer a tag, the further back its hundredth listing.
  return (
    select array_agg(u.tag order by h.published_at nulls first)
    from unnest(rarest_first.tags) u (tag)
    left join lateral (
      select t.published_at
      from private.hub_listing_tags t
      where t.tag = u.tag
      order by t.published_at desc, t.asset_id desc
      limit 1 offset 99
    ) h on true
  );
end;
$$;
comment on function private.rarest_first is 'Tags by how many listings they have, roughly.';
revoke execute on function private.rarest_first from public, anon, authenticated, service_role;

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
as $$
declare
  by_time constant boolean := private.sort_column(search_by_column.sort) like '%\_at';
  -- A creator's own index has the newest in this order.
  by_creator constant boolean := search_by_column.sort = 'newest' and search_by_column.creator_id is not null;
  by_tag constant boolean := search_by_column.tags is not null and not by_creator;
  list constant text := search_by_column.sort || case when by_creator then ' of a creator' when by_tag then ' of a tag' else '' end;
  last_moment constant timestamptz := case when by_time then coalesce((search_by_column.place ->> 'key')::timestamptz, 'infinity') end;
  last_number constant integer := case when not by_time then coalesce((search_by_column.place ->> 'key')::integer, 2147483647) end;
  last_id constant uuid := coalesce((search_by_column.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The lists that hold all that fits: of each tag, or the only one.
  lists text[] := case
    when not by_tag then array[null::text]
    when cardinality(search_by_column.tags) = 1 then search_by_column.tags
    else private.rarest_first(search_by_column.tags)
  end;
  list_tag text;
  best_tag text;
  most_found integer;
  filters tsquery;
  stretch integer;
  walk record;
  few record;
begin
  foreach stretch in array '{300,20000}'::integer[] loop
    most_found := -1;
    foreach list_tag in array lists loop
      walk := private.search_walk(
        list, list_tag, search_by_column.matches, search_by_column.types, search_by_column.license, search_by_column.creator_id,
        search_by_column.tags, last_moment, last_number, last_id, stretch, search_by_column.wanted
      );
      if cardinality(walk.ids) = search_by_column.wanted or walk.has_ended then
        search_by_column.ids := walk.ids;
        search_by_column.keys := walk.keys;
        return;
      end if;
      if coalesce(cardinality(walk.ids), 0) > most_found then
        most_found := coalesce(cardinality(walk.ids), 0);
        best_tag := list_tag;
      end if;
    end loop;
    -- The list in which they stand closest.
    lists := array[best_tag];
    continue when stretch = 300 and most_found >= 3;
    -- Less than one in a hundred fits: the index of documents knows them, and is asked unless they are many all the same.
    filters := private.search_filters(
      search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags
    );
    few := private.search_few(
      search_by_column.sort, coalesce(filters && search_by_column.matches, filters, search_by_column.matches), last_moment,
      last_number, last_id, case when stretch = 300 then 2000 else 2147483646 end, search_by_column.wanted
    );
    if few.is_complete then
      search_by_column.ids := few.ids;
      search_by_column.keys := few.keys;
      return;
    end if;
  end loop;
end;
$$;
comment on function private.search_by_column is 'Visible listings in the order of a column, each with its value there.';
revoke execute on function private.search_by_column from public, anon, authenticated, service_role;
