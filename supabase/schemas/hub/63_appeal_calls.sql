-- Calls about decisions of moderation: creators read them and appeal, admins answer. Triggers produce the effects.
create function private.my_decisions()
returns table (
  id bigint,
  action text,
  at timestamptz,
  category text,
  note text,
  version integer,
  in_force boolean,
  asset_id uuid,
  asset_type text,
  title text,
  appeal jsonb
)
language plpgsql
stable
security definer
set search_path = ''
as $$
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
    -- The reason of a ban is a note among admins, so the creator does not get it.
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
$$;
comment on function private.my_decisions is 'Returns the decisions on the caller''s listings and account with their appeals. Called by public.hub_my_decisions.';
revoke execute on function private.my_decisions from public, anon, authenticated, service_role;
grant execute on function private.my_decisions to authenticated;

create function private.appeal(asset_id uuid, body text)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
    -- The lock of the profile keeps the ban from being lifted meanwhile.
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
$$;
comment on function private.appeal is 'Checks that the caller''s listing is hidden or the caller banned, and inserts an appeal. Called by public.hub_appeal.';
revoke execute on function private.appeal from public, anon, authenticated, service_role;
grant execute on function private.appeal to authenticated;

create function private.resolve_appeal(id uuid, accept boolean, answer text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
  -- Lock order: every change of an appeal holds the lock of its listing, or of the profile of the banned user.
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
  -- The appeal was deleted with the account of its user while this call waited.
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
end;
$$;
comment on function private.resolve_appeal is 'Sets state and answer of an appeal; triggers apply the outcome. Called by public.hub_resolve_appeal.';
revoke execute on function private.resolve_appeal from public, anon, authenticated, service_role;
grant execute on function private.resolve_appeal to authenticated;

create function private.open_appeals()
returns table (
  id uuid,
  created_at timestamptz,
  body text,
  action text,
  decided_at timestamptz,
  category text,
  note text,
  version integer,
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  user_id uuid,
  username text
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
$$;
comment on function private.open_appeals is 'Returns the open appeals after checking that the caller is an admin. Called by public.hub_open_appeals.';
revoke execute on function private.open_appeals from public, anon, authenticated, service_role;
grant execute on function private.open_appeals to authenticated;

create function public.hub_my_decisions()
returns table (
  id bigint,
  action text,
  at timestamptz,
  category text,
  note text,
  version integer,
  in_force boolean,
  asset_id uuid,
  asset_type text,
  title text,
  appeal jsonb
)
language sql
stable
security invoker
set search_path = ''
as $$
  select * from private.my_decisions();
$$;
comment on function public.hub_my_decisions is 'Returns the decisions of moderation on the caller''s listings and account (hidden, removed, banned), newest first, at most 200: category, the note for the creator, date, version, whether the decision is in force, and the appeal. A banned user may call it.';
revoke execute on function public.hub_my_decisions from public, anon, authenticated, service_role;
grant execute on function public.hub_my_decisions to authenticated;

create function public.hub_appeal(asset_id uuid default null, body text default null)
returns uuid
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.appeal(hub_appeal.asset_id, hub_appeal.body);
$$;
comment on function public.hub_appeal is 'Appeals the latest decision on the caller''s own hidden listing, or, with asset_id null, the ban of the caller; body: 1 to 2000 characters. Returns the id of the appeal. Raises PT404 asset_not_found, PT409 not_hidden, not_banned or already_appealed, PT422 validation_failed.';
revoke execute on function public.hub_appeal from public, anon, authenticated, service_role;
grant execute on function public.hub_appeal to authenticated;

create function public.hub_open_appeals()
returns table (
  id uuid,
  created_at timestamptz,
  body text,
  action text,
  decided_at timestamptz,
  category text,
  note text,
  version integer,
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  user_id uuid,
  username text
)
language sql
stable
security invoker
set search_path = ''
as $$
  select * from private.open_appeals();
$$;
comment on function public.hub_open_appeals is 'For admins: returns open appeals, each with the decision that it is about, oldest first, at most 500.';
revoke execute on function public.hub_open_appeals from public, anon, authenticated, service_role;
grant execute on function public.hub_open_appeals to authenticated;

create function public.hub_resolve_appeal(id uuid, accept boolean, answer text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.resolve_appeal(hub_resolve_appeal.id, hub_resolve_appeal.accept, hub_resolve_appeal.answer);
$$;
comment on function public.hub_resolve_appeal is 'For admins: answers an appeal; with accept = true, restores the listing or lifts the ban. Raises PT404 appeal_not_found, PT409 appeal_resolved, PT422 validation_failed.';
revoke execute on function public.hub_resolve_appeal from public, anon, authenticated, service_role;
grant execute on function public.hub_resolve_appeal to authenticated;
