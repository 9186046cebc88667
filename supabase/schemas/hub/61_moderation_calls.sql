-- Moderation calls for admins, and for operators in the SQL editor. Triggers produce the effects; these functions check the
-- permission and the state of the asset, and take locks in the lock order.
create function private.asset_for_admin(asset_id uuid, with_stars boolean default false)
returns public.hub_assets
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
begin
  perform private.require_admin();
  -- Locks the admin's account, to which the resolved reports will refer: accounts come first in the lock order.
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  if asset_for_admin.with_stars then
    select a.* into asset from public.hub_assets a where a.id = asset_for_admin.asset_id;
    perform private.lock_source(asset.asset_type, asset.ref_id, asset.creator_id);
    perform private.lock_with_stars(asset.id);
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.id = asset_for_admin.asset_id and a.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return asset;
end;
$$;
comment on function private.asset_for_admin is 'Locks and returns an asset for an admin or operator. Raises 42501, PT404 asset_not_found.';
revoke execute on function private.asset_for_admin from public, anon, authenticated, service_role;

create function private.hide_asset(asset_id uuid, note text, public_note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(hide_asset.asset_id);
begin
  if not (asset.is_visible or asset.is_shared) then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  if private.clean(hide_asset.note) is null then
    perform private.refuse_faults(private.fault('note', 'required', 'is required'));
  end if;
  perform private.set_audit_note(hide_asset.note, hide_asset.public_note);
  update public.hub_assets a set is_hidden = true, hidden_reason = 'moderator' where a.id = asset.id;
end;
$$;
comment on function private.hide_asset is 'Hides a visible or shared asset for the reason moderator. Called by public.hub_hide_asset.';
revoke execute on function private.hide_asset from public, anon, authenticated, service_role;
grant execute on function private.hide_asset to authenticated;

create function private.restore_asset(asset_id uuid, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(restore_asset.asset_id);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(restore_asset.note);
  update public.hub_assets a set is_hidden = false where a.id = asset.id;
end;
$$;
comment on function private.restore_asset is 'Clears is_hidden; triggers then dismiss the open reports. Called by public.hub_restore_asset.';
revoke execute on function private.restore_asset from public, anon, authenticated, service_role;
grant execute on function private.restore_asset to authenticated;

create function private.remove_asset(asset_id uuid, note text, public_note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(remove_asset.asset_id, with_stars => true);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(remove_asset.note, remove_asset.public_note);
  update public.hub_assets a set deleted_at = clock_timestamp(), hidden_reason = 'removed' where a.id = asset.id;
end;
$$;
comment on function private.remove_asset is 'Makes a hidden asset a tombstone with the reason removed. Called by public.hub_remove_asset.';
revoke execute on function private.remove_asset from public, anon, authenticated, service_role;
grant execute on function private.remove_asset to authenticated;

create function private.resolve_report(report_id uuid, outcome text, note text, public_note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  report public.hub_reports;
begin
  perform private.require_admin();
  if resolve_report.outcome is null or resolve_report.outcome not in ('upheld', 'dismissed') then
    perform private.refuse_faults(private.fault('outcome', 'invalid_value', 'must be "upheld" or "dismissed"'));
  end if;
  perform private.set_audit_note(resolve_report.note, resolve_report.public_note);
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id;
  perform from public.hub_assets a where a.id = report.asset_id for no key update;
  if resolve_report.outcome = 'upheld' then
    perform private.lock_reports(array[report.asset_id], null);
  end if;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'report_not_found';
  end if;
  if report.resolved then
    raise exception using errcode = 'PT409', message = 'report_resolved';
  end if;
  if resolve_report.outcome = 'dismissed' then
    update public.hub_reports r
    set resolved = true, outcome = 'dismissed', note = private.clean(resolve_report.note)
    where r.id = report.id;
  else
    perform private.close_reports(array[report.asset_id], 'upheld');
    -- The new reason also applies when the listing is hidden for another reason or deleted by its creator: a later publication is
    -- then hidden for this reason.
    update public.hub_assets a
    set is_hidden = true, hidden_reason = report.reason
    where a.id = report.asset_id and a.hidden_reason is distinct from 'removed';
  end if;
end;
$$;
comment on function private.resolve_report is 'Dismisses one report, or upholds all open reports on the asset and hides the asset. Called by public.hub_resolve_report.';
revoke execute on function private.resolve_report from public, anon, authenticated, service_role;
grant execute on function private.resolve_report to authenticated;

create function private.ban_creator(user_id uuid, reason text, public_note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if char_length(ban_creator.reason) > 1000 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform private.set_audit_note(null, ban_creator.public_note);
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  perform from auth.users u where u.id = ban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  insert into private.hub_bans (user_id, reason, banned_by)
  values (ban_creator.user_id, private.clean(ban_creator.reason), (select auth.uid()))
  on conflict do nothing;
  perform private.set_audit_note(null);
end;
$$;
comment on function private.ban_creator is 'Inserts a ban; triggers apply it. Called by public.hub_ban_creator.';
revoke execute on function private.ban_creator from public, anon, authenticated, service_role;
grant execute on function private.ban_creator to authenticated;

create function private.unban_creator(user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  perform from auth.users u where u.id = unban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  delete from private.hub_bans b where b.user_id = unban_creator.user_id;
end;
$$;
comment on function private.unban_creator is 'Deletes the ban of a creator; triggers then show the creator''s listings again. Called by public.hub_unban_creator.';
revoke execute on function private.unban_creator from public, anon, authenticated, service_role;
grant execute on function private.unban_creator to authenticated;

create function private.review_queue()
returns table (
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  creator_id uuid,
  creator_username text,
  creator_banned boolean,
  is_public boolean,
  is_hidden boolean,
  hidden_reason text,
  hidden_at timestamptz,
  deleted_at timestamptz,
  current_version integer,
  reviewed_version integer,
  open_reports integer,
  counting_reports integer,
  reports jsonb
)
language plpgsql
stable
security definer
set search_path = ''
as $$
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
  where (m.open_reports > 0 or (a.is_hidden and a.deleted_at is null))
    -- Leaves out the listings about which the admins of an organization decide: those of an organization, unless the hub's own
    -- moderation has hidden them.
    and (a.organization_id is null or a.hidden_reason not in ('organization', 'organization_reports'))
  -- Sorts hidden assets first, then the assets that are nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$$;
comment on function private.review_queue is 'Returns the review queue after checking that the caller is an admin. Called by public.hub_review_queue.';
revoke execute on function private.review_queue from public, anon, authenticated, service_role;
grant execute on function private.review_queue to authenticated;

create function public.hub_review_queue()
returns table (
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  creator_id uuid,
  creator_username text,
  creator_banned boolean,
  is_public boolean,
  is_hidden boolean,
  hidden_reason text,
  hidden_at timestamptz,
  deleted_at timestamptz,
  current_version integer,
  reviewed_version integer,
  open_reports integer,
  counting_reports integer,
  reports jsonb
)
language sql
stable
security invoker
set search_path = ''
as $$
  select * from private.review_queue();
$$;
comment on function public.hub_review_queue is 'For admins: returns the assets that are hidden or have open reports, with these reports; hidden assets first, at most 500. Leaves out the assets about which the admins of an organization decide.';
revoke execute on function public.hub_review_queue from public, anon, authenticated, service_role;
grant execute on function public.hub_review_queue to authenticated;

create function public.hub_hide_asset(asset_id uuid, note text, public_note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.hide_asset(hub_hide_asset.asset_id, hub_hide_asset.note, hub_hide_asset.public_note);
$$;
comment on function public.hub_hide_asset is 'For admins: hides a visible or shared asset. note is required and only admins and operators read it; the creator of the asset reads public_note. Raises PT404 asset_not_found, PT409 not_visible.';
revoke execute on function public.hub_hide_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_hide_asset to authenticated;

create function public.hub_restore_asset(asset_id uuid, note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.restore_asset(hub_restore_asset.asset_id, hub_restore_asset.note);
$$;
comment on function public.hub_restore_asset is 'For admins: restores a hidden asset and dismisses its open reports. Raises PT404 asset_not_found, PT409 not_hidden.';
revoke execute on function public.hub_restore_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_restore_asset to authenticated;

create function public.hub_remove_asset(asset_id uuid, note text default null, public_note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.remove_asset(hub_remove_asset.asset_id, hub_remove_asset.note, hub_remove_asset.public_note);
$$;
comment on function public.hub_remove_asset is 'For admins: removes a hidden asset permanently; a tombstone keeps its id and slug. The creator of the asset reads public_note. Raises PT404 asset_not_found, PT409 not_hidden.';
revoke execute on function public.hub_remove_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_remove_asset to authenticated;

create function public.hub_resolve_report(report_id uuid, outcome text, note text default null, public_note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.resolve_report(hub_resolve_report.report_id, hub_resolve_report.outcome, hub_resolve_report.note, hub_resolve_report.public_note);
$$;
comment on function public.hub_resolve_report is 'For admins: the outcome dismissed closes this report; the outcome upheld closes all open reports on the asset and hides the asset, whose creator reads public_note. Raises PT404 report_not_found, PT409 report_resolved, PT422 validation_failed.';
revoke execute on function public.hub_resolve_report from public, anon, authenticated, service_role;
grant execute on function public.hub_resolve_report to authenticated;

create function public.hub_ban_creator(user_id uuid, reason text default null, public_note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.ban_creator(hub_ban_creator.user_id, hub_ban_creator.reason, hub_ban_creator.public_note);
$$;
comment on function public.hub_ban_creator is 'For admins: hides all assets of a user and refuses all writes of the user to the hub; the user reads public_note. Banning a user again changes nothing. Raises PT404 user_not_found, PT422 cannot_ban_self or cannot_ban_admin.';
revoke execute on function public.hub_ban_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_ban_creator to authenticated;

create function public.hub_unban_creator(user_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unban_creator(hub_unban_creator.user_id);
$$;
comment on function public.hub_unban_creator is 'For admins: lifts a ban; assets that reports or admins have hidden stay hidden. Raises PT404 user_not_found.';
revoke execute on function public.hub_unban_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_unban_creator to authenticated;
