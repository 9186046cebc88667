-- Public profiles of creators. A trigger makes one row for each user. The first user name consists of words from a list, so that it
-- discloses nothing about the account.
create table public.hub_profiles (
  user_id uuid not null,
  username text not null,
  display_name text,
  avatar_url text,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  constraint hub_profiles_pkey primary key (user_id),
  constraint hub_profiles_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_profiles_username_check check (username ~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$'),
  constraint hub_profiles_display_name_check check (
    char_length(btrim(display_name)) >= 1 and char_length(btrim(display_name)) <= 80 and not private.has_breaks_or_invisible(display_name)
  ),
  constraint hub_profiles_avatar_url_check check (private.is_https_url(avatar_url))
);
comment on table public.hub_profiles is 'Public profiles: one row for each user, as other users see that user. A trigger makes the row of a new user.';
comment on column public.hub_profiles.username is '3 to 30 ASCII letters, digits, _ and -. No two user names have the same private.username_key.';
comment on column public.hub_profiles.created_at is 'Shown as "member since": the time when the account was created, or, for a profile that a later write made, the time of that write.';
comment on column public.hub_profiles.verified_at is 'When an admin verified the identity of the creator, who then has a badge and pays a lower fee.';
alter table public.hub_profiles enable row level security;
revoke all on table public.hub_profiles from public, anon, authenticated, service_role;
grant select on table public.hub_profiles to anon, authenticated, service_role;
grant update (username, display_name, avatar_url) on table public.hub_profiles to authenticated;

create index hub_profiles_name_key_idx on public.hub_profiles (private.name_key(display_name)) where display_name is not null;
create unique index hub_profiles_username_key on public.hub_profiles (private.username_key(username));

create policy hub_profiles_select_anon on public.hub_profiles for select to anon using (not private.is_banned(user_id));
create policy hub_profiles_select on public.hub_profiles for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()) or not private.is_banned(user_id));
create policy hub_profiles_update on public.hub_profiles for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()))
with check (user_id = (select auth.uid()));
create policy hub_profiles_service_select on public.hub_profiles for select to service_role using (true);

create function private.random_username()
returns text
language sql
volatile
set search_path = ''
as $$
  with words as (
    select
      string_to_array('amber autumn azure bold brave bright brisk calm candid cedar civic clear clever coral cosmic crisp daring deep eager early easy epic fair fleet fond fresh frosty gentle glad golden grand green happy hazel humble ivory jolly keen kind lively lucid lucky lunar mellow merry mighty mild misty noble north olive open patient plain polar proud quick quiet rapid ready royal ruby rustic sandy serene sharp silent silver simple smart snowy solar solid sonic spry steady still stout sunny swift tidal tidy timely true velvet vivid warm west wide wild wise witty', ' ') as first,
      string_to_array('acorn anchor aspen badger beacon beaver birch bison brook canyon cedar cliff clover comet condor coral crane creek dolphin dove dune eagle ember falcon fern finch fjord forest fox gecko glacier grove harbor hare hawk hazel heron hill ibis island jay juniper kestrel koala lagoon lake lark lemur lily lotus lynx maple marlin meadow mesa moose moss oak ocean orca otter owl panda pebble pelican pine plover pond poppy prairie puffin quail raven reef ridge river robin sage salmon seal shore sparrow spruce stone stork summit swan tern thistle tiger trout tulip valley walnut willow wolf wren', ' ') as second
  )
  select w.first[1 + floor(random() * cardinality(w.first))::integer]
    || '-' || w.second[1 + floor(random() * cardinality(w.second))::integer]
    || '-' || (10 + floor(random() * 9990))::integer
  from words w;
$$;
comment on function private.random_username is 'Returns a user name of two words and a number; it discloses nothing about the account.';
revoke execute on function private.random_username from public, anon, authenticated, service_role;

create function private.make_profile(user_id uuid, since timestamptz)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  for attempt in 1..20 loop
    insert into public.hub_profiles (user_id, username, created_at)
    values (
      make_profile.user_id,
      case
        when attempt < 20 then private.random_username()
        else 'user-' || left(replace(gen_random_uuid()::text, '-', ''), 24)
      end,
      coalesce(make_profile.since, clock_timestamp())
    )
    -- A conflict means that the name is taken, or that the user has a profile already.
    on conflict do nothing;
    exit when found or exists (select from public.hub_profiles p where p.user_id = make_profile.user_id);
  end loop;
end;
$$;
comment on function private.make_profile is 'Makes a profile with a free user name for a user who has no profile.';
revoke execute on function private.make_profile from public, anon, authenticated, service_role;

create function private.users_make_profile()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.make_profile(new.id, new.created_at);
  return null;
exception
  when others then
    -- A sign-up must not fail because of the profile; begin_write makes it later.
    raise warning 'no hub profile was made: %', sqlstate;
    return null;
end;
$$;
comment on function private.users_make_profile is 'Makes a profile for each new user; never makes a sign-up fail.';
revoke execute on function private.users_make_profile from public, anon, authenticated, service_role;

create trigger keyhub_make_profile
after insert on auth.users
for each row execute function private.users_make_profile();

create function private.begin_write(user_id uuid, allow_banned boolean default false)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The lock of the profile serializes the writes of a user, and serializes each write with a ban of that user.
  loop
    perform from public.hub_profiles p where p.user_id = begin_write.user_id for no key update;
    exit when found;
    if not exists (select from auth.users u where u.id = begin_write.user_id) then
      -- auth.uid() is null when an edge function writes for a user. The user's token is still valid then, but the account is
      -- deleted, so the edge function gets invalid_credential.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- A user without a profile gets one on the first write.
    perform private.make_profile(begin_write.user_id, null);
  end loop;
  -- Lock order: the deletion of an account locks the row of auth.users first and the profile later, so the lock on the row of
  -- auth.users must not wait here. The lock on that row is taken after the lock of the profile, because two writers who held it
  -- while they wait for the profile could block the deletion by taking turns.
  perform from auth.users u where u.id = begin_write.user_id for key share skip locked;
  if not found then
    raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the account is being deleted"}';
  end if;
  if begin_write.allow_banned then
    return;
  end if;
  if private.is_banned(begin_write.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
end;
$$;
comment on function private.begin_write is 'Locks a user''s profile and account; every write to the hub calls this function first. Raises 42501 when the account does not exist (PT401 invalid_credential when an edge function calls), PT403 banned, PT503 unavailable while the account is being deleted.';
revoke execute on function private.begin_write from public, anon, authenticated, service_role;

create function private.hub_profiles_before_write()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  before public.hub_profiles;
  faults jsonb := '[]';
  secrets jsonb := '[]';
  renamed boolean := false;
  reshown boolean := false;
begin
  if tg_op = 'UPDATE' and new.user_id = (select auth.uid()) and private.is_banned(new.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  if tg_op = 'INSERT' or new.username is distinct from before.username then
    new.username := private.clean(new.username);
    if new.username is null or new.username !~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$' then
      faults := faults || private.fault('username', 'invalid_format', 'must be 3 to 30 letters (a to z), digits, _ or -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.display_name is distinct from before.display_name then
    new.display_name := private.clean(new.display_name);
    if char_length(new.display_name) > 80 then
      faults := faults || private.fault('display_name', 'invalid_format', 'must be at most 80 visible characters');
    elsif private.has_breaks_or_invisible(new.display_name) then
      faults := faults || private.fault('display_name', 'invalid_text', 'must be one line without invisible characters');
    elsif new.display_name ~ '[\u2705\u2611\u2713\u2714\u221a\u237b\u2bbd\U0001f5f8\U0001f5f9\U0001fbb1]' then
      -- A check mark would suggest that the creator is verified.
      faults := faults || private.fault('display_name', 'invalid_text', 'must be without check marks');
    end if;
  end if;
  if tg_op = 'INSERT' or new.avatar_url is distinct from before.avatar_url then
    new.avatar_url := private.clean(new.avatar_url);
    if not private.is_https_url(new.avatar_url) then
      faults := faults || private.fault('avatar_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  if private.adds_secret(before.username, new.username) then
    secrets := secrets || private.fault('username', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.display_name, new.display_name) then
    secrets := secrets || private.fault('display_name', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.avatar_url, new.avatar_url) then
    secrets := secrets || private.fault('avatar_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;

  if tg_op = 'UPDATE' then
    renamed := private.username_key(new.username) <> private.username_key(old.username);
    reshown := coalesce(private.name_key(new.display_name), '') is distinct from coalesce(private.name_key(old.display_name), '');
    -- When two users want one name at the same time, the second waits for the advisory lock and then finds the name taken here, so
    -- that the unique index raises no error of its own. The locks are always taken in the same order, so that two users who want
    -- the same two names do not deadlock.
    perform pg_catalog.pg_advisory_xact_lock(l.lock)
    from (
      select pg_catalog.hashtextextended(k.name_key, 4) as lock
      from (values (renamed, private.username_key(new.username)), (reshown, private.name_key(new.display_name))) k (wanted, name_key)
      where k.wanted and k.name_key is not null
      order by 1
    ) l;
  end if;
  if renamed then
    if private.is_reserved_name(private.username_key(new.username)) or exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.username_key(new.username) and p.user_id <> new.user_id
    ) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
    -- Former names are checked after the profiles: a name that is being given up at this moment is found in one of the two tables.
    if private.former_owner(private.username_key(new.username)) <> new.user_id then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
  end if;
  if reshown and private.name_key(new.display_name) <> '' and (
    private.is_reserved_name(private.name_key(new.display_name))
    or private.former_owner(private.name_key(new.display_name)) <> new.user_id
    or exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.name_key(new.display_name) and p.user_id <> new.user_id
    )
    or exists (
      select from public.hub_profiles p
      where p.display_name is not null and private.name_key(p.display_name) = private.name_key(new.display_name) and p.user_id <> new.user_id
    )
  ) then
    raise exception using errcode = 'PT409', message = 'display_name_taken';
  end if;
  return new;
end;
$$;
comment on function private.hub_profiles_before_write is 'Checks the changed columns of a profile. Raises PT403 banned, PT409 username_taken or display_name_taken, PT422 validation_failed or secret_detected; no error contains a value that was sent.';
revoke execute on function private.hub_profiles_before_write from public, anon, authenticated, service_role;

create trigger hub_profiles_before_write
before insert or update on public.hub_profiles
for each row execute function private.hub_profiles_before_write();

create function private.hub_profiles_before_delete()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Refuses to delete the profile of an existing user, because the user's listings would lose their creator. The cascade from
  -- auth.users runs after the user is deleted, so it is allowed.
  if exists (select from auth.users u where u.id = old.user_id) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = '{"table": "hub_profiles", "verb": "delete", "hint": "delete the user, or update the profile"}';
  end if;
  return old;
end;
$$;
comment on function private.hub_profiles_before_delete is 'Refuses to delete a profile while its user exists. Raises PT409 append_only.';
revoke execute on function private.hub_profiles_before_delete from public, anon, authenticated, service_role;

create trigger hub_profiles_before_delete
before delete on public.hub_profiles
for each row execute function private.hub_profiles_before_delete();

create trigger hub_profiles_10_keep_former_name
after update of username on public.hub_profiles
for each row when (private.username_key(new.username) <> private.username_key(old.username))
execute function private.keep_former_name();
create trigger hub_profiles_keep_deleted_name
after delete on public.hub_profiles
for each row execute function private.keep_former_name();
