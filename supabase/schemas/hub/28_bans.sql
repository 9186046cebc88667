-- A ban sets hidden_by_ban on all assets of the creator, upholds the open reports on them, and stops counting the creator's own
-- open reports. Nothing is deleted; lifting the ban only clears hidden_by_ban. Triggers do this, so that it also happens when an
-- operator edits private.hub_bans.
create function private.hub_bans_apply()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  assets uuid[];
  locked uuid[];
  reports uuid[];
begin
  -- A publication that is running holds this lock of the creator's profile. Either it commits first and its asset is found below,
  -- or it runs after the ban and is refused.
  perform from public.hub_profiles p where p.user_id = new.user_id for no key update;
  assets := array(select a.id from public.hub_assets a where a.creator_id = new.user_id order by a.id for no key update);
  locked := private.lock_reports(assets, new.user_id);
  reports := array(
    select r.id
    from public.hub_reports r
    where r.id = any (locked) and not r.resolved and (r.asset_id = any (assets) or (r.reporter_id = new.user_id and r.counts))
  );
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.id = any (reports))
  order by m.asset_id
  for no key update;

  -- hub_assets_guard sets hidden_by_ban from private.hub_bans, whatever is written here.
  update public.hub_assets a set hidden_by_ban = true where a.id = any (assets);
  update public.hub_reports r
  set resolved = r.asset_id = any (assets),
    outcome = case when r.asset_id = any (assets) then 'upheld' end,
    note = case when r.asset_id = any (assets) then new.reason else r.note end,
    -- Open reports of a banned user are not counted.
    counts = r.counts and r.asset_id = any (assets)
  where r.id = any (reports);
  perform private.log_event('banned', user_id => new.user_id, details => jsonb_build_object('reason', new.reason));
  return null;
end;
$$;
comment on function private.hub_bans_apply is 'Hides all assets of a banned creator, upholds the open reports on them, stops counting the creator''s own open reports, and logs the ban.';
revoke execute on function private.hub_bans_apply from public, anon, authenticated, service_role;

create trigger hub_bans_apply
after insert on private.hub_bans
for each row execute function private.hub_bans_apply();

create function private.hub_bans_lift()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- A ban is also deleted when its account is deleted; in that case the assets stay hidden.
  if exists (select from auth.users u where u.id = old.user_id) then
    perform from public.hub_profiles p where p.user_id = old.user_id for no key update;
    perform from public.hub_assets a where a.creator_id = old.user_id order by a.id for no key update;
    update public.hub_assets a set hidden_by_ban = false where a.creator_id = old.user_id;
    perform private.log_event('unbanned', user_id => old.user_id);
  end if;
  return null;
end;
$$;
comment on function private.hub_bans_lift is 'Clears hidden_by_ban, and nothing else, when a ban is lifted.';
revoke execute on function private.hub_bans_lift from public, anon, authenticated, service_role;

create trigger hub_bans_10_lift
after delete on private.hub_bans
for each row execute function private.hub_bans_lift();

create function private.hub_bans_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.user_id <> old.user_id then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_bans", "hint": "delete the ban and insert another"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_bans_before_update is 'Refuses to move a ban to another user. Raises PT409 append_only.';
revoke execute on function private.hub_bans_before_update from public, anon, authenticated, service_role;

create trigger hub_bans_before_update
before update on private.hub_bans
for each row execute function private.hub_bans_before_update();

-- Clears the note of an RPC, so that the note is not logged with later statements of the same transaction.
create function private.clear_audit_note()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- After upholding reports, the RPC hides the asset and logs this with the same note, so the note stays until then.
  if tg_table_name = 'hub_reports' then
    if exists (select from changed c where c.outcome = 'upheld') then
      return null;
    end if;
  end if;
  perform set_config('keyhub.note', '', true);
  perform set_config('keyhub.public_note', '', true);
  return null;
end;
$$;
comment on function private.clear_audit_note is 'Clears an admin''s note at the end of the statement that it belongs to.';
revoke execute on function private.clear_audit_note from public, anon, authenticated, service_role;

-- Statement triggers fire after the row triggers and all effects of the row triggers, so the note is cleared only after it was
-- logged. The last statement of every RPC with a note fires one of the two triggers below.
create trigger hub_assets_95_clear_audit_note
after update of is_hidden, deleted_at on public.hub_assets
for each statement when (pg_trigger_depth() = 0) execute function private.clear_audit_note();
create trigger hub_reports_50_clear_audit_note
after update on public.hub_reports
referencing new table as changed for each statement when (pg_trigger_depth() = 0) execute function private.clear_audit_note();
create trigger hub_bans_forbid_truncate
before truncate on private.hub_bans
for each statement execute function private.refuse_change();
