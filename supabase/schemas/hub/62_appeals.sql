-- Appeals: a creator may appeal once against each decision of moderation. A decision is an entry of the audit log with the action
-- hidden, removed or banned.
create table public.hub_appeals (
  id uuid not null default gen_random_uuid(),
  event_id bigint not null,
  asset_id uuid,
  user_id uuid not null,
  body text not null,
  created_at timestamptz not null default now(),
  state text not null default 'open',
  answer text,
  resolved_at timestamptz,
  constraint hub_appeals_pkey primary key (id),
  -- At most one appeal for each decision.
  constraint hub_appeals_event_id_key unique (event_id),
  constraint hub_appeals_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_appeals_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_appeals_body_check check (char_length(body) between 1 and 2000),
  constraint hub_appeals_answer_check check (char_length(answer) between 1 and 2000),
  constraint hub_appeals_state_check check (state in ('open', 'accepted', 'rejected'))
);
comment on table public.hub_appeals is 'Appeals of creators against decisions of moderation. Setting state to accepted restores the listing or lifts the ban.';
comment on column public.hub_appeals.event_id is 'The decision that the appeal is about: an entry of hub_events with the action hidden, removed or banned. No foreign key: entries are never deleted.';
comment on column public.hub_appeals.asset_id is 'The listing that was hidden or removed; null for a ban.';
comment on column public.hub_appeals.answer is 'The answer of an admin, which the creator reads.';
alter table public.hub_appeals enable row level security;
revoke all on table public.hub_appeals from public, anon, authenticated, service_role;
grant select on table public.hub_appeals to authenticated, service_role;

create index hub_appeals_asset_id_idx on public.hub_appeals (asset_id);
create index hub_appeals_user_id_idx on public.hub_appeals (user_id);
create index hub_appeals_open_idx on public.hub_appeals (created_at, id) where state = 'open';
create index hub_events_decisions_idx on public.hub_events (user_id, id desc) where action in ('hidden', 'removed', 'banned');

create policy hub_appeals_select on public.hub_appeals for select to authenticated
using ((user_id = (select auth.uid()) and (select private.is_member())) or (select private.is_admin()));
create policy hub_appeals_service_select on public.hub_appeals for select to service_role using (true);

create function private.hub_appeals_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
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
$$;
comment on function private.hub_appeals_before_update is 'Refuses every change of an appeal except of answer and state; state changes only once, from open. Raises PT409 append_only or appeal_resolved.';
revoke execute on function private.hub_appeals_before_update from public, anon, authenticated, service_role;

create trigger hub_appeals_before_update
before update on public.hub_appeals
for each row execute function private.hub_appeals_before_update();

create function private.hub_appeals_apply()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.hub_appeals_apply is 'Logs an appeal and its outcome; an accepted appeal restores the listing or lifts the ban, also when an operator edits the row.';
revoke execute on function private.hub_appeals_apply from public, anon, authenticated, service_role;

create trigger hub_appeals_apply
after insert on public.hub_appeals
for each row execute function private.hub_appeals_apply();
create trigger hub_appeals_apply_outcome
after update of state on public.hub_appeals
for each row when (new.state <> old.state) execute function private.hub_appeals_apply();

create function private.close_appeals()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_table_name = 'hub_bans' then
    if not exists (select from auth.users u where u.id = old.user_id) then
      -- The account is being deleted: its appeals are deleted as well.
      return null;
    end if;
    update public.hub_appeals p set state = 'accepted' where p.user_id = old.user_id and p.asset_id is null and p.state = 'open';
  elsif new.is_hidden then
    -- The listing was removed for good. The removal is a new decision, against which the creator may appeal again.
    update public.hub_appeals p set state = 'rejected' where p.asset_id = new.id and p.state = 'open';
  else
    update public.hub_appeals p set state = 'accepted' where p.asset_id = new.id and p.state = 'open';
  end if;
  return null;
end;
$$;
comment on function private.close_appeals is 'Closes the open appeals of a creator or listing: as accepted when the ban is lifted or the listing restored, as rejected when the listing is removed.';
revoke execute on function private.close_appeals from public, anon, authenticated, service_role;

create trigger hub_assets_78_close_appeals
after update of is_hidden, deleted_at on public.hub_assets
for each row when (
  (old.is_hidden and not new.is_hidden) or (new.deleted_at is not null and old.deleted_at is null and new.hidden_reason = 'removed')
)
execute function private.close_appeals();
create trigger hub_bans_20_close_appeals
after delete on private.hub_bans
for each row execute function private.close_appeals();
