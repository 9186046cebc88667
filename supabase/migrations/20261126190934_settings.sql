SET local check_function_bodies = off;

CREATE TABLE "public"."hub_settings" (
  "id"               boolean  NOT NULL DEFAULT true,
  "min_reporter_age" interval NOT NULL DEFAULT '00:00:00'::interval,
  "contact_url"      text,
  CONSTRAINT "hub_settings_min_reporter_age_check" CHECK (((min_reporter_age >= '00:00:00'::interval) AND (min_reporter_age <= '365 days'::interval))),
  CONSTRAINT "hub_settings_one_row_check" CHECK (id),
  CONSTRAINT "hub_settings_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_settings_contact_url_check"
    CHECK ((private.is_https_url(contact_url) OR ((char_length(contact_url) <= 320) AND (contact_url ~ '^mailto:[^\s@<>"]+@[^\s@<>"?]+$'::text))))
);

ALTER TABLE "public"."hub_settings"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.hub_reports_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  if (select auth.uid()) is not null and (new.reporter_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  new.details := private.clean(new.details);
  if new.reason is null or new.reason not in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other') then
    perform private.refuse_faults(private.fault('reason', 'invalid_value', 'must be "spam" or "inappropriate" or "copyright" or "malicious_code" or "other"'));
  end if;
  if char_length(new.details) > 1000 then
    perform private.refuse_faults(private.fault('details', 'too_big', 'must be at most 1000 characters'));
  end if;
  if new.reason = 'other' and new.details is null then
    raise exception using errcode = 'PT422', message = 'details_required';
  end if;
  if new.reporter_id is not null then
    perform private.begin_write(new.reporter_id);
  end if;

  select a.* into asset from public.hub_assets a where a.id = new.asset_id;
  if asset.creator_id = new.reporter_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    if earlier.counts or earlier.version >= asset.current_version or not asset.is_visible then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report was not counted and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  new.counts := new.reporter_id is not null and private.is_old_enough(new.reporter_id) and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- A reporter who was dismissed on a version counts again on the next one.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: reports made before, whatever their outcome, have been reviewed.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_old_enough (
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Users can set neither of the two times. The profile may be newer than the account, but not older.
  select coalesce(
    coalesce(
      (select u.created_at from auth.users u where u.id = is_old_enough.user_id),
      (select p.created_at from public.hub_profiles p where p.user_id = is_old_enough.user_id)
    ) <= clock_timestamp() - (select s.min_reporter_age from public.hub_settings s),
    true
  );
$function$;

CREATE TRIGGER hub_settings_forbid_truncate
  BEFORE DELETE OR TRUNCATE ON public.hub_settings
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE POLICY "hub_settings_select" ON "public"."hub_settings"
  FOR SELECT
  TO "anon", "authenticated"
  USING (true);

CREATE POLICY "hub_settings_service_select" ON "public"."hub_settings"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "public"."hub_reports"."counts" IS 'Whether the report counts towards hiding. Not when an earlier report of the reporter on this version was dismissed, or when the reporter joined after it was restored, is younger than hub_settings.min_reporter_age, banned or deleted.';

COMMENT ON COLUMN "public"."hub_settings"."contact_url" IS 'Where somebody without an account reports a work of theirs: an https or mailto address. The pages show it.';

COMMENT ON COLUMN "public"."hub_settings"."min_reporter_age" IS 'A report of a younger account is kept, and does not count towards hiding a listing.';

COMMENT ON FUNCTION "private"."is_old_enough"(uuid) IS 'Whether an account has the age from which its reports count.';

COMMENT ON TABLE "public"."hub_settings" IS 'Settings of the hub, for operators: one row.';

REVOKE ALL ON FUNCTION "private"."is_old_enough"(uuid) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."hub_settings" FROM "anon";

REVOKE ALL ("contact_url") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("contact_url") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "authenticated";

REVOKE ALL ("contact_url") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("contact_url") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_settings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_settings" TO "service_role";
