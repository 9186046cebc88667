-- Invitations: whoever has the link may join, unless the invitation is for one e-mail address. A link that is unknown, used up,
-- expired or revoked always gets the same answer, so that it discloses nothing.
create function private.email_hash(id uuid, email text)
returns text
language sql
immutable
set search_path = ''
as $$
  select encode(sha256(convert_to(email_hash.id::text || ':' || lower(btrim(email_hash.email)), 'UTF8')), 'hex');
$$;
comment on function private.email_hash is 'Returns the hash by which the address of an invitation is stored; the id of the invitation makes the hashes of equal addresses differ.';
revoke execute on function private.email_hash from public, anon, authenticated, service_role;

create function private.invite_member(organization_id uuid, role text, email text, days integer, max_uses integer)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  held constant text := private.begin_organization_write(invite_member.organization_id);
  address constant text := private.clean(invite_member.email);
  -- Two random uuids carry 244 bits of the server's strong randomness, so nobody can guess a token.
  token constant text := 'kh_invite_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  id constant uuid := gen_random_uuid();
  expires constant timestamptz := clock_timestamp() + coalesce(invite_member.days, 7) * interval '1 day';
  faults jsonb := '[]';
begin
  perform private.refuse_role(held, '{owner,admin}');
  if coalesce(invite_member.role, 'member') not in ('admin', 'member') then
    faults := faults || private.fault('role', 'invalid_value', 'must be "admin" or "member"');
  end if;
  if char_length(address) > 320 or address !~ '^[^\s@]+@[^\s@]+$' then
    faults := faults || private.fault('email', 'invalid_format', 'must be an e-mail address');
  end if;
  if coalesce(invite_member.days, 7) not between 1 and 90 then
    faults := faults || private.fault('days', 'invalid_value', 'must be from 1 to 90');
  end if;
  if coalesce(invite_member.max_uses, 1) not between 1 and (case when address is null then 1000 else 1 end) then
    faults := faults || private.fault('max_uses', 'invalid_value', 'must be from 1 to 1000, and 1 for one address');
  end if;
  perform private.refuse_faults(faults);
  -- Only an owner may decide who becomes an admin.
  if invite_member.role = 'admin' then
    perform private.refuse_role(held, '{owner}');
  end if;
  perform private.refuse_more('invitations', (
    select count(*)
    from private.organization_invitations i
    where i.organization_id = invite_member.organization_id
      and i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
  ), 100);
  insert into private.organization_invitations (id, organization_id, email_hash, role, token_sha256, invited_by, expires_at, max_uses)
  values (
    id, invite_member.organization_id, case when address is not null then private.email_hash(id, address) end,
    coalesce(invite_member.role, 'member'), encode(sha256(convert_to(token, 'UTF8')), 'hex'), (select auth.uid()), expires,
    coalesce(invite_member.max_uses, 1)
  );
  return jsonb_build_object('id', id, 'token', token, 'expires_at', expires);
end;
$$;
comment on function private.invite_member is 'Checks the caller''s role and the limits and inserts an invitation. Called by public.invite_member.';
revoke execute on function private.invite_member from public, anon, authenticated, service_role;
grant execute on function private.invite_member to authenticated;

create function private.live_invitation(token text)
returns private.organization_invitations
language sql
stable
security definer
set search_path = ''
as $$
  select i.*
  from private.organization_invitations i
  where i.token_sha256 = encode(sha256(convert_to(left(live_invitation.token, 200), 'UTF8')), 'hex')
    and i.revoked_at is null
    and i.used < i.max_uses
    and i.expires_at > clock_timestamp();
$$;
comment on function private.live_invitation is 'Returns the invitation with that token if somebody can still join with it; otherwise null.';
revoke execute on function private.live_invitation from public, anon, authenticated, service_role;

create function private.invitation(token text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  found_name constant text := (
    select o.name from public.organizations o where o.id = (private.live_invitation(invitation.token)).organization_id
  );
begin
  if found_name is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  return jsonb_build_object('name', found_name);
end;
$$;
comment on function private.invitation is 'Returns the name of the organization of a live invitation. Called by public.invitation.';
revoke execute on function private.invitation from public, anon, authenticated, service_role;
grant execute on function private.invitation to anon, authenticated;

create function private.accept_invitation(token text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  sha256_of_token constant text := encode(sha256(convert_to(left(accept_invitation.token, 200), 'UTF8')), 'hex');
  live private.organization_invitations;
  joined jsonb;
begin
  perform private.begin_organization_write();
  -- Locks the organization whatever the state of the invitation: whether it is still valid is checked under this lock.
  perform private.lock_organization((
    select i.organization_id from private.organization_invitations i where i.token_sha256 = sha256_of_token
  ));
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) into joined
  from private.organization_invitations i
  join public.organizations o on o.id = i.organization_id
  where i.token_sha256 = sha256_of_token and private.is_member_of(caller, i.organization_id);
  if found then
    -- The caller is a member already, so the invitation is not used.
    return joined;
  end if;
  live := private.live_invitation(accept_invitation.token);
  if live.id is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  if live.email_hash is not null and not exists (
    select from auth.users u where u.id = caller and private.email_hash(live.id, u.email::text) = live.email_hash
  ) then
    raise exception using errcode = 'PT403', message = 'other_address';
  end if;
  perform private.refuse_more('members', (
    select count(*) from public.organization_members m where m.organization_id = live.organization_id
  ), 10000);
  insert into public.organization_members (organization_id, user_id, role) values (live.organization_id, caller, live.role);
  update private.organization_invitations i set used = i.used + 1 where i.id = live.id;
  return private.organization_card(live.organization_id);
end;
$$;
comment on function private.accept_invitation is 'Inserts the caller as a member under the lock of the organization and counts the use of the invitation. Called by public.accept_invitation.';
revoke execute on function private.accept_invitation from public, anon, authenticated, service_role;
grant execute on function private.accept_invitation to authenticated;

create function private.organization_invitations(organization_id uuid)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_invitations.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'role', i.role, 'for_address', i.email_hash is not null, 'invited_by', private.creator(i.invited_by) -> 'username',
      'created_at', i.created_at, 'expires_at', i.expires_at, 'max_uses', i.max_uses, 'used', i.used,
      'live', i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
    ) order by i.created_at desc, i.id), '[]')
    from (
      select * from private.organization_invitations n
      where n.organization_id = organization_invitations.organization_id
      order by n.created_at desc, n.id
      limit 200
    ) i
  );
end;
$$;
comment on function private.organization_invitations is 'Returns the invitations of an organization to its owners and admins. Called by public.organization_invitations.';
revoke execute on function private.organization_invitations from public, anon, authenticated, service_role;
grant execute on function private.organization_invitations to authenticated;

create function private.revoke_invitation(invitation_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  organization constant uuid := (
    select i.organization_id from private.organization_invitations i where i.id = revoke_invitation.invitation_id
  );
begin
  if organization is null or not private.is_member_of((select auth.uid()), organization) then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(organization), '{owner,admin}');
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.id = revoke_invitation.invitation_id and i.revoked_at is null;
end;
$$;
comment on function private.revoke_invitation is 'Sets revoked_at of an invitation, for owners and admins. Called by public.revoke_invitation.';
revoke execute on function private.revoke_invitation from public, anon, authenticated, service_role;
grant execute on function private.revoke_invitation to authenticated;

create function public.invite_member(
  organization_id uuid, role text default 'member', email text default null, days integer default 7, max_uses integer default 1
)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.invite_member(
    invite_member.organization_id, invite_member.role, invite_member.email, invite_member.days, invite_member.max_uses
  );
$$;
comment on function public.invite_member is 'For owners and admins: makes an invitation; only owners may invite an admin. Returns {id, token, expires_at}; the token cannot be read again later. With email, only the account with that address can accept the invitation. At most 100 live invitations per organization. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';
revoke execute on function public.invite_member from public, anon, authenticated, service_role;
grant execute on function public.invite_member to authenticated;

create function public.invitation(token text)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.invitation(invitation.token);
$$;
comment on function public.invitation is 'Returns the organization that an invitation is for: {name}. Raises PT404 invitation_not_found, also when the invitation is used up, expired or revoked.';
revoke execute on function public.invitation from public, anon, authenticated, service_role;
grant execute on function public.invitation to anon, authenticated;

create function public.accept_invitation(token text)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.accept_invitation(accept_invitation.token);
$$;
comment on function public.accept_invitation is 'Makes the caller a member of the organization of an invitation and returns the organization: {id, slug, name}. For a caller who is a member already, changes nothing. Raises PT403 banned or other_address, PT404 invitation_not_found, PT422 limit_reached.';
revoke execute on function public.accept_invitation from public, anon, authenticated, service_role;
grant execute on function public.accept_invitation to authenticated;

create function public.organization_invitations(organization_id uuid)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.organization_invitations(organization_invitations.organization_id);
$$;
comment on function public.organization_invitations is 'For owners and admins: returns the newest 200 invitations: [{id, role, for_address, invited_by, created_at, expires_at, max_uses, used, live}]. Raises PT404 organization_not_found.';
revoke execute on function public.organization_invitations from public, anon, authenticated, service_role;
grant execute on function public.organization_invitations to authenticated;

create function public.revoke_invitation(invitation_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.revoke_invitation(revoke_invitation.invitation_id);
$$;
comment on function public.revoke_invitation is 'For owners and admins: revokes an invitation, so that nobody can join with it any more. Raises PT403 banned or role_required, PT404 invitation_not_found.';
revoke execute on function public.revoke_invitation from public, anon, authenticated, service_role;
grant execute on function public.revoke_invitation to authenticated;
