-- Audit log: actions on listings and users, each with the user who did it. Append-only. It has no foreign keys, so that erasing an
-- asset or deleting an account neither deletes nor changes any entry.
create table public.hub_events (
  id bigint not null generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  action text not null,
  asset_id uuid,
  user_id uuid,
  report_id uuid,
  note text,
  public_note text,
  details jsonb not null default '{}',
  constraint hub_events_pkey primary key (id),
  constraint hub_events_action_check check (
    action in (
      'published', 'same_content', 'content_allowed', 'unpublished', 'republished', 'yanked', 'unyanked', 'deleted', 'hidden', 'restored', 'removed', 'erased',
      'report_resolved', 'banned', 'unbanned', 'admin_added', 'admin_removed', 'appealed', 'appeal_accepted', 'appeal_rejected',
      'refund_requested', 'creator_verified', 'creator_unverified'
    )
  )
);
comment on table public.hub_events is 'Audit log of moderation and publication. Append-only for every role, also for operators.';
comment on column public.hub_events.actor_id is 'The signed-in user who did the action; null for an action of an operator or of the system. No foreign key.';
comment on column public.hub_events.user_id is 'The affected user. No foreign key.';
comment on column public.hub_events.note is 'Note for admins and operators.';
comment on column public.hub_events.public_note is 'The admin''s message to the creator about a listing that was hidden or removed, or about a ban.';
comment on column public.hub_events.asset_id is 'The affected listing. No foreign key.';
alter table public.hub_events enable row level security;
revoke all on table public.hub_events from public, anon, authenticated, service_role;
grant select on table public.hub_events to authenticated, service_role;
revoke all on sequence public.hub_events_id_seq from public, anon, authenticated, service_role;

create index hub_events_asset_id_idx on public.hub_events (asset_id);
create index hub_events_user_id_idx on public.hub_events (user_id, at);

create policy hub_events_select on public.hub_events for select to authenticated using ((select private.is_admin()));
create policy hub_events_service_select on public.hub_events for select to service_role using (true);

create function private.refuse_change()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT409',
    message = 'append_only',
    detail = jsonb_build_object('table', tg_table_name, 'verb', lower(tg_op))::text;
end;
$$;
comment on function private.refuse_change is 'Refuses the statement that fires this trigger function, whatever role runs the statement. Raises PT409 append_only.';
revoke execute on function private.refuse_change from public, anon, authenticated, service_role;

create trigger hub_events_append_only
before update or delete on public.hub_events
for each row execute function private.refuse_change();
create trigger hub_events_forbid_truncate
before truncate on public.hub_events
for each statement execute function private.refuse_change();

create function private.log_event(
  action text,
  asset_id uuid default null,
  user_id uuid default null,
  report_id uuid default null,
  details jsonb default '{}',
  by_system boolean default false
)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into public.hub_events (actor_id, action, asset_id, user_id, report_id, note, public_note, details)
  values (
    case when not log_event.by_system then (select auth.uid()) end,
    log_event.action,
    log_event.asset_id,
    log_event.user_id,
    log_event.report_id,
    -- An RPC passes its note to the triggers of its statements by set_audit_note.
    nullif(current_setting('keyhub.note', true), ''),
    case when log_event.action in ('hidden', 'removed', 'banned') then nullif(current_setting('keyhub.public_note', true), '') end,
    log_event.details
  );
$$;
comment on function private.log_event is 'Adds an entry to the audit log. The actor is the caller; with by_system it is null. The entry gets the notes that set_audit_note has stored, but public_note only if the action is hidden, removed or banned.';
revoke execute on function private.log_event from public, anon, authenticated, service_role;

create function private.set_audit_note(note text, public_note text default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
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
$$;
comment on function private.set_audit_note is 'Stores an admin''s note and the note for the creator. private.log_event copies both into the entries that this transaction adds to the audit log.';
revoke execute on function private.set_audit_note from public, anon, authenticated, service_role;

create function private.log_admins()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    perform private.log_event('admin_removed', user_id => old.user_id);
  end if;
  if tg_op <> 'DELETE' then
    perform private.log_event('admin_added', user_id => new.user_id);
  end if;
  return null;
end;
$$;
comment on function private.log_admins is 'Logs users who became an admin and users who stopped being one.';
revoke execute on function private.log_admins from public, anon, authenticated, service_role;

create trigger hub_admins_log
after insert or update or delete on public.hub_admins
for each row execute function private.log_admins();
-- Refuses TRUNCATE, which fires no row trigger: all admins would be removed without an entry in the audit log.
create trigger hub_admins_forbid_truncate
before truncate on public.hub_admins
for each statement execute function private.refuse_change();
