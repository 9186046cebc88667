SET local check_function_bodies = off;

CREATE TABLE "private"."hub_listing_tags" (
  "asset_id"           uuid                     NOT NULL,
  "tag"                text                     COLLATE pg_catalog."C" NOT NULL,
  "published_at"       timestamp with time zone NOT NULL,
  "content_updated_at" timestamp with time zone,
  "install_count"      integer                  NOT NULL,
  "star_count"         integer                  NOT NULL,
  CONSTRAINT "hub_listing_tags_pkey" PRIMARY KEY (asset_id, TAG)
);

ALTER TABLE "private"."hub_listing_tags"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.clean (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Joiners and variation selectors alone are no text.
  return case
    when clean.value ~ ('[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000')
  end;
end;
$function$;

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
    insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count)
    select distinct new.id, t.tag, new.published_at, new.content_updated_at, new.install_count, new.star_count
    from unnest(new.tags) t (tag);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.normalize_tags (
  tags text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Keeps the order in which the tags were sent.
  return (
    select coalesce(array_agg(t.tag order by t.first), '{}')
    from (
      select n.tag, min(n.position) as first
      from (
        select lower(ltrim(coalesce(private.clean(normalize(u.tag, nfkc)), ''), '#')) as tag, u.position
        from unnest(normalize_tags.tags) with ordinality as u (tag, position)
      ) n
      group by n.tag
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.rarest_first (
  tags text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer,
  OUT        ids uuid[],
  OUT        keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.search_few (
  list        text,
  query       tsquery,
  last_moment timestamp with time zone,
  last_number integer,
  last_id     uuid,
  most        integer,
  wanted      integer,
  OUT         ids uuid[],
  OUT         keys text[],
  OUT         is_complete boolean
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'on'
  SET enable_sort TO 'on'
  AS $function$
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
            select t.asset_id, t.published_at as moment, null::integer as number
            from private.hub_listing_tags t
            where search_walk.list = 'newest of a tag' and t.tag = search_walk.tag
              and (t.published_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.published_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, t.content_updated_at, null::integer
            from private.hub_listing_tags t
            where search_walk.list = 'recently_updated of a tag' and t.tag = search_walk.tag
              and (t.content_updated_at, t.asset_id) < (search_walk.last_moment, search_walk.last_id)
            order by t.content_updated_at desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.install_count
            from private.hub_listing_tags t
            where search_walk.list = 'most_installed of a tag' and t.tag = search_walk.tag
              and (t.install_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.install_count desc, t.asset_id desc
            limit search_walk.stretch
          )
          union all
          (
            select t.asset_id, null::timestamptz, t.star_count
            from private.hub_listing_tags t
            where search_walk.list = 'most_starred of a tag' and t.tag = search_walk.tag
              and (t.star_count, t.asset_id) < (search_walk.last_number, search_walk.last_id)
            order by t.star_count desc, t.asset_id desc
            limit search_walk.stretch
          )
        ) t
        join public.hub_assets a on a.id = t.asset_id
      ) w
      offset 0
    ) m
    where m.fits or m.is_last
    limit search_walk.wanted
  ) f;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sort_column (
  sort text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case sort_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tags_are_valid (
  tags text[]
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return cardinality(tags_are_valid.tags) <= 20
    and coalesce(array_ndims(tags_are_valid.tags), 1) = 1
    and not exists (
      select from unnest(tags_are_valid.tags) u (tag)
      where u.tag is null
        or char_length(u.tag) not between 1 and 64
        or translate(u.tag, '+._:/-', '') ~ '[[:punct:][:space:][:cntrl:]]'
        or u.tag ~ '[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffd]'
    );
end;
$function$;

-- By hand, in one transaction: the tags of the listings that are there, before there are indexes to keep. Readers go on, writers
-- wait for the end, which takes about a minute for a million listings.
DO $do$
BEGIN
  LOCK TABLE public.hub_assets IN SHARE ROW EXCLUSIVE MODE;

  INSERT INTO private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count)
  SELECT DISTINCT a.id, t.tag, a.published_at, a.content_updated_at, a.install_count, a.star_count
  FROM public.hub_assets a
  CROSS JOIN LATERAL unnest(a.tags) t (tag)
  WHERE a.is_visible
  ORDER BY a.id, t.tag;

  ALTER TABLE "private"."hub_listing_tags"
    ADD CONSTRAINT "hub_listing_tags_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

  CREATE INDEX hub_listing_tags_most_installed_idx ON private.hub_listing_tags USING btree (TAG, install_count DESC, asset_id DESC);

  CREATE INDEX hub_listing_tags_most_starred_idx ON private.hub_listing_tags USING btree (TAG, star_count DESC, asset_id DESC);

  CREATE INDEX hub_listing_tags_newest_idx ON private.hub_listing_tags USING btree (TAG, published_at DESC, asset_id DESC);

  CREATE INDEX hub_listing_tags_recently_updated_idx ON private.hub_listing_tags USING btree (TAG, content_updated_at DESC, asset_id DESC);

  CREATE TRIGGER hub_assets_84_list_tags_insert
    AFTER INSERT ON public.hub_assets
    FOR EACH ROW
    WHEN (new.is_visible)
    EXECUTE FUNCTION private.hub_assets_list_tags();

  CREATE TRIGGER hub_assets_85_list_tags_update
    AFTER UPDATE ON public.hub_assets
    FOR EACH ROW
    -- As the schema file has it: what Postgres prints of it is read as another expression.
    WHEN (
      (old.is_visible OR new.is_visible)
      AND (old.is_visible, old.tags, old.published_at, old.content_updated_at, old.install_count, old.star_count)
        IS DISTINCT FROM (new.is_visible, new.tags, new.published_at, new.content_updated_at, new.install_count, new.star_count)
    )
    EXECUTE FUNCTION private.hub_assets_list_tags();
END;
$do$;

CREATE POLICY "hub_listing_tags_service_select" ON "private"."hub_listing_tags"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON FUNCTION "private"."clean"(text) IS 'The text without white space around it; null when nothing of it is visible.';

COMMENT ON FUNCTION "private"."hub_assets_list_tags"() IS 'The lists of tags hold a listing from the moment it is visible, at its place, and no longer.';

COMMENT ON FUNCTION "private"."normalize_tags"(text[]) IS 'NFKC, lower case, without a leading #, each tag once.';

COMMENT ON FUNCTION "private"."rarest_first"(text[]) IS 'Tags by how many listings they have, roughly.';

COMMENT ON FUNCTION "private"."search_walk"(text, text, tsquery, text[], text, uuid, text[], timestamp with time zone, integer, uuid, integer, integer) IS 'What fits in the next stretch of a list, until so many are found; whether the list has ended before.';

COMMENT ON FUNCTION "private"."sort_column"(text) IS 'The column that a sort goes by.';

COMMENT ON FUNCTION "private"."tags_are_valid"(text[]) IS 'At most 20 tags of 1 to 64 letters, digits and + . _ : / -, in any script.';

COMMENT ON TABLE "private"."hub_listing_tags" IS 'The tags of visible listings, in the order of each sort. Kept by trigger.';

REVOKE ALL ON FUNCTION "private"."clean"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_list_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."normalize_tags"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rarest_first"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_walk"(text, text, tsquery, text[], text, uuid, text[], timestamp WITH time zone, integer, uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sort_column"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tags_are_valid"(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tags_are_valid"(text[]) TO "authenticated", "service_role";

GRANT SELECT ON TABLE "private"."hub_listing_tags" TO "service_role";
