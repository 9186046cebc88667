-- Calls for the members of an organization. Every change locks the caller's profile, then the organization, then the rows of
-- members.
create function private.begin_organization_write(organization_id uuid default null)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  held text;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  if begin_organization_write.organization_id is null then
    return null;
  end if;
  perform private.lock_organization(begin_organization_write.organization_id);
  select m.role into held
  from public.organization_members m
  where m.organization_id = begin_organization_write.organization_id and m.user_id = caller;
  if held is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return held;
end;
$$;
comment on function private.begin_organization_write is 'Locks the caller''s profile and the organization and returns the caller''s role in it; without an organization, locks only the profile and returns null. Raises 42501 without an account, PT403 banned, PT404 organization_not_found.';
revoke execute on function private.begin_organization_write from public, anon, authenticated, service_role;

create function private.refuse_role(held text, needed text[])
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if refuse_role.held <> all (refuse_role.needed) then
    raise exception using
      errcode = 'PT403', message = 'role_required', detail = jsonb_build_object('roles', refuse_role.needed)::text;
  end if;
end;
$$;
comment on function private.refuse_role is 'Raises PT403 role_required, with the needed roles, when the role held is none of them.';
revoke execute on function private.refuse_role from public, anon, authenticated, service_role;

create function private.refuse_more(what text, held bigint, most integer)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if refuse_more.held >= refuse_more.most then
    raise exception using
      errcode = 'PT422', message = 'limit_reached', detail = jsonb_build_object('limit', refuse_more.what, 'most', refuse_more.most)::text;
  end if;
end;
$$;
comment on function private.refuse_more is 'Raises PT422 limit_reached, with the name of the limit, when held, the number that exists already, is at least most.';
revoke execute on function private.refuse_more from public, anon, authenticated, service_role;

create function private.create_organization(name text, slug text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  made public.organizations;
begin
  perform private.begin_organization_write();
  perform private.refuse_more('organizations', (
    select count(*) from public.organization_members m where m.user_id = caller and m.role = 'owner'
  ), 20);
  insert into public.organizations (name, slug)
  values (create_organization.name, create_organization.slug)
  returning * into made;
  insert into public.organization_members (organization_id, user_id, role) values (made.id, caller, 'owner');
  return jsonb_build_object('id', made.id, 'slug', made.slug, 'name', made.name);
end;
$$;
comment on function private.create_organization is 'Inserts an organization with the caller as owner, unless the caller owns 20 already. Called by public.create_organization.';
revoke execute on function private.create_organization from public, anon, authenticated, service_role;
grant execute on function private.create_organization to authenticated;

create function private.close_links(organization_id uuid, user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.organization_id = close_links.organization_id and i.revoked_at is null
    -- An invitation that somebody else made for another address is not revoked, because it does not let this user in.
    and (
      i.email_hash is null or i.invited_by = close_links.user_id
      or exists (select from auth.users u where u.id = close_links.user_id and private.email_hash(i.id, u.email::text) = i.email_hash)
    );
end;
$$;
comment on function private.close_links is 'Revokes the invitations of an organization by which a user could come back, and the invitations that the user made.';
revoke execute on function private.close_links from public, anon, authenticated, service_role;

create function private.set_member_role(organization_id uuid, user_id uuid, role text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  held constant text := private.begin_organization_write(set_member_role.organization_id);
begin
  if set_member_role.role is null or set_member_role.role not in ('owner', 'admin', 'member') then
    perform private.refuse_faults(private.fault('role', 'invalid_value', 'must be "owner" or "admin" or "member"'));
  end if;
  perform private.refuse_role(held, '{owner}');
  if not exists (
    select from public.organization_members m
    where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id
  ) then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if set_member_role.role <> 'owner' then
    perform private.refuse_last_owner(set_member_role.organization_id, set_member_role.user_id);
  end if;
  update public.organization_members m
  set role = set_member_role.role
  where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id and m.role <> set_member_role.role;
  if found and set_member_role.role = 'member' then
    -- Without this, the user could leave and come back as an admin by an invitation for admins.
    perform private.close_links(set_member_role.organization_id, set_member_role.user_id);
  end if;
end;
$$;
comment on function private.set_member_role is 'Changes a member''s role under the lock of the organization; when the role becomes member, revokes the invitations by which the user could get the old role back. Called by public.set_member_role.';
revoke execute on function private.set_member_role from public, anon, authenticated, service_role;
grant execute on function private.set_member_role to authenticated;

create function private.refuse_last_owner(organization_id uuid, user_id uuid)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.organization_members m
    where m.organization_id = refuse_last_owner.organization_id and m.role = 'owner' and m.user_id <> refuse_last_owner.user_id
  ) then
    raise exception using errcode = 'PT409', message = 'last_owner';
  end if;
end;
$$;
comment on function private.refuse_last_owner is 'Raises PT409 last_owner when the organization has no owner besides this user. Called under the lock of the organization.';
revoke execute on function private.refuse_last_owner from public, anon, authenticated, service_role;

create function private.remove_member(organization_id uuid, user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  held constant text := private.begin_organization_write(remove_member.organization_id);
  removed constant text := (
    select m.role from public.organization_members m
    where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id
  );
begin
  perform private.refuse_role(held, '{owner,admin}');
  if removed is null then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if removed <> 'member' then
    perform private.refuse_role(held, '{owner}');
  end if;
  if removed = 'owner' then
    perform private.refuse_last_owner(remove_member.organization_id, remove_member.user_id);
  end if;
  delete from public.organization_members m
  where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id;
  perform private.close_links(remove_member.organization_id, remove_member.user_id);
end;
$$;
comment on function private.remove_member is 'Deletes a membership and revokes the invitations by which the removed user could come back. Called by public.remove_member.';
revoke execute on function private.remove_member from public, anon, authenticated, service_role;
grant execute on function private.remove_member to authenticated;

create function private.leave_organization(organization_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  held constant text := private.begin_organization_write(leave_organization.organization_id);
begin
  -- The last member may leave: this closes the organization.
  if held = 'owner' and exists (
    select from public.organization_members m where m.organization_id = leave_organization.organization_id and m.user_id <> caller
  ) then
    perform private.refuse_last_owner(leave_organization.organization_id, caller);
  end if;
  delete from public.organization_members m
  where m.organization_id = leave_organization.organization_id and m.user_id = caller;
end;
$$;
comment on function private.leave_organization is 'Deletes the caller''s membership, unless the caller is the last owner and other members stay. Called by public.leave_organization.';
revoke execute on function private.leave_organization from public, anon, authenticated, service_role;
grant execute on function private.leave_organization to authenticated;

create function public.create_organization(name text, slug text)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.create_organization(create_organization.name, create_organization.slug);
$$;
comment on function public.create_organization is 'Makes an organization whose owner is the caller: {id, slug, name}. A user owns at most 20. Raises PT403 banned, PT409 slug_taken, PT422 limit_reached, mixed_script, secret_detected or validation_failed.';
revoke execute on function public.create_organization from public, anon, authenticated, service_role;
grant execute on function public.create_organization to authenticated;

create function public.my_organizations()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'since', m.created_at,
      'members', (select count(*) from public.organization_members n where n.organization_id = o.id)
    )
    order by o.name, o.id
  ), '[]')
  from public.organization_members m
  join public.organizations o on o.id = m.organization_id
  where m.user_id = (select auth.uid());
$$;
comment on function public.my_organizations is 'Returns the organizations of the caller: [{id, slug, name, role, since, members}].';
revoke execute on function public.my_organizations from public, anon, authenticated, service_role;
grant execute on function public.my_organizations to authenticated;

create function public.set_member_role(organization_id uuid, user_id uuid, role text)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.set_member_role(set_member_role.organization_id, set_member_role.user_id, set_member_role.role);
$$;
comment on function public.set_member_role is 'For owners: makes a member an owner, admin or member. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner, PT422 validation_failed.';
revoke execute on function public.set_member_role from public, anon, authenticated, service_role;
grant execute on function public.set_member_role to authenticated;

create function public.remove_member(organization_id uuid, user_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.remove_member(remove_member.organization_id, remove_member.user_id);
$$;
comment on function public.remove_member is 'Removes a member: owners may remove anybody, admins only members who are neither owner nor admin. The removed member keeps imported copies but gets no more updates. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner.';
revoke execute on function public.remove_member from public, anon, authenticated, service_role;
grant execute on function public.remove_member to authenticated;

create function public.leave_organization(organization_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.leave_organization(leave_organization.organization_id);
$$;
comment on function public.leave_organization is 'Lets the caller leave the organization; when the last member leaves, the organization is closed. Raises PT403 banned, PT404 organization_not_found, PT409 last_owner.';
revoke execute on function public.leave_organization from public, anon, authenticated, service_role;
grant execute on function public.leave_organization to authenticated;
