-- The lists in the order of a column, each an index of its own: of all listings, of a creator, of a tag.
create function private.search_walk(
  list text, tag text, matches tsquery, types text[], license text, creator_id uuid, tags text[], last_moment timestamptz,
  last_number integer, last_id uuid, stretch integer, wanted integer, out ids uuid[], out keys text[], out has_ended boolean
)
language plpgsql
stable
security definer
set search_path = ''
-- One plan for all lists and filters, whatever the tables were like when a session made it: the index of the list.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
declare
  bits constant bigint := private.tag_bits(search_walk.tags);
begin
  select array_agg(f.id) filter (where f.fits), array_agg(coalesce(f.moment::text, f.number::text)) filter (where f.fits),
    not coalesce(bool_or(f.is_last), false)
  into search_walk.ids, search_walk.keys, search_walk.has_ended
  from (
    -- The last of the stretch comes through whether it fits or not: without it the list has ended.
    select m.*
    from (
      select w.id, w.moment, w.number, row_number() over () = search_walk.stretch as is_last,
        w.is_visible
          and (search_walk.types is null or w.asset_type = any (search_walk.types))
          and (search_walk.license is null or w.license = search_walk.license)
          and (search_walk.creator_id is null or w.creator_id = search_walk.creator_id)
          and (search_walk.tags is null or w.tags @> search_walk.tags)
          and (
            search_walk.matches is null
            or (select d.document from private.hub_documents d where d.asset_id = w.id) @@ search_walk.matches
          ) as fits
      from (
        -- Of these only the one that is asked for is run.
        (
          select a.id, a.published_at as moment, null::integer as number, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'newest of a creator' and a.is_visible and a.creator_id = search_walk.creator_id
            and (a.published_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.published_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, a.published_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'newest' and a.is_visible
            and (a.published_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.published_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, a.content_updated_at, null::integer, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'recently_updated' and a.is_visible
            and (a.content_updated_at, a.id) < (search_walk.last_moment, search_walk.last_id)
          order by a.content_updated_at desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, null::timestamptz, a.install_count, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'most_installed' and a.is_visible
            and (a.install_count, a.id) < (search_walk.last_number, search_walk.last_id)
          order by a.install_count desc, a.id desc
          limit search_walk.stretch
        )
        union all
        (
          select a.id, null::timestamptz, a.star_count, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
          from public.hub_assets a
          where search_walk.list = 'most_starred' and a.is_visible
            and (a.star_count, a.id) < (search_walk.last_number, search_walk.last_id)
          order by a.star_count desc, a.id desc
          limit search_walk.stretch
        )
        union all
        select a.id, t.moment, t.number, a.asset_type, a.license, a.creator_id, a.tags, a.is_visible
        from (
          (
            select t.asset_id, t.published_at as moment, null::integer as number, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'newest of a tag' and t.tag = search_walk.tag
              and (t.published_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.published_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, t.content_updated_at, null::integer, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'recently_updated of a tag' and t.tag = search_walk.tag
              and (t.content_updated_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.content_updated_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.install_count, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'most_installed of a tag' and t.tag = search_walk.tag
              and (t.install_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.install_count desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.star_count, t.tag_bits
            from private.hub_listing_tags t
            where search_walk.list = 'most_starred of a tag' and t.tag = search_walk.tag
              and (t.star_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.star_count desc, t.asset_id desc
            limit search_walk.stretch
          )
        ) t
        -- OFFSET keeps the test of the bits in front of the reading.
        left join lateral (
          select a.*
          from public.hub_assets a
          where a.id = t.asset_id
            -- guard: search: what cannot have all tags is not read
            and t.tag_bits & bits = bits
            -- end
          offset 0
        ) a on true
      ) w
      offset 0
    ) m
    where m.fits or m.is_last
    limit search_walk.wanted
  ) f;
end;
$$;
comment on function private.search_walk is 'What fits in the next stretch of a list, until so many are found; whether the list has ended before.';
revoke execute on function private.search_walk from public, anon, authenticated, service_role;
