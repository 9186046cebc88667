SET local check_function_bodies = off;

ALTER TABLE "public"."hub_events"
  DROP CONSTRAINT "hub_events_action_check";

DROP FUNCTION "private"."ban_creator"(uuid, text);

DROP FUNCTION "private"."hide_asset"(uuid, text);

DROP FUNCTION "private"."remove_asset"(uuid, text);

DROP FUNCTION "private"."resolve_report"(uuid, text, text);

DROP FUNCTION "private"."set_audit_note"(text);

DROP FUNCTION "public"."hub_ban_creator"(uuid, text);

DROP FUNCTION "public"."hub_hide_asset"(uuid, text);

DROP FUNCTION "public"."hub_remove_asset"(uuid, text);

DROP FUNCTION "public"."hub_resolve_report"(uuid, text, text);

CREATE TABLE "public"."hub_appeals" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "event_id"    bigint                   NOT NULL,
  "asset_id"    uuid,
  "user_id"     uuid                     NOT NULL,
  "body"        text                     NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "state"       text                     NOT NULL DEFAULT 'open'::text,
  "answer"      text,
  "resolved_at" timestamp with time zone,
  CONSTRAINT "hub_appeals_answer_check" CHECK (((char_length(answer) >= 1) AND (char_length(answer) <= 2000))),
  CONSTRAINT "hub_appeals_body_check" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 2000))),
  CONSTRAINT "hub_appeals_event_id_key" UNIQUE (event_id),
  CONSTRAINT "hub_appeals_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_appeals_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'accepted'::text, 'rejected'::text])))
);

ALTER TABLE "public"."hub_appeals"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "anon";

ALTER TABLE "public"."hub_events"
  ADD COLUMN "public_note" text;

CREATE OR REPLACE FUNCTION private.appeal (
  asset_id uuid,
  body     text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  said constant text := private.clean(appeal.body);
  asset public.hub_assets;
  decision bigint;
  made uuid;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  if said is null then
    perform private.refuse_faults(private.fault('body', 'required', 'is required'));
  elsif char_length(said) > 2000 then
    perform private.refuse_faults(private.fault('body', 'too_big', 'must be at most 2000 characters'));
  end if;
  -- A banned user may appeal.
  perform private.begin_write(caller, allow_banned => true);
  if appeal.asset_id is null then
    -- The lock of the profile holds off the end of the ban.
    if not private.is_banned(caller) then
      raise exception using errcode = 'PT409', message = 'not_banned';
    end if;
  else
    select a.* into asset
    from public.hub_assets a
    where a.id = appeal.asset_id and a.creator_id = caller
    for no key update;
    if not found then
      raise exception using errcode = 'PT404', message = 'asset_not_found';
    end if;
    if not asset.is_hidden then
      raise exception using errcode = 'PT409', message = 'not_hidden';
    end if;
  end if;
  select e.id into decision
  from public.hub_events e
  where e.user_id = caller and e.asset_id is not distinct from appeal.asset_id and e.action in ('hidden', 'removed', 'banned')
  order by e.id desc
  limit 1;
  insert into public.hub_appeals (event_id, asset_id, user_id, body)
  values (decision, appeal.asset_id, caller, said)
  on conflict (event_id) do nothing
  returning hub_appeals.id into made;
  if made is null then
    raise exception using errcode = 'PT409', message = 'already_appealed';
  end if;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ban_creator (
  user_id     uuid,
  reason      text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.clear_audit_note()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- After upholding reports the RPC hides the asset, and logs that with the same note.
  if tg_table_name = 'hub_reports' then
    if exists (select from changed c where c.outcome = 'upheld') then
      return null;
    end if;
  end if;
  perform set_config('keyhub.note', '', true);
  perform set_config('keyhub.public_note', '', true);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_appeals()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_table_name = 'hub_bans' then
    if not exists (select from auth.users u where u.id = old.user_id) then
      -- The account is being deleted: its appeals go with it.
      return null;
    end if;
    update public.hub_appeals p set state = 'accepted' where p.user_id = old.user_id and p.asset_id is null and p.state = 'open';
  elsif new.is_hidden then
    -- Removed for good. That is a decision of its own, with an appeal of its own.
    update public.hub_appeals p set state = 'rejected' where p.asset_id = new.id and p.state = 'open';
  else
    update public.hub_appeals p set state = 'accepted' where p.asset_id = new.id and p.state = 'open';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hide_asset (
  asset_id    uuid,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(hide_asset.asset_id);
begin
  if not asset.is_visible then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  if private.clean(hide_asset.note) is null then
    perform private.refuse_faults(private.fault('note', 'required', 'is required'));
  end if;
  perform private.set_audit_note(hide_asset.note, hide_asset.public_note);
  update public.hub_assets a set is_hidden = true, hidden_reason = 'moderator' where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_appeals_apply()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.log_event(
    case when tg_op = 'INSERT' then 'appealed' else 'appeal_' || new.state end,
    new.asset_id,
    new.user_id,
    details => jsonb_build_object('event_id', new.event_id)
  );
  if new.state = 'accepted' then
    if new.asset_id is null then
      delete from private.hub_bans b where b.user_id = new.user_id;
    else
      update public.hub_assets a set is_hidden = false where a.id = new.asset_id and a.is_hidden;
    end if;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_appeals_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.event_id, new.asset_id, new.user_id, new.body, new.created_at)
    is distinct from (old.id, old.event_id, old.asset_id, old.user_id, old.body, old.created_at) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_appeals", "hint": "edit state and answer only"}';
  end if;
  if new.state is distinct from old.state then
    if old.state <> 'open' then
      raise exception using errcode = 'PT409', message = 'appeal_resolved';
    end if;
    new.resolved_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_log()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  if new.current_version > old.current_version then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif new.is_public and not old.is_public then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif old.is_public and not new.is_public and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- The threshold hides it, not the user who sent the last report.
      by_system => new.hidden_reason = 'reports');
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.log_event (
  action    text,
  asset_id  uuid    DEFAULT NULL::uuid,
  user_id   uuid    DEFAULT NULL::uuid,
  report_id uuid    DEFAULT NULL::uuid,
  details   jsonb   DEFAULT '{}'::jsonb,
  by_system boolean DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.hub_events (actor_id, action, asset_id, user_id, report_id, note, public_note, details)
  values (
    case when not log_event.by_system then (select auth.uid()) end,
    log_event.action,
    log_event.asset_id,
    log_event.user_id,
    log_event.report_id,
    -- Set by set_audit_note: an RPC's note for the triggers of its statement.
    nullif(current_setting('keyhub.note', true), ''),
    case when log_event.action in ('hidden', 'removed', 'banned') then nullif(current_setting('keyhub.public_note', true), '') end,
    log_event.details
  );
$function$;

CREATE OR REPLACE FUNCTION private.my_decisions()
  RETURNS TABLE (
    id         bigint,
    action     text,
    at         timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    in_force   boolean,
    asset_id   uuid,
    asset_type text,
    title      text,
    appeal     jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  return query
  select
    e.id,
    e.action,
    e.at,
    -- The reason of a ban is the admins' own note.
    case when e.action <> 'banned' then coalesce(e.details ->> 'reason', e.action) end,
    e.public_note,
    (e.details ->> 'version')::integer,
    case
      when e.action = 'banned' then private.is_banned(caller)
      else coalesce(a.is_hidden, false)
    end and not exists (
      select
      from public.hub_events l
      where l.user_id = caller and l.asset_id is not distinct from e.asset_id and l.id > e.id
        and l.action in ('hidden', 'removed', 'banned')
    ),
    a.id,
    a.asset_type,
    a.title,
    case when p.id is not null then jsonb_build_object(
      'id', p.id, 'state', p.state, 'body', p.body, 'created_at', p.created_at, 'answer', p.answer, 'resolved_at', p.resolved_at
    ) end
  from public.hub_events e
  left join public.hub_assets a on a.id = e.asset_id
  left join public.hub_appeals p on p.event_id = e.id
  where e.user_id = caller and e.action in ('hidden', 'removed', 'banned')
  order by e.id desc
  limit 200;
end;
$function$;

CREATE OR REPLACE FUNCTION private.open_appeals()
  RETURNS TABLE (
    id         uuid,
    created_at timestamp with time zone,
    body       text,
    action     text,
    decided_at timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    asset_id   uuid,
    asset_type text,
    slug       text,
    title      text,
    user_id    uuid,
    username   text
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
    p.id,
    p.created_at,
    p.body,
    e.action,
    e.at,
    e.details ->> 'reason',
    e.public_note,
    (e.details ->> 'version')::integer,
    a.id,
    a.asset_type,
    a.slug,
    a.title,
    p.user_id,
    f.username
  from public.hub_appeals p
  join public.hub_events e on e.id = p.event_id
  left join public.hub_assets a on a.id = p.asset_id
  left join public.hub_profiles f on f.user_id = p.user_id
  where p.state = 'open'
  order by p.created_at, p.id
  limit 500;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_asset (
  asset_id    uuid,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(remove_asset.asset_id, with_stars => true);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(remove_asset.note, remove_asset.public_note);
  update public.hub_assets a set deleted_at = clock_timestamp(), hidden_reason = 'removed' where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resolve_appeal (
  id     uuid,
  accept boolean,
  answer text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_appeal public.hub_appeals;
begin
  perform private.require_admin();
  if resolve_appeal.accept is null then
    perform private.refuse_faults(private.fault('accept', 'required', 'is required'));
  end if;
  if char_length(private.clean(resolve_appeal.answer)) > 2000 then
    perform private.refuse_faults(private.fault('answer', 'too_big', 'must be at most 2000 characters'));
  end if;
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select p.* into found_appeal from public.hub_appeals p where p.id = resolve_appeal.id;
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
  -- Lock order: whoever changes an appeal holds its listing, or the profile of the user who is banned.
  if found_appeal.asset_id is null then
    perform from auth.users u where u.id = found_appeal.user_id for key share;
    perform from private.hub_bans b where b.user_id = found_appeal.user_id for update;
    perform from public.hub_profiles p where p.user_id = found_appeal.user_id for no key update;
  else
    perform from public.hub_assets a where a.id = found_appeal.asset_id for no key update;
  end if;
  update public.hub_appeals p
  set state = case when resolve_appeal.accept then 'accepted' else 'rejected' end, answer = private.clean(resolve_appeal.answer)
  where p.id = resolve_appeal.id;
  -- Deleted with its account while this call waited.
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resolve_report (
  report_id   uuid,
  outcome     text,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
    -- Also when it is hidden for another reason or deleted by its creator: a later publication comes back hidden for this reason.
    update public.hub_assets a
    set is_hidden = true, hidden_reason = report.reason
    where a.id = report.asset_id and a.hidden_reason is distinct from 'removed';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_audit_note (
  note        text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if char_length(set_audit_note.note) > 1000 then
    perform private.refuse_faults(private.fault('note', 'too_big', 'must be at most 1000 characters'));
  end if;
  if char_length(set_audit_note.public_note) > 1000 then
    perform private.refuse_faults(private.fault('public_note', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform set_config('keyhub.note', coalesce(private.clean(set_audit_note.note), ''), true);
  perform set_config('keyhub.public_note', coalesce(private.clean(set_audit_note.public_note), ''), true);
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_appeal (
  asset_id uuid DEFAULT NULL::uuid,
  body     text DEFAULT NULL::text
)
  RETURNS uuid
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.appeal(hub_appeal.asset_id, hub_appeal.body);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_appeal"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_ban_creator (
  user_id     uuid,
  reason      text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.ban_creator(hub_ban_creator.user_id, hub_ban_creator.reason, hub_ban_creator.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_hide_asset (
  asset_id    uuid,
  note        text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.hide_asset(hub_hide_asset.asset_id, hub_hide_asset.note, hub_hide_asset.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_my_decisions()
  RETURNS TABLE (
    id         bigint,
    action     text,
    at         timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    in_force   boolean,
    asset_id   uuid,
    asset_type text,
    title      text,
    appeal     jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.my_decisions();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_my_decisions"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_open_appeals()
  RETURNS TABLE (
    id         uuid,
    created_at timestamp with time zone,
    body       text,
    action     text,
    decided_at timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    asset_id   uuid,
    asset_type text,
    slug       text,
    title      text,
    user_id    uuid,
    username   text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.open_appeals();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_open_appeals"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_remove_asset (
  asset_id    uuid,
  note        text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_asset(hub_remove_asset.asset_id, hub_remove_asset.note, hub_remove_asset.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_resolve_appeal (
  id     uuid,
  accept boolean,
  answer text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.resolve_appeal(hub_resolve_appeal.id, hub_resolve_appeal.accept, hub_resolve_appeal.answer);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_resolve_report (
  report_id   uuid,
  outcome     text,
  note        text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.resolve_report(hub_resolve_report.report_id, hub_resolve_report.outcome, hub_resolve_report.note, hub_resolve_report.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."hub_appeals"
  ADD CONSTRAINT "hub_appeals_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_appeals"
  ADD CONSTRAINT "hub_appeals_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_events"
  ADD CONSTRAINT "hub_events_action_check"
    CHECK
    ((action = ANY (ARRAY['published'::text, 'unpublished'::text, 'republished'::text, 'deleted'::text, 'hidden'::text, 'restored'::text, 'removed'::text, 'erased'::text,
    'report_resolved'::text, 'banned'::text, 'unbanned'::text, 'admin_added'::text, 'admin_removed'::text, 'appealed'::text, 'appeal_accepted'::text, 'appeal_rejected'::text])));

CREATE INDEX hub_appeals_asset_id_idx ON public.hub_appeals USING btree (asset_id);

CREATE INDEX hub_appeals_open_idx ON public.hub_appeals USING btree (created_at, id)
  WHERE (state = 'open'::text);

CREATE INDEX hub_appeals_user_id_idx ON public.hub_appeals USING btree (user_id);

CREATE INDEX hub_events_decisions_idx ON public.hub_events USING btree (user_id, id DESC)
  WHERE (action = ANY (ARRAY['hidden'::text, 'removed'::text, 'banned'::text]));

CREATE TRIGGER hub_bans_lift_close_appeals
  AFTER DELETE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.close_appeals();

CREATE TRIGGER hub_appeals_apply_outcome
  AFTER UPDATE OF state ON public.hub_appeals
  FOR EACH ROW
  WHEN ((new.state <> old.state))
  EXECUTE FUNCTION private.hub_appeals_apply();

CREATE TRIGGER hub_appeals_apply
  AFTER INSERT ON public.hub_appeals
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_appeals_apply();

CREATE TRIGGER hub_appeals_before_update
  BEFORE UPDATE ON public.hub_appeals
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_appeals_before_update();

CREATE TRIGGER hub_assets_80_close_appeals
  AFTER UPDATE OF is_hidden, deleted_at ON public.hub_assets
  FOR EACH ROW
  WHEN (((old.is_hidden AND (NOT new.is_hidden)) OR ((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL) AND (new.hidden_reason = 'removed'::text))))
  EXECUTE FUNCTION private.close_appeals();

CREATE POLICY "hub_appeals_select" ON "public"."hub_appeals"
  FOR SELECT
  TO "authenticated"
  USING ((((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)) OR ( SELECT private.is_admin() AS is_admin)));

CREATE POLICY "hub_appeals_service_select" ON "public"."hub_appeals"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "public"."hub_appeals"."answer" IS 'What an admin answered; the creator reads it.';

COMMENT ON COLUMN "public"."hub_appeals"."asset_id" IS 'The listing that was hidden or removed; null for a ban.';

COMMENT ON COLUMN "public"."hub_appeals"."event_id" IS 'The decision: an entry of hub_events with the action hidden, removed or banned. No foreign key: entries are never deleted.';

COMMENT ON COLUMN "public"."hub_events"."note" IS 'For admins and operators.';

COMMENT ON COLUMN "public"."hub_events"."public_note" IS 'What an admin tells the creator about a listing that was hidden or removed, or about a ban.';

COMMENT ON FUNCTION "private"."appeal"(uuid, text) IS 'Implements hub_appeal.';

COMMENT ON FUNCTION "private"."ban_creator"(uuid, text, text) IS 'Implements hub_ban_creator.';

COMMENT ON FUNCTION "private"."close_appeals"() IS 'Closes the open appeals when the ban is lifted or the listing restored (accepted), and when it is removed (rejected).';

COMMENT ON FUNCTION "private"."hide_asset"(uuid, text, text) IS 'Implements hub_hide_asset.';

COMMENT ON FUNCTION "private"."hub_appeals_apply"() IS 'Logs an appeal and its outcome; an accepted one restores the listing or lifts the ban, also when an operator edits the row.';

COMMENT ON FUNCTION "private"."hub_appeals_before_update"() IS 'Lets state change once, and the answer; nothing else. Raises PT409 append_only or appeal_resolved.';

COMMENT ON FUNCTION "private"."my_decisions"() IS 'Implements hub_my_decisions.';

COMMENT ON FUNCTION "private"."open_appeals"() IS 'Implements hub_open_appeals.';

COMMENT ON FUNCTION "private"."remove_asset"(uuid, text, text) IS 'Implements hub_remove_asset.';

COMMENT ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) IS 'Implements hub_resolve_appeal.';

COMMENT ON FUNCTION "private"."resolve_report"(uuid, text, text, text) IS 'Implements hub_resolve_report.';

COMMENT ON FUNCTION "private"."set_audit_note"(text, text) IS 'Stores an admin''s note, and the one for the creator, for the entries that this transaction adds to the audit log.';

COMMENT ON FUNCTION "public"."hub_appeal"(uuid, text) IS 'Appeals the latest decision on the caller''s own hidden listing, or with asset_id null the ban of the caller; body: 1 to 2000 characters. Returns the id of the appeal. Raises PT404 asset_not_found, PT409 not_hidden, not_banned or already_appealed, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) IS 'For admins: hides all assets of a user and refuses all writes of the user to the hub; public_note is what the user reads; idempotent. Raises PT404 user_not_found, PT422 cannot_ban_self or cannot_ban_admin.';

COMMENT ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) IS 'For admins: hides a visible asset; the note is required, public_note is what its creator reads. Raises PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_my_decisions"() IS 'What moderation did to the caller''s listings and account (hidden, removed, banned), newest first, at most 200: category, the note for the creator, date, version, and the appeal. A banned user may call it.';

COMMENT ON FUNCTION "public"."hub_open_appeals"() IS 'For admins: open appeals with the decision each is about, oldest first, at most 500.';

COMMENT ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) IS 'For admins: removes a hidden asset permanently; a tombstone keeps its id and slug; public_note is what its creator reads. Raises PT404 asset_not_found, PT409 not_hidden.';

COMMENT ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) IS 'For admins: answers an appeal; accept restores the listing or lifts the ban. Raises PT404 appeal_not_found, PT409 appeal_resolved, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) IS 'For admins: dismissed closes one report; upheld closes all open reports on the asset and hides it; public_note is what its creator reads then. Raises PT404 report_not_found, PT409 report_resolved, PT422 validation_failed.';

COMMENT ON TABLE "public"."hub_appeals" IS 'Answers of creators to decisions of moderation. Setting state to accepted restores the listing or lifts the ban.';

REVOKE ALL ON FUNCTION "private"."appeal"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."appeal"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."ban_creator"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ban_creator"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."close_appeals"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hide_asset"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."hide_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."hub_appeals_apply"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_appeals_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."my_decisions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_decisions"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."open_appeals"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_appeals"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_asset"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."resolve_report"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."resolve_report"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."set_audit_note"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_appeal"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_appeal"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_appeal"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_decisions"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_my_decisions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_decisions"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_open_appeals"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_open_appeals"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_open_appeals"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) TO "postgres";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_appeals" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_appeals" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_appeals" TO "service_role";
