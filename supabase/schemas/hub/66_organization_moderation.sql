-- The owners and admins of an organization decide about reports on its shelf. They cannot restore what the hub's own moderation has
-- hidden: otherwise a creator could move a hidden listing to an organization of their own and restore it there.
create function private.organization_review_queue(organization_id uuid)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_review_queue.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'asset_id', q.id, 'asset_type', q.asset_type, 'slug', q.slug, 'title', q.title,
      'creator', private.creator(q.creator_id), 'is_hidden', q.is_hidden, 'hidden_reason', q.hidden_reason, 'open_reports', q.open_reports,
      -- The reports are shown without the names of the reporters, because the admins and the reporters are colleagues.
      'reports', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'reason', r.reason, 'details', r.details, 'version', r.version, 'created_at', r.created_at
        ) order by r.created_at, r.id), '[]')
        from public.hub_reports r
        where r.asset_id = q.id and not r.resolved
      )
    ) order by q.is_hidden desc, q.open_reports desc, q.id), '[]')
    from (
      select a.*, m.open_reports
      from public.hub_assets a
      join private.hub_moderation m on m.asset_id = a.id
      where a.organization_id = organization_review_queue.organization_id
        and a.shared_at is not null
        and (m.open_reports > 0 or a.is_hidden)
      order by a.is_hidden desc, m.open_reports desc, a.id
      limit 200
    ) q
  );
end;
$$;
comment on function private.organization_review_queue is 'Returns the reported and hidden listings of a shelf to the owners and admins of its organization. Called by public.organization_review_queue.';
revoke execute on function private.organization_review_queue from public, anon, authenticated, service_role;
grant execute on function private.organization_review_queue to authenticated;

create function private.organization_review(asset_id uuid, keep boolean, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
begin
  select a.* into asset from public.hub_assets a where a.id = organization_review.asset_id;
  if asset.shared_at is null or not private.is_member_of((select auth.uid()), asset.organization_id) then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(asset.organization_id), '{owner,admin}');
  if organization_review.keep is null then
    perform private.refuse_faults(private.fault('keep', 'required', 'is required'));
  end if;
  perform private.set_audit_note(organization_review.note, organization_review.note);
  select a.* into asset
  from public.hub_assets a
  where a.id = organization_review.asset_id and a.organization_id = asset.organization_id and a.shared_at is not null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.hidden_by_ban or asset.hidden_reason not in ('organization', 'organization_reports') then
    raise exception using errcode = 'PT409', message = 'hidden_by_hub';
  end if;
  if not organization_review.keep then
    perform private.close_reports(array[asset.id], 'upheld');
    update public.hub_assets a set is_hidden = true, hidden_reason = 'organization' where a.id = asset.id;
  elsif asset.is_hidden then
    update public.hub_assets a set is_hidden = false where a.id = asset.id;
  else
    perform private.close_reports(array[asset.id], 'dismissed');
    perform private.set_audit_note(null);
  end if;
end;
$$;
comment on function private.organization_review is 'Keeps or hides a listing of a shelf and closes its open reports. Called by public.organization_review.';
revoke execute on function private.organization_review from public, anon, authenticated, service_role;
grant execute on function private.organization_review to authenticated;

create function public.organization_review_queue(organization_id uuid)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.organization_review_queue(organization_review_queue.organization_id);
$$;
comment on function public.organization_review_queue is 'For owners and admins: returns the listings on their shelf that are reported or hidden, hidden listings first, at most 200: [{asset_id, asset_type, slug, title, creator, is_hidden, hidden_reason, open_reports, reports}]. Raises PT404 organization_not_found.';
revoke execute on function public.organization_review_queue from public, anon, authenticated, service_role;
grant execute on function public.organization_review_queue to authenticated;

create function public.organization_review(asset_id uuid, keep boolean, note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.organization_review(organization_review.asset_id, organization_review.keep, organization_review.note);
$$;
comment on function public.organization_review is 'For owners and admins: with keep = true, dismisses the open reports on a listing of their shelf and shows the listing again if it was hidden; with keep = false, upholds the reports and hides the listing, whose creator reads the note. Raises PT403 banned or role_required, PT404 asset_not_found, PT409 hidden_by_hub, PT422 validation_failed.';
revoke execute on function public.organization_review from public, anon, authenticated, service_role;
grant execute on function public.organization_review to authenticated;
