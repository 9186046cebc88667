-- Lists listings in the order of one of their columns, with bounded work: either the first rows of a list fill a page, or the
-- matches are rare, and the index of documents finds them.
create function private.search_rare(col text, query tsquery, place jsonb, wanted integer, out ids uuid[], out keys text[])
language plpgsql
stable
security definer
set search_path = ''
-- Overrides the caller's settings: the index of documents can be read only by a bitmap scan.
set enable_bitmapscan = on set enable_sort = on set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, a.%1$I as key
       from public.hub_assets a
       where a.is_visible and a.id = any (array(select d.asset_id from private.hub_documents d where d.document @@ $1)) %2$s
       order by a.%1$I desc, a.id desc
       limit %3$s
     ) f',
    search_rare.col,
    case when search_rare.place is not null then format('and (a.%I, a.id) < (%L, %L)', search_rare.col, search_rare.place ->> 'key', search_rare.place ->> 'id') end,
    search_rare.wanted
  ) into ids, keys using search_rare.query;
end;
$$;
comment on function private.search_rare is 'Returns the listings that match a query, in the order of a column. Reads them by the index of documents, which is for queries that few listings match.';
revoke execute on function private.search_rare from public, anon, authenticated, service_role;

create function private.search_by_column(
  sort text, matches tsquery, filters tsquery, types text[], license text, creator_id uuid, tags text[], place jsonb, wanted integer,
  out ids uuid[], out keys text[]
)
language plpgsql
stable
security definer
set search_path = ''
-- Reads the lists in their own order, row by row until a page is full, however many matches the planner expects.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off set jit = off
as $$
declare
  col constant text := case search_by_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
  query constant tsquery := coalesce(search_by_column.filters && search_by_column.matches, search_by_column.filters, search_by_column.matches);
  of_tag constant boolean := search_by_column.tags is not null;
  id_col constant text := case when of_tag then 'asset_id' else 'id' end;
  -- A list is an index that has the listings in the wanted order. Each tag has its own list for every order, a creator has one only
  -- for the newest listings first.
  list constant text := case
    when of_tag then format('private.hub_listing_tags l where l.tag = %L', (
      -- When several tags are given, takes the tag with the shortest list: the rarer a tag, the older its hundredth newest listing.
      select t.tag from unnest(search_by_column.tags) t (tag)
      order by (
        select h.published_at from private.hub_listing_tags h where h.tag = t.tag order by h.published_at desc, h.asset_id desc offset 99 limit 1
      ) nulls first limit 1
    ))
    when search_by_column.creator_id is not null and search_by_column.sort = 'newest' then
      format('public.hub_assets l where l.is_visible and l.creator_id = %L', search_by_column.creator_id)
    else 'public.hub_assets l where l.is_visible'
  end;
  after_place constant text := case when search_by_column.place is not null then format(
    ' and (l.%I, l.%I) < (%L, %L)', col, id_col, search_by_column.place ->> 'key', search_by_column.place ->> 'id'
  ) end;
  fits constant text := concat_ws(' and ', 'a.is_visible',
    case when search_by_column.types is not null then 'a.asset_type = any ($1)' end,
    case when search_by_column.license is not null then 'a.license = $2' end,
    case when search_by_column.creator_id is not null then 'a.creator_id = $3' end,
    case when of_tag then 'a.tags @> $4' end,
    -- Skips listings that cannot have all tags.
    case when of_tag then format('l.tag_bits & %1$s = %1$s', private.tag_bits(search_by_column.tags)) end,
    case when search_by_column.matches is not null then '(select d.document from private.hub_documents d where d.asset_id = a.id) @@ $5' end
  );
  stretch integer;
begin
  -- Tries the first rows of the list, then a longer part of it. If neither fills a page, the matches are rare.
  foreach stretch in array '{300,20000}'::integer[] loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text)
       from (
         select l.id, l.key
         from (select l.%1$I as id, l.%2$I as key%3$s from %4$s%5$s order by l.%2$I desc, l.%1$I desc limit %6$s) l
         join public.hub_assets a on a.id = l.id
         where %7$s
         order by l.key desc, l.id desc
         limit %8$s
       ) f',
      id_col, col, case when of_tag then ', l.tag_bits' end, list, after_place, stretch, fits, search_by_column.wanted
    ) into ids, keys using search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches;
    -- With a single tag, or without any filter, every row of the list matches, so a page that is not full is the last.
    if cardinality(ids) = search_by_column.wanted or query is null or (of_tag and numnode(query) = 1) then
      return;
    end if;
    exit when coalesce(cardinality(ids), 0) < 3;
  end loop;
  select r.ids, r.keys into ids, keys from private.search_rare(col, query, search_by_column.place, search_by_column.wanted) r;
end;
$$;
comment on function private.search_by_column is 'Returns the ids of visible listings in the order of a column, and in keys the value of each listing in that column.';
revoke execute on function private.search_by_column from public, anon, authenticated, service_role;
