SET local check_function_bodies = off;

DROP TRIGGER "hub_imports_count_added" ON "public"."hub_imports";

DROP TRIGGER "hub_stars_count_added" ON "public"."hub_stars";

DROP FUNCTION "public"."hub_feature_asset"(uuid, integer);

CREATE OR REPLACE FUNCTION public.hub_feature_asset (
  asset_id uuid,
  place    integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.feature_asset(hub_feature_asset.asset_id, hub_feature_asset.place);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE TRIGGER hub_imports_20_count_added
  AFTER INSERT ON public.hub_imports REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_installs();

CREATE TRIGGER hub_stars_20_count_added
  AFTER INSERT ON public.hub_stars REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_stars();

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: takes a visible listing into the curated collection, at the end or at a place, or moves it there. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "postgres";
