DROP TRIGGER "hub_bans_lift_close_appeals" ON "private"."hub_bans";

DROP TRIGGER "hub_bans_lift" ON "private"."hub_bans";

DROP TRIGGER "hub_assets_80_close_appeals" ON "public"."hub_assets";

CREATE TRIGGER hub_bans_10_lift
  AFTER DELETE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_bans_lift();

CREATE TRIGGER hub_bans_20_close_appeals
  AFTER DELETE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.close_appeals();

CREATE TRIGGER hub_assets_78_close_appeals
  AFTER UPDATE OF is_hidden, deleted_at ON public.hub_assets
  FOR EACH ROW
  WHEN (((old.is_hidden AND (NOT new.is_hidden)) OR ((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL) AND (new.hidden_reason = 'removed'::text))))
  EXECUTE FUNCTION private.close_appeals();
