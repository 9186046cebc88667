-- Organizations: teams whose members share listings among themselves. Every statement reads the members from these tables, never
-- from a claim of the token, so that a removed member loses access at once.
create table public.organizations (
  id uuid not null default gen_random_uuid(),
  slug text not null,
  name text not null,
  created_at timestamptz not null default now(),
  constraint organizations_pkey primary key (id),
  constraint organizations_slug_check check (char_length(slug) >= 3 and char_length(slug) <= 40 and slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint organizations_name_check check (char_length(name) between 1 and 80)
);
comment on table public.organizations is 'Teams that share listings among their members. Only members see the row. The last member who leaves closes the organization: the row is deleted.';
comment on column public.organizations.slug is 'Part of the address of the organization''s shelf: 3 to 40 small letters, digits and single hyphens. No two slugs have the same private.username_key.';
alter table public.organizations enable row level security;
revoke all on table public.organizations from public, anon, authenticated, service_role;
grant select, update (name) on table public.organizations to authenticated;
grant select on table public.organizations to service_role;

create unique index organizations_slug_key on public.organizations (private.username_key(slug));

create table public.organization_members (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null default 'member',
  created_at timestamptz not null default now(),
  constraint organization_members_pkey primary key (organization_id, user_id),
  constraint organization_members_organization_id_fkey foreign key (organization_id) references public.organizations (id) on delete cascade,
  constraint organization_members_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  -- A second foreign key on the same column lets the API embed the member's profile.
  constraint organization_members_profile_fkey foreign key (user_id) references public.hub_profiles (user_id) on delete cascade,
  constraint organization_members_role_check check (role in ('owner', 'admin', 'member'))
);
comment on table public.organization_members is 'The members of each organization. Triggers ensure that an organization with members has an owner.';
comment on column public.organization_members.role is 'An owner may do everything. An admin may invite members, remove members and decide about reported listings. A member may read, share, import, star and report.';
alter table public.organization_members enable row level security;
revoke all on table public.organization_members from public, anon, authenticated, service_role;
grant select on table public.organization_members to authenticated, service_role;

create index organization_members_user_id_idx on public.organization_members (user_id);

create table private.organization_invitations (
  id uuid not null default gen_random_uuid(),
  organization_id uuid not null,
  email_hash text,
  role text not null default 'member',
  token_sha256 text not null,
  invited_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  max_uses integer not null default 1,
  used integer not null default 0,
  revoked_at timestamptz,
  constraint organization_invitations_pkey primary key (id),
  constraint organization_invitations_token_sha256_key unique (token_sha256),
  constraint organization_invitations_organization_id_fkey foreign key (organization_id) references public.organizations (id) on delete cascade,
  constraint organization_invitations_invited_by_fkey foreign key (invited_by) references auth.users (id) on delete set null,
  constraint organization_invitations_role_check check (role in ('admin', 'member')),
  constraint organization_invitations_uses_check check (max_uses >= 1 and max_uses <= 1000 and used >= 0 and used <= max_uses)
);
comment on table private.organization_invitations is 'Links by which users join an organization. Only the hash of the token in a link is stored.';
comment on column private.organization_invitations.email_hash is 'For an invitation of one e-mail address: SHA-256 over the id of the row and the address in lower case. Null: anybody who has the link may join.';
alter table private.organization_invitations enable row level security;
revoke all on table private.organization_invitations from public, anon, authenticated, service_role;
grant select on table private.organization_invitations to service_role;

create index organization_invitations_organization_id_idx on private.organization_invitations (organization_id);
create index organization_invitations_invited_by_idx on private.organization_invitations (invited_by);

create policy organization_invitations_service_select on private.organization_invitations for select to service_role using (true);

create function private.member_organization_ids()
returns setof uuid
language sql
stable
security definer
set search_path = ''
rows 5
as $$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid());
$$;
comment on function private.member_organization_ids is 'Returns the ids of the caller''s organizations. Policies write = any (array(select private.member_organization_ids())), so that the function runs once per statement, not once per row.';
revoke execute on function private.member_organization_ids from public, anon, authenticated, service_role;
grant execute on function private.member_organization_ids to authenticated;

create function private.led_organization_ids()
returns setof uuid
language sql
stable
security definer
set search_path = ''
rows 5
as $$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid()) and m.role in ('owner', 'admin');
$$;
comment on function private.led_organization_ids is 'Returns the ids of the organizations of which the caller is an owner or admin. Policies call it in the same form as private.member_organization_ids.';
revoke execute on function private.led_organization_ids from public, anon, authenticated, service_role;
grant execute on function private.led_organization_ids to authenticated;

create function private.is_member_of(user_id uuid, organization_id uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.organization_members m
    where m.organization_id = is_member_of.organization_id and m.user_id = is_member_of.user_id
  );
$$;
comment on function private.is_member_of is 'Returns whether that user belongs to that organization.';
revoke execute on function private.is_member_of from public, anon, authenticated, service_role;

create policy organizations_select on public.organizations for select to authenticated
using (id = any (array(select private.member_organization_ids())));
create policy organizations_update on public.organizations for update to authenticated
using (id = any (array(select private.led_organization_ids())))
with check (id = any (array(select private.led_organization_ids())));
create policy organizations_service_select on public.organizations for select to service_role using (true);
create policy organization_members_select on public.organization_members for select to authenticated
using (organization_id = any (array(select private.member_organization_ids())));
create policy organization_members_service_select on public.organization_members for select to service_role using (true);

create function private.organizations_before_write()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  faults jsonb := '[]';
begin
  if tg_op = 'UPDATE' and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if octet_length(new.name) > 2000 then
    perform private.refuse_faults(private.fault('name', 'too_big', 'must be 1 to 80 visible characters'));
  end if;
  new.name := private.clean(new.name);
  if new.name is null or char_length(new.name) > 80 then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 80 visible characters');
  elsif private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if new.slug is null or char_length(new.slug) not between 3 and 40 or new.slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    faults := faults || private.fault('slug', 'invalid_format', 'must be 3 to 40 small letters (a to z), digits and single hyphens');
  end if;
  perform private.refuse_faults(faults);
  if (tg_op = 'INSERT' or new.name <> old.name) and private.mixes_scripts(new.name) then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "name"}';
  end if;
  if private.adds_secret(case when tg_op = 'UPDATE' then old.name end, new.name) then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', private.fault('name', 'secret_detected', 'looks like a secret'))::text;
  end if;
  if tg_op = 'UPDATE' and new.slug = old.slug then
    return new;
  end if;
  -- When two callers want one slug at the same time, the second waits here and then finds it taken.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.slug), 5));
  if private.is_reserved_name(private.username_key(new.slug)) or exists (
    select from public.organizations o where private.username_key(o.slug) = private.username_key(new.slug) and o.id <> new.id
  ) then
    raise exception using errcode = 'PT409', message = 'slug_taken';
  end if;
  return new;
end;
$$;
comment on function private.organizations_before_write is 'Checks name and slug. Raises PT403 banned, PT409 slug_taken, PT422 mixed_script, secret_detected or validation_failed.';
revoke execute on function private.organizations_before_write from public, anon, authenticated, service_role;

create trigger organizations_before_write
before insert or update on public.organizations
for each row execute function private.organizations_before_write();

-- Locks an organization. Its members change only under this lock, so that two owners who leave at the same time see each other's
-- change.
create function private.lock_organization(organization_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.organizations o where o.id = lock_organization.organization_id for no key update;
  return found;
end;
$$;
comment on function private.lock_organization is 'Locks an organization; returns false when the organization does not exist.';
revoke execute on function private.lock_organization from public, anon, authenticated, service_role;

create function private.keep_owner()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  changed uuid;
begin
  for changed in
    select distinct c.organization_id from changed_members c order by c.organization_id
  loop
    -- Skips an organization that was deleted together with its members.
    continue when not private.lock_organization(changed);
    if not exists (select from public.organization_members m where m.organization_id = changed) then
      -- An organization without members is closed.
      delete from public.organizations o where o.id = changed;
    elsif not exists (select from public.organization_members m where m.organization_id = changed and m.role = 'owner') then
      update public.organization_members m
      set role = 'owner'
      where m.organization_id = changed and m.user_id = (
        select h.user_id
        from public.organization_members h
        where h.organization_id = changed
        order by h.role = 'admin' desc, h.created_at, h.user_id
        limit 1
      );
    end if;
  end loop;
  return null;
end;
$$;
comment on function private.keep_owner is 'When an organization has lost its last owner, makes the admin who joined first its owner, or, without an admin, the member who joined first. Deletes an organization without members.';
revoke execute on function private.keep_owner from public, anon, authenticated, service_role;

create trigger organization_members_keep_owner_insert after insert on public.organization_members
referencing new table as changed_members for each statement execute function private.keep_owner();
create trigger organization_members_keep_owner_update after update on public.organization_members
referencing old table as changed_members for each statement execute function private.keep_owner();
create trigger organization_members_keep_owner_delete after delete on public.organization_members
referencing old table as changed_members for each statement execute function private.keep_owner();

create function private.organization_of(user_id uuid, organization_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The lock is held until the commit: a concurrent removal of the member happens after this write, or it happens first and this
  -- write is refused.
  perform from public.organization_members m
  where m.organization_id = organization_of.organization_id and m.user_id = organization_of.user_id
  for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
end;
$$;
comment on function private.organization_of is 'Locks the membership of a user who writes to the shelf of an organization. Raises PT404 organization_not_found when the user is not a member.';
revoke execute on function private.organization_of from public, anon, authenticated, service_role;

create function private.organization_by_slug(user_id uuid, slug text)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  found_id constant uuid := (select o.id from public.organizations o where o.slug = lower(organization_by_slug.slug));
begin
  perform private.organization_of(organization_by_slug.user_id, found_id);
  return found_id;
end;
$$;
comment on function private.organization_by_slug is 'Returns the id of the organization with that slug, and locks the user''s membership until the commit. Raises PT404 organization_not_found when there is no such organization or the user is not a member.';
revoke execute on function private.organization_by_slug from public, anon, authenticated, service_role;

create function private.organization_card(organization_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name)
  from public.organizations o
  where o.id = organization_card.organization_id and private.is_member_of((select auth.uid()), o.id);
$$;
comment on function private.organization_card is 'Returns id, slug and name of an organization to its members; null to everybody else.';
revoke execute on function private.organization_card from public, anon, authenticated, service_role;
grant execute on function private.organization_card to anon, authenticated, service_role;
