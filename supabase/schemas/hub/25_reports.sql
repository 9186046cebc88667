-- Reports of listings: checks a new report, sets the columns that a reporter may not set, and closes reports.
create table public.hub_reports (
  id uuid not null default gen_random_uuid(),
  asset_id uuid not null,
  reporter_id uuid default auth.uid(),
  reason text not null,
  details text,
  created_at timestamptz not null default now(),
  resolved boolean not null default false,
  resolved_by uuid,
  version integer not null default 0,
  outcome text,
  note text,
  counts boolean not null default true,
  work_url text,
  work_holder text,
  constraint hub_reports_pkey primary key (id),
  constraint hub_reports_reporter_id_fkey foreign key (reporter_id) references auth.users (id) on delete set null,
  constraint hub_reports_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_reports_resolved_by_fkey foreign key (resolved_by) references auth.users (id) on delete set null,
  constraint hub_reports_reason_check check (reason in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other')),
  constraint hub_reports_details_check check (
    char_length(details) >= 1 and char_length(details) <= 1000 and (reason <> 'other' or details is not null)
  ),
  constraint hub_reports_outcome_check check (outcome in ('upheld', 'dismissed') and resolved = (outcome is not null)),
  constraint hub_reports_note_check check (char_length(note) <= 1000),
  constraint hub_reports_work_check check (
    private.is_https_url(work_url) and char_length(work_holder) between 1 and 200
    and (reason = 'copyright' or coalesce(work_url, work_holder) is null)
  )
);
comment on table public.hub_reports is 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report can also uphold a report, which hides the listing.';
comment on column public.hub_reports.version is 'The version that was reported; after a dismissal, the version that was current when the report was dismissed.';
comment on column public.hub_reports.counts is 'Whether the report counts towards hiding the listing. False when the reporter''s earlier report on this version was dismissed, when an earlier report of the reporter is closed and moderation has restored this version, when the reporter''s account was created after the version was restored, or when the reporter is younger than hub_settings.min_reporter_age, banned or deleted.';
comment on column public.hub_reports.work_url is 'For a copyright report: the address of the work that the listing copies.';
comment on column public.hub_reports.work_holder is 'For a copyright report: the holder of the rights in the copied work.';
alter table public.hub_reports enable row level security;
revoke all on table public.hub_reports from public, anon, authenticated, service_role;
grant
  select (id, asset_id, reporter_id, reason, details, created_at, resolved, version, outcome, work_url, work_holder),
  insert (asset_id, reporter_id, reason, details, work_url, work_holder)
on table public.hub_reports to authenticated;
grant select on table public.hub_reports to service_role;

create unique index hub_reports_open_key on public.hub_reports (asset_id, reporter_id) where not resolved;
create index hub_reports_asset_id_idx on public.hub_reports (asset_id, reporter_id);
create index hub_reports_reporter_id_idx on public.hub_reports (reporter_id) where reporter_id is not null;
create index hub_reports_resolved_by_idx on public.hub_reports (resolved_by) where resolved_by is not null;

create policy hub_reports_select on public.hub_reports for select to authenticated using (reporter_id = (select auth.uid()));
create policy hub_reports_insert on public.hub_reports for insert to authenticated
with check (
  reporter_id = (select auth.uid())
  and (select private.is_member())
  and exists (
    select from public.hub_assets a
    where a.id = hub_reports.asset_id
      and (a.is_visible or (a.is_shared and a.organization_id = any (array(select private.member_organization_ids()))))
  )
);
create policy hub_reports_service_select on public.hub_reports for select to service_role using (true);

create function private.hub_reports_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
  faults jsonb := '[]';
begin
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
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
    if earlier.counts or earlier.version >= asset.current_version or not private.is_seen_by(asset, new.reporter_id) then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report did not count and is about an older version: it is dismissed, and the new one replaces it.
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
        -- A report of this reporter on this version was dismissed. A report of this reporter on the next version counts again.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: the earlier reports of this reporter, whatever their outcome, have been
        -- reviewed, so a new one does not count.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$$;
comment on function private.hub_reports_before_insert is 'Checks a new report and sets the columns that a reporter may not set. Raises PT403 banned, PT409 already_reported, PT422 details_required, own_asset or validation_failed.';
revoke execute on function private.hub_reports_before_insert from public, anon, authenticated, service_role;

create trigger hub_reports_before_insert
before insert on public.hub_reports
for each row execute function private.hub_reports_before_insert();

create function private.hub_reports_before_update()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if (new.id, new.asset_id, new.version) is distinct from (old.id, old.asset_id, old.version)
    or (new.reporter_id is not null and new.reporter_id is distinct from old.reporter_id)
    or (old.resolved and not new.resolved)
  then
    raise exception using errcode = 'PT409', message = 'report_is_fixed';
  end if;
  if new.resolved and not old.resolved then
    new.outcome := coalesce(new.outcome, 'dismissed');
    new.resolved_by := coalesce(new.resolved_by, (select auth.uid()));
    -- A dismissal covers the version that is current now, except when the reporter replaces an older report.
    if new.outcome = 'dismissed' and (new.resolved_by = old.reporter_id) is not true then
      select greatest(old.version, a.current_version) into new.version
      from public.hub_assets a
      where a.id = old.asset_id;
    end if;
  end if;
  -- counts may become false but never true. A report of a deleted account does not count.
  new.counts := new.counts and old.counts and new.reporter_id is not null;
  return new;
end;
$$;
comment on function private.hub_reports_before_update is 'Refuses to reopen a report or to change its asset, version or reporter. Fills outcome, resolved_by and version of a report that is closed, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';
revoke execute on function private.hub_reports_before_update from public, anon, authenticated, service_role;

create trigger hub_reports_before_update
before update on public.hub_reports
for each row execute function private.hub_reports_before_update();

create function private.log_report()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.log_event('report_resolved', new.asset_id, report_id => new.id, details => jsonb_build_object('outcome', new.outcome));
  return null;
end;
$$;
comment on function private.log_report is 'Logs the outcome of a report.';
revoke execute on function private.log_report from public, anon, authenticated, service_role;

create trigger hub_reports_log
after update of resolved on public.hub_reports
for each row when (new.resolved and not old.resolved)
execute function private.log_report();

create function private.joined_after_restore(user_id uuid, asset_id uuid, version integer)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- Users cannot change the created_at of their account or profile. A profile is never older than its account, so the time of the
  -- profile cannot make the account look older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = joined_after_restore.asset_id
      -- Reports of an account that joined after the restore are counted from the next version on.
      and m.reviewed_version >= joined_after_restore.version
      and m.reviewed_at < coalesce(
        (select u.created_at from auth.users u where u.id = joined_after_restore.user_id),
        (select p.created_at from public.hub_profiles p where p.user_id = joined_after_restore.user_id)
      )
  );
$$;
comment on function private.joined_after_restore is 'Returns whether an account was created after the asset was restored with that version or a later one.';
revoke execute on function private.joined_after_restore from public, anon, authenticated, service_role;
