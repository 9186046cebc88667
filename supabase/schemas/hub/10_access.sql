create table public.hub_admins (
  user_id uuid not null,
  created_at timestamptz not null default now(),
  constraint hub_admins_pkey primary key (user_id),
  constraint hub_admins_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.hub_admins is 'Admins, who moderate the hub. An operator adds one by insert into hub_admins (user_id) values (...).';
alter table public.hub_admins enable row level security;
revoke all on table public.hub_admins from public, anon, authenticated, service_role;
grant select on table public.hub_admins to authenticated, service_role;

create policy hub_admins_select on public.hub_admins for select to authenticated using (user_id = (select auth.uid()));
create policy hub_admins_service_select on public.hub_admins for select to service_role using (true);

create table private.hub_bans (
  user_id uuid not null,
  reason text,
  banned_by uuid,
  created_at timestamptz not null default now(),
  constraint hub_bans_pkey primary key (user_id),
  constraint hub_bans_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_bans_banned_by_fkey foreign key (banned_by) references auth.users (id) on delete set null,
  constraint hub_bans_reason_check check (char_length(reason) between 1 and 1000)
);
comment on table private.hub_bans is 'Creators who may not write to the hub. Triggers apply a ban when a row is inserted and lift it when the row is deleted.';
comment on column private.hub_bans.banned_by is 'The admin who banned the user; null when an operator inserted the row.';
alter table private.hub_bans enable row level security;
revoke all on table private.hub_bans from public, anon, authenticated, service_role;
grant select on table private.hub_bans to service_role;

create index hub_bans_banned_by_idx on private.hub_bans (banned_by);

create policy hub_bans_service_select on private.hub_bans for select to service_role using (true);

create function private.is_admin()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (select from public.hub_admins a where a.user_id = (select auth.uid()));
$$;
comment on function private.is_admin is 'Returns whether the caller is an admin of the hub. Policies write (select private.is_admin()), so that the function runs once per statement, not once per row.';
revoke execute on function private.is_admin from public, anon, authenticated, service_role;
grant execute on function private.is_admin to authenticated;

create function private.is_banned(user_id uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (select from private.hub_bans b where b.user_id = is_banned.user_id);
$$;
comment on function private.is_banned is 'Returns whether that user is banned from writing to the hub.';
revoke execute on function private.is_banned from public, anon, authenticated, service_role;
grant execute on function private.is_banned to anon, authenticated;

create function private.is_member()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- A Supabase anonymous session has the role authenticated, but no account, so it is treated as signed out.
  select (select auth.uid()) is not null and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true';
$$;
comment on function private.is_member is 'Returns whether the caller is signed in with an account. False for an anonymous session of Supabase.';
revoke execute on function private.is_member from public, anon, authenticated, service_role;
grant execute on function private.is_member to authenticated;

create function private.is_operator()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- SECURITY DEFINER does not change the setting "role", so the setting still names the role of the request. API requests run as
  -- anon, authenticated or service_role, and none of these is a member of the role that owns the schema private.
  select pg_catalog.pg_has_role(
    coalesce(nullif(current_setting('role', true), 'none'), session_user)::name,
    n.nspowner,
    'member'
  )
  from pg_catalog.pg_namespace n
  where n.nspname = 'private';
$$;
comment on function private.is_operator is 'Returns whether the statement comes from the SQL editor or the dashboard, not from a request over the API.';
revoke execute on function private.is_operator from public, anon, authenticated, service_role;

create function private.require_admin()
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not (private.is_admin() or private.is_operator()) then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
end;
$$;
comment on function private.require_admin is 'Raises 42501 permission denied unless the caller is an admin of the hub or an operator.';
revoke execute on function private.require_admin from public, anon, authenticated, service_role;

-- Refuses to make a banned user an admin: nobody may be banned and an admin at the same time, because a banned admin could lift
-- their own ban.
create function private.hub_admins_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- hub_bans_before_insert takes the same advisory lock, so that making a user an admin and banning that user happen one after the
  -- other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if private.is_banned(new.user_id) then
    raise exception using errcode = 'PT409', message = 'user_is_banned', detail = '{"hint": "select hub_unban_creator(user_id) first"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_admins_before_insert is 'Refuses to make a banned user an admin. Raises PT409 user_is_banned.';
revoke execute on function private.hub_admins_before_insert from public, anon, authenticated, service_role;

create trigger hub_admins_before_insert
before insert or update on public.hub_admins
for each row execute function private.hub_admins_before_insert();

create function private.hub_bans_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if new.user_id = (select auth.uid()) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_self';
  end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if exists (select from public.hub_admins a where a.user_id = new.user_id) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_admin';
  end if;
  return new;
end;
$$;
comment on function private.hub_bans_before_insert is 'Refuses to ban an admin or the caller. Raises PT422 cannot_ban_admin or cannot_ban_self.';
revoke execute on function private.hub_bans_before_insert from public, anon, authenticated, service_role;

create trigger hub_bans_before_insert
before insert on private.hub_bans
for each row execute function private.hub_bans_before_insert();
