SET local check_function_bodies = off;

DROP TRIGGER "hub_assets_30_guard_update" ON "public"."hub_assets";

DROP VIEW "public"."hub_listings";

ALTER TABLE "private"."hub_calls"
  DROP CONSTRAINT "hub_calls_kind_check";

CREATE TABLE "public"."hub_pictures" (
  "asset_id"   uuid                     NOT NULL,
  "media_type" text                     NOT NULL,
  "bytes"      bytea                    NOT NULL,
  "sha256"     text                     GENERATED ALWAYS AS (encode(sha256(bytes), 'hex'::text)) STORED NOT NULL,
  "width"      integer                  NOT NULL,
  "height"     integer                  NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_pictures_bytes_check" CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576))),
  CONSTRAINT "hub_pictures_height_check" CHECK (((height >= 1) AND (height <= 4096))),
  CONSTRAINT "hub_pictures_media_type_check" CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  CONSTRAINT "hub_pictures_pkey" PRIMARY KEY (asset_id),
  CONSTRAINT "hub_pictures_width_check" CHECK (((width >= 1) AND (width <= 4096)))
);

ALTER TABLE "public"."hub_pictures"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "picture" text;

CREATE OR REPLACE FUNCTION private.asset_card (
  asset public.hub_assets
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', (asset_card.asset).id,
    'slug', (asset_card.asset).slug,
    'asset_type', (asset_card.asset).asset_type,
    'title', (asset_card.asset).title,
    'description', (asset_card.asset).description,
    'tags', (asset_card.asset).tags,
    'thumbnail_url', (asset_card.asset).thumbnail_url,
    'picture', (asset_card.asset).picture,
    'license', (asset_card.asset).license,
    'creator', private.creator((asset_card.asset).creator_id),
    'install_count', (asset_card.asset).install_count,
    'star_count', (asset_card.asset).star_count,
    'published_at', (asset_card.asset).published_at,
    'content_updated_at', (asset_card.asset).content_updated_at,
    'remix_depth', (asset_card.asset).remix_depth
  );
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids uuid[]
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    with listings as materialized (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.creator_id, a.install_count,
        a.star_count, a.published_at, a.content_updated_at, a.remix_depth, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where a.is_visible
    )
    select coalesce(json_agg(row_to_json(r) order by a.place), '[]')
    from listings a
    left join private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_derive_picture()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Whatever was written: the column says which picture there is.
  new.picture := (select p.sha256 from public.hub_pictures p where p.asset_id = new.id);
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_on_tombstone()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.hidden_reason = 'removed' then
    perform private.close_reports(array[new.id], 'upheld');
  end if;
  -- A tombstone has no stars and no content.
  delete from public.hub_stars s where s.asset_id = new.id;
  delete from public.hub_featured f where f.asset_id = new.id;
  delete from public.hub_bundle_items i where i.asset_id = new.id;
  delete from public.hub_asset_versions v where v.asset_id = new.id;
  delete from public.hub_receipts r where r.asset_id = new.id;
  delete from public.hub_pictures p where p.asset_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_pictures_refresh_asset()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- hub_assets_derive_picture sets the value.
  if tg_op <> 'INSERT' then
    update public.hub_assets a set picture = null where a.id = old.asset_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.hub_assets a set picture = new.sha256 where a.id = new.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remix_cards (
  asset_ids   uuid[],
  creator_ids uuid[],
  directs     integer
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(r) order by p.n), '[]')
    from unnest(remix_cards.asset_ids) with ordinality p (id, n)
    join public.hub_assets a on a.id = p.id
    left join private.creators(remix_cards.creator_ids) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth,
        p.n <= remix_cards.directs as direct, a.parent_asset_id
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_picture (
  user_id      uuid,
  id_or_slug   text,
  picture      jsonb,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_id constant uuid := private.find_asset(set_picture.id_or_slug);
  asset public.hub_assets;
begin
  perform private.begin_write(set_picture.user_id);
  perform private.limit_calls(set_picture.user_id, 'pictures', set_picture.hourly_limit);
  -- Somebody else's listing is not locked.
  select a.* into asset
  from public.hub_assets a
  where a.id = found_id and a.creator_id = set_picture.user_id
  for no key update;
  if asset.id is null and exists (select from public.hub_assets a where a.id = found_id and a.is_visible) then
    -- not_owner tells that the asset exists: only when it is visible.
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  if asset.id is null or asset.deleted_at is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;

  if set_picture.picture is null then
    delete from public.hub_pictures p where p.asset_id = asset.id;
  else
    insert into public.hub_pictures as p (asset_id, media_type, bytes, width, height)
    values (
      asset.id,
      set_picture.picture ->> 'media_type',
      decode(set_picture.picture ->> 'bytes', 'base64'),
      (set_picture.picture ->> 'width')::integer,
      (set_picture.picture ->> 'height')::integer
    )
    on conflict on constraint hub_pictures_pkey do update
    set media_type = excluded.media_type, bytes = excluded.bytes, width = excluded.width, height = excluded.height,
      created_at = clock_timestamp()
    -- The same picture again changes nothing.
    where p.bytes <> excluded.bytes;
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'picture', (select a.picture from public.hub_assets a where a.id = asset.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_picture (
  asset_id uuid,
  sha256   text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('media_type', p.media_type, 'bytes', translate(encode(p.bytes, 'base64'), E'\n', ''))
  from public.hub_pictures p
  where p.asset_id = hub_picture.asset_id and p.sha256 = hub_picture.sha256;
$function$;

CREATE OR REPLACE FUNCTION public.hub_set_picture (
  user_id      uuid,
  id_or_slug   text,
  picture      jsonb,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_picture(
    hub_set_picture.user_id, hub_set_picture.id_or_slug, hub_set_picture.picture, hub_set_picture.hourly_limit
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."hub_calls"
  ADD CONSTRAINT "hub_calls_kind_check" CHECK ((kind = ANY (ARRAY['previews'::text, 'imports'::text, 'edits'::text, 'pictures'::text])));

ALTER TABLE "public"."hub_pictures"
  ADD CONSTRAINT "hub_pictures_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

CREATE VIEW "public"."hub_listings" WITH (security_invoker=true) AS  SELECT a.id,
    a.slug,
    a.asset_type,
    a.title,
    a.description,
    a.tags,
    a.thumbnail_url,
    a.picture,
    a.license,
        CASE
            WHEN (p.user_id IS NOT NULL) THEN jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url)
            ELSE NULL::jsonb
        END AS creator,
    a.install_count,
    a.star_count,
    a.published_at,
    a.content_updated_at,
    a.remix_depth,
    a.current_version AS version
   FROM (public.hub_assets a
     LEFT JOIN public.hub_profiles p ON ((p.user_id = a.creator_id)))
  WHERE a.is_visible;

CREATE TRIGGER hub_assets_16_derive_picture_insert
  BEFORE INSERT ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_derive_picture();

CREATE TRIGGER hub_assets_21_derive_picture_update
  BEFORE UPDATE OF picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_derive_picture();

CREATE TRIGGER hub_assets_30_guard_update
  BEFORE UPDATE OF id,
    asset_type,
    ref_id,
    creator_id,
    slug,
    title,
    description,
    tags,
    thumbnail_url,
    source_asset_id,
    parent_asset_id,
    remix_depth,
    is_public,
    published_at,
    is_hidden,
    license,
    price_cents,
    payment_product_id, created_at, updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at, picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard();

CREATE TRIGGER hub_pictures_forbid_truncate
  BEFORE TRUNCATE ON public.hub_pictures
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_pictures_refresh_asset
  AFTER INSERT OR DELETE OR UPDATE ON public.hub_pictures
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_pictures_refresh_asset();

CREATE POLICY "hub_pictures_select" ON "public"."hub_pictures"
  FOR SELECT
  TO "anon", "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE (a.id = hub_pictures.asset_id))));

CREATE POLICY "hub_pictures_service_select" ON "public"."hub_pictures"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "public"."hub_assets"."picture" IS 'SHA-256 of the row in hub_pictures; null where there is none. Maintained by trigger.';

COMMENT ON COLUMN "public"."hub_pictures"."sha256" IS 'Of the bytes; part of the address of the picture, so that an address never shows another one.';

COMMENT ON FUNCTION "private"."hub_assets_derive_picture"() IS 'Maintains hub_assets.picture under any edit.';

COMMENT ON FUNCTION "private"."hub_assets_on_tombstone"() IS 'When deleted_at is set: deletes versions, items, receipts, stars, the picture and the entry in hub_featured; upholds the open reports of a removal.';

COMMENT ON FUNCTION "private"."hub_pictures_refresh_asset"() IS 'Lets the listing of a changed picture say which one it has.';

COMMENT ON FUNCTION "private"."limit_calls"(uuid, text, integer) IS 'Counts a preview, an import, an edit or a picture of a user, and enforces the hourly limit; null means no limit. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) IS 'Implements hub_set_picture.';

COMMENT ON FUNCTION "public"."hub_picture"(uuid, text) IS 'The picture of a listing that the caller may see, {media_type, bytes in base64}; null when it has none with this SHA-256.';

COMMENT ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) IS 'For hub-picture: gives a listing of the user a checked picture {media_type, bytes in base64, width, height}, or with null takes it away; returns {id, picture}. Raises PT403 banned or not_owner (only for visible assets), PT404 asset_not_found, PT429 rate_limited.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits and pictures of the last hour, for their limits. Each call deletes the expired rows of its user; hub_prune deletes those of all users.';

COMMENT ON TABLE "public"."hub_pictures" IS 'Pictures of listings, at most one each. hub-picture has checked the bytes and removed their metadata; whoever may read the listing may read its picture.';

COMMENT ON VIEW "public"."hub_listings" IS 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';

REVOKE ALL ON FUNCTION "private"."hub_assets_derive_picture"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_pictures_refresh_asset"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_picture"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_picture"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) TO "service_role";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "anon";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_pictures" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_listings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_listings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_listings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_listings" TO "service_role";
