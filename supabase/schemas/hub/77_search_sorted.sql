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

create function private.search_few(sort_by text, type text, query tsquery, place jsonb, wanted integer, out ids uuid[], out places text[])
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
-- Whatever the caller has set: the index of documents can be read by this alone.
set enable_bitmapscan = on
as $$
begin
  execute format(
    'select array_agg(f.id), array_agg(f.key::text) from (
      select a.id, a.%1$I as key
      from (select d.asset_id from private.hub_documents d where d.document @@ $3 offset 0) m
      join public.hub_assets a on a.id = m.asset_id
      where a.is_visible %2$s
      order by a.%1$I desc, a.id desc
      limit $4
    ) f',
    search_few.sort_by,
    case
      when search_few.place is null then ''
      else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', search_few.sort_by, search_few.type)
    end
  )
  into search_few.ids, search_few.places
  using search_few.place ->> 'key', (search_few.place ->> 'id')::uuid, search_few.query, search_few.wanted;
end;
$$;
comment on function private.search_few is 'Listings in the order of a column, where few match.';
revoke execute on function private.search_few from public, anon, authenticated, service_role;

create function private.search_by_column(
  sort text,
  matches tsquery,
  types text[],
  license text,
  creator_id uuid,
  tags text[],
  place jsonb,
  wanted integer
)
returns table (asset_id uuid, at jsonb)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  -- Names and types from the closed list of sort_column.
  sort_by constant text := private.sort_column(search_by_column.sort);
  type constant text := case when sort_by like '%\_at' then 'timestamptz' else 'integer' end;
  -- A creator's own index has them in this order.
  own constant boolean := sort_by = 'published_at' and search_by_column.creator_id is not null;
  filters tsquery;
  stretch integer := 2000;
  ids uuid[];
  places text[];
  ended boolean;
begin
  loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text) from (
        select w.id, w.key
        from (
          select a.id, a.%1$I as key, a.asset_type, a.license, a.creator_id, a.tags
          from public.hub_assets a
          where a.is_visible %2$s %3$s
          order by a.%1$I desc, a.id desc
          limit $9
        ) w
        %4$s
        where ($3 is null or w.asset_type = any ($3))
          and ($4 is null or w.license = $4)
          and ($5 is null or w.creator_id = $5)
          and ($6 is null or w.tags @> $6)
        limit $8
      ) f',
      sort_by,
      case when search_by_column.place is null then '' else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', sort_by, type) end,
      case when own then 'and a.creator_id = $5' else '' end,
      case
        when search_by_column.matches is null then ''
        else 'cross join lateral (select from private.hub_documents d where d.asset_id = w.id and d.document @@ $7 offset 0) d'
      end
    )
    into ids, places
    using search_by_column.place ->> 'key', (search_by_column.place ->> 'id')::uuid, search_by_column.types,
      search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches,
      search_by_column.wanted, stretch;
    exit when cardinality(ids) >= search_by_column.wanted or stretch > 2000;
    execute format(
      'select not exists (
        select from public.hub_assets a where a.is_visible %2$s %3$s order by a.%1$I desc, a.id desc offset %4$s limit 1
      )',
      sort_by,
      case when search_by_column.place is null then '' else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', sort_by, type) end,
      case when own then 'and a.creator_id = $3' else '' end,
      stretch
    )
    into ended
    using search_by_column.place ->> 'key', (search_by_column.place ->> 'id')::uuid, search_by_column.creator_id;
    exit when ended or coalesce(cardinality(ids), 0) < 3;
    -- Some, but not enough: a longer stretch is still less than all that match.
    stretch := 20000;
  end loop;

  if coalesce(cardinality(ids), 0) < search_by_column.wanted and not ended then
    filters := private.search_filters(
      search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags
    );
    select f.ids, f.places into ids, places
    from private.search_few(
      sort_by, type, coalesce(filters && search_by_column.matches, filters, search_by_column.matches), search_by_column.place,
      search_by_column.wanted
    ) f;
  end if;
  return query
  select i.id, jsonb_build_object('key', i.key, 'id', i.id)
  from unnest(ids, places) with ordinality i (id, key, n)
  order by i.n;
end;
$$;
comment on function private.search_by_column is 'Visible listings in the order of a column, each with its place in the list.';
revoke execute on function private.search_by_column from public, anon, authenticated, service_role;
