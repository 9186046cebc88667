-- Five accounts are made in a second. So on a version that an admin has restored, only who was there before the restore can hide it
-- again; a new version begins anew.

alter table private.hub_moderation add column reviewed_at timestamptz;
comment on column private.hub_moderation.reviewed_at is 'When an admin restored last. Reports of accounts made after that do not count on reviewed_version.';

create or replace function private.hub_assets_restored()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.close_reports(array[new.id], 'dismissed');
  update private.hub_moderation m
  set reviewed_version = new.current_version, reviewed_at = clock_timestamp()
  where m.asset_id = new.id;
  return null;
end;
$$;

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
      and m.reviewed_version >= is_later_account.version
      and m.reviewed_at < coalesce(
        (select u.created_at from auth.users u where u.id = is_later_account.user_id),
        (select p.created_at from public.hub_profiles p where p.user_id = is_later_account.user_id)
      )
  );
$$;
comment on function private.is_later_account is 'Whether an account was made after an admin had restored that version of an asset.';
revoke execute on function private.is_later_account from public, anon, authenticated, service_role;

create or replace function private.hub_reports_before_insert()
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
  new.counts := new.reporter_id is not null and not private.is_later_account(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        r.outcome = 'dismissed' and r.version = new.version
        -- An admin has restored this very version: whoever spoke before, in whatever words, has been heard.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$$;
comment on column public.hub_reports.counts is 'Whether it counts towards hiding: not when its reporter was dismissed on this version, joined after it was restored, is banned or gone.';
