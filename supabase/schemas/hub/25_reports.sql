-- Reports: what a reporter may send and is told, and how a report ends.
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
  constraint hub_reports_pkey primary key (id),
  constraint hub_reports_reporter_id_fkey foreign key (reporter_id) references auth.users (id) on delete set null,
  constraint hub_reports_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_reports_resolved_by_fkey foreign key (resolved_by) references auth.users (id) on delete set null,
  constraint hub_reports_reason_check check (reason in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other')),
  constraint hub_reports_details_check check (
    char_length(details) between 1 and 1000 and (reason <> 'other' or details is not null)
  ),
  constraint hub_reports_outcome_check check (outcome in ('upheld', 'dismissed') and resolved = (outcome is not null)),
  constraint hub_reports_note_check check (char_length(note) <= 1000)
);
comment on table public.hub_reports is 'Reports of listings. Setting resolved by hand closes one as dismissed; hub_resolve_report does what an outcome means.';
comment on column public.hub_reports.version is 'The version that was reported; once dismissed, the newest that an admin could look at.';
comment on column public.hub_reports.counts is 'Whether it counts towards hiding: not when its reporter was dismissed on this version, joined after it was restored, is banned or gone.';
alter table public.hub_reports enable row level security;
revoke all on table public.hub_reports from public, anon, authenticated, service_role;
grant
  select (id, asset_id, reporter_id, reason, details, created_at, resolved, version, outcome),
  insert (asset_id, reporter_id, reason, details)
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
  and exists (select from public.hub_assets a where a.id = hub_reports.asset_id and a.is_visible)
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
begin
  -- As with stars: row level security refuses, and nothing is to be told about somebody else.
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
  -- guard: hub: own assets are not reported
  -- without: if false then
  if asset.creator_id = new.reporter_id then
  -- end
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    -- guard: hub: a second open report is told so
    -- without: if false then
    if earlier.counts or earlier.version >= asset.current_version or not asset.is_visible then
    -- end
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- It never counted, and speaks of a version that is gone: the new one takes its place.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  -- guard: hub: accounts made after a restore do not count
  -- without: new.counts := new.reporter_id is not null  and not exists (
  new.counts := new.reporter_id is not null and not private.is_later_account(new.reporter_id, new.asset_id, new.version) and not exists (
  -- end
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- guard: hub: who was dismissed on a version does not count on it
        -- without: false
        -- guard: hub: who was dismissed on a version counts on the next
        -- without: r.outcome = 'dismissed'
        r.outcome = 'dismissed' and r.version = new.version
        -- end
        -- end
        -- An admin has restored this very version: whoever spoke before, in whatever words, has been heard.
        or exists (
          -- guard: hub: whoever spoke before a restore has been heard
          -- without: select from private.hub_moderation m where m.asset_id = new.asset_id and false
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
          -- end
        )
      )
  );
  return new;
end;
$$;
comment on function private.hub_reports_before_insert is 'Says what a reporter may be told, and sets what is not theirs to set. Raises PT403 banned, PT409 already_reported, PT422 details_required, own_asset or validation_failed.';
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
    -- guard: hub: a resolved report is not opened again
    or (old.resolved and not new.resolved)
    -- end
  then
    raise exception using errcode = 'PT409', message = 'report_is_fixed';
  end if;
  if new.resolved and not old.resolved then
    new.outcome := coalesce(new.outcome, 'dismissed');
    new.resolved_by := coalesce(new.resolved_by, (select auth.uid()));
    -- What is dismissed is dismissed for what was there to be seen, unless the reporter replaces an old report.
    if new.outcome = 'dismissed' and (new.resolved_by = old.reporter_id) is not true then
      -- guard: hub: what is dismissed is dismissed for what was there to be seen
      -- without: select old.version into new.version
      select greatest(old.version, a.current_version) into new.version
      -- end
      from public.hub_assets a
      where a.id = old.asset_id;
    end if;
  end if;
  -- Counting ends, it never begins.
  -- guard: hub: a reporter who is gone does not count
  -- without: new.counts := new.counts and old.counts ;
  new.counts := new.counts and old.counts and new.reporter_id is not null;
  -- end
  return new;
end;
$$;
comment on function private.hub_reports_before_update is 'A report is closed once; one whose reporter is gone does not count.';
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
comment on function private.log_report is 'Logs how a report ended.';
revoke execute on function private.log_report from public, anon, authenticated, service_role;

create trigger hub_reports_log
after update of resolved on public.hub_reports
for each row when (new.resolved and not old.resolved)
execute function private.log_report();

create function private.is_later_account(user_id uuid, asset_id uuid, version integer)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- Neither moment is one's own to write. The profile may be younger than the account, never older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = is_later_account.asset_id
      -- guard: hub: accounts made after a restore count on the next version
      and m.reviewed_version >= is_later_account.version
      -- end
      -- guard: hub: accounts that were there before a restore count
      -- without: and m.reviewed_at is distinct from coalesce(
      and m.reviewed_at < coalesce(
      -- end
        -- guard: hub: how old an account is, is what auth says
        (select u.created_at from auth.users u where u.id = is_later_account.user_id),
        -- end
        (select p.created_at from public.hub_profiles p where p.user_id = is_later_account.user_id)
      )
  );
$$;
comment on function private.is_later_account is 'Whether an account was made after an admin had restored that version of an asset.';
revoke execute on function private.is_later_account from public, anon, authenticated, service_role;
