SET local check_function_bodies = off;

DROP INDEX "private"."hub_listing_tags_most_installed_idx";

DROP INDEX "private"."hub_listing_tags_most_starred_idx";

DROP INDEX "private"."hub_listing_tags_newest_idx";

DROP INDEX "private"."hub_listing_tags_recently_updated_idx";

ALTER TABLE "private"."hub_listing_tags"
  ADD COLUMN "tag_bits" bigint;

CREATE OR REPLACE FUNCTION private.hub_assets_list_tags()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if old.is_visible and new.is_visible and old.tags = new.tags then
      -- guard: search: lists of a tag follow what they are sorted by
      -- without: null;
      update private.hub_listing_tags t
      set published_at = new.published_at, content_updated_at = new.content_updated_at,
        install_count = new.install_count, star_count = new.star_count
      where t.asset_id = new.id;
      -- end
      return null;
    end if;
    -- guard: search: what is not visible is in no list of a tag
    -- without: delete from private.hub_listing_tags t where t.asset_id = new.id and new.is_visible;
    delete from private.hub_listing_tags t where t.asset_id = new.id;
    -- end
  end if;
  if new.is_visible then
    insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
    select distinct new.id, t.tag, new.published_at, new.content_updated_at, new.install_count, new.star_count, private.tag_bits(new.tags)
    from unnest(new.tags) t (tag);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_walk (
  list        text,
  tag         text,
  matches     tsquery,
  types       text[],
  license     text,
  creator_id  uuid,
  tags        text[],
  last_moment timestamp with time zone,
  last_number integer,
  last_id     uuid,
  stretch     integer,
  wanted      integer,
  OUT         ids uuid[],
  OUT         keys text[],
  OUT         has_ended boolean
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.tag_bits (
  tags text[]
)
  RETURNS bigint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select coalesce(bit_or(1::bigint << (get_byte(decode(md5(t.tag), 'hex'), 0) % 64)), 0)
    from unnest(tag_bits.tags) t (tag)
  );
end;
$function$;

update private.hub_listing_tags t set tag_bits = private.tag_bits(a.tags) from public.hub_assets a where a.id = t.asset_id;

ALTER TABLE "private"."hub_listing_tags"
  ALTER COLUMN "tag_bits" SET NOT NULL;

CREATE INDEX hub_listing_tags_most_installed_idx ON private.hub_listing_tags USING btree (TAG, install_count DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_most_starred_idx ON private.hub_listing_tags USING btree (TAG, star_count DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_newest_idx ON private.hub_listing_tags USING btree (TAG, published_at DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_recently_updated_idx ON private.hub_listing_tags USING btree (TAG, content_updated_at DESC, asset_id DESC) INCLUDE (tag_bits);

COMMENT ON COLUMN "private"."hub_listing_tags"."tag_bits" IS 'Of all tags of the listing: most listings without a second tag are passed over by the index alone.';

COMMENT ON FUNCTION "private"."tag_bits"(text[]) IS 'One of 64 bits for each tag. What has all of some tags has all of their bits; the reverse need not be true.';

REVOKE ALL ON FUNCTION "private"."tag_bits"(text[]) FROM PUBLIC;
