SET local check_function_bodies = off;

ALTER TABLE "public"."hub_reports"
  ADD COLUMN "work_url" text;

ALTER TABLE "public"."hub_reports"
  ADD COLUMN "work_holder" text;

CREATE OR REPLACE FUNCTION private.hub_reports_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
  faults jsonb := '[]';
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
  new.work_url := private.clean(new.work_url);
  new.work_holder := private.clean(new.work_holder);
  if not private.is_https_url(new.work_url) then
    faults := faults || private.fault('work_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  if char_length(new.work_holder) > 200 or private.has_breaks_or_invisible(new.work_holder) then
    faults := faults || private.fault('work_holder', 'invalid_length', 'must be 1 to 200 visible characters');
  end if;
  if new.reason <> 'copyright' and coalesce(new.work_url, new.work_holder) is not null then
    faults := faults || private.fault('work_url', 'unexpected', 'is of a report for copyright');
  end if;
  perform private.refuse_faults(faults);
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

CREATE OR REPLACE FUNCTION private.review_queue()
  RETURNS TABLE (
    asset_id         uuid,
    asset_type       text,
    slug             text,
    title            text,
    creator_id       uuid,
    creator_username text,
    creator_banned   boolean,
    is_public        boolean,
    is_hidden        boolean,
    hidden_reason    text,
    hidden_at        timestamp with time zone,
    deleted_at       timestamp with time zone,
    current_version  integer,
    reviewed_version integer,
    open_reports     integer,
    counting_reports integer,
    reports          jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  return query
  select
    a.id, a.asset_type, a.slug, a.title, a.creator_id, p.username, private.is_banned(a.creator_id),
    a.is_public, a.is_hidden, a.hidden_reason, a.hidden_at, a.deleted_at,
    a.current_version, m.reviewed_version, m.open_reports, m.counting_reports,
    coalesce(r.reports, '[]')
  from public.hub_assets a
  join private.hub_moderation m on m.asset_id = a.id
  left join public.hub_profiles p on p.user_id = a.creator_id
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', o.id,
      'reason', o.reason,
      'details', o.details,
      'work_url', o.work_url,
      'work_holder', o.work_holder,
      'version', o.version,
      'counts', o.counts,
      'created_at', o.created_at,
      'reporter_id', o.reporter_id
    ) order by o.created_at, o.id) as reports
    from public.hub_reports o
    where o.asset_id = a.id and not o.resolved
  ) r on true
  where m.open_reports > 0 or (a.is_hidden and a.deleted_at is null)
  -- Hidden assets first, then those nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$function$;

COMMENT ON COLUMN "public"."hub_reports"."work_holder" IS 'Who holds the rights in that work.';

COMMENT ON COLUMN "public"."hub_reports"."work_url" IS 'Of a report for copyright: the address of the work that the listing copies.';

REVOKE ALL ("work_holder") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("work_holder"), SELECT ("work_holder") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("work_url") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("work_url"), SELECT ("work_url") ON TABLE "public"."hub_reports" TO "authenticated";

ALTER TABLE "public"."hub_reports"
  ADD CONSTRAINT "hub_reports_work_check"
    CHECK
    ((private.is_https_url(work_url) AND ((char_length(work_holder) >= 1) AND (char_length(work_holder) <= 200)) AND ((reason = 'copyright'::text) OR (COALESCE(work_url,
    work_holder) IS NULL))));
