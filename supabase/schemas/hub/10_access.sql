create table public.hub_admins (
  user_id uuid not null,
  created_at timestamptz not null default now(),
  constraint hub_admins_pkey primary key (user_id),
  constraint hub_admins_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.hub_admins is 'Moderators of the hub. Edited by operators: insert into hub_admins (user_id) values (...).';
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
comment on table private.hub_bans is 'Creators who may not write to the hub. Inserting and deleting a row does everything that banning and unbanning mean.';
comment on column private.hub_bans.banned_by is 'The admin; null when an operator wrote the row.';
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
comment on function private.is_admin is 'Whether the caller moderates the hub. In policies as (select private.is_admin()), so that it runs once a statement.';
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
comment on function private.is_banned is 'Whether that user may not write to the hub.';
revoke execute on function private.is_banned from public, anon, authenticated, service_role;
grant execute on function private.is_banned to anon, authenticated;

create function private.is_member()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- A Supabase anonymous session has the role authenticated; it counts as Lite.
  -- guard: hub: an anonymous session is no member
  -- without: select (select auth.uid()) is not null and true;
  select (select auth.uid()) is not null and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true';
  -- end
$$;
comment on function private.is_member is 'Whether the caller is signed in with an account of their own.';
revoke execute on function private.is_member from public, anon, authenticated, service_role;
grant execute on function private.is_member to authenticated;

create function private.is_operator()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- The role of the session, which SECURITY DEFINER leaves alone: API requests are anon, authenticated or
  -- service_role, of which none is a member of the role that owns this code.
  select pg_catalog.pg_has_role(
    -- guard: hub: the API is no operator
    -- without: session_user::name,
    coalesce(nullif(current_setting('role', true), 'none'), session_user)::name,
    -- end
    n.nspowner,
    'member'
  )
  from pg_catalog.pg_namespace n
  where n.nspname = 'private';
$$;
comment on function private.is_operator is 'Whether this is the SQL editor or the dashboard, and not a request over the API.';
revoke execute on function private.is_operator from public, anon, authenticated, service_role;

create function private.require_admin()
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  -- guard: hub: admin functions are for admins
  -- without: if false then
  if not (private.is_admin() or private.is_operator()) then
  -- end
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
end;
$$;
comment on function private.require_admin is 'Refuses everybody but admins of the hub and operators.';
revoke execute on function private.require_admin from public, anon, authenticated, service_role;

-- An admin who is banned could unban themselves; a ban and an office exclude one another.
create function private.hub_admins_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Office and ban are given one after the other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  -- guard: hub: nobody who is banned becomes an admin
  -- without: if false then
  if private.is_banned(new.user_id) then
  -- end
    raise exception using errcode = 'PT409', message = 'user_is_banned', detail = '{"hint": "select hub_unban_creator(user_id) first"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_admins_before_insert is 'Nobody who is banned becomes an admin.';
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
  -- guard: hub: office and ban are given one after the other
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  -- end
  -- guard: hub: no ban on admins
  -- without: if false then
  if exists (select from public.hub_admins a where a.user_id = new.user_id) then
  -- end
    raise exception using errcode = 'PT422', message = 'cannot_ban_admin';
  end if;
  return new;
end;
$$;
comment on function private.hub_bans_before_insert is 'No ban on admins or on oneself.';
revoke execute on function private.hub_bans_before_insert from public, anon, authenticated, service_role;

create trigger hub_bans_before_insert
before insert on private.hub_bans
for each row execute function private.hub_bans_before_insert();
