-- Rules for names that look alike, and for user names that their users gave up. Two names count as the same when their keys, which
-- username_key and name_key return, are equal.
create function private.username_key(username text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- 0 and o are equal here, and so are 1, i and l: a name that looks like an existing one counts as taken.
  select translate(lower(username_key.username), '01i_-', 'oll');
$$;
comment on function private.username_key is 'Returns the form of a user name that must be unique: in lower case, without _ and -, with o for 0 and with l for 1 and i, which look alike.';
revoke execute on function private.username_key from public, anon, authenticated, service_role;
-- The unique index calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.username_key to authenticated, service_role;

create function private.name_key(name text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Ignores the width of letters, case, accents, signs and blanks, and replaces Cyrillic and Greek letters with the Latin letters
  -- that they look like. For a user name the result equals private.username_key.
  return translate(
    regexp_replace(
      translate(
        normalize(lower(normalize(name_key.name, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        'абвгеһіјкмнорстухѕԁԛԝүαβγεηικνορτυχωϲ',
        'abbrehljkmhopctyxsdqwyabyenlkvoptuxwc'
      ),
      '[^[:alnum:]]', '', 'g'
    ) collate pg_catalog.pg_c_utf8,
    '01i', 'oll'
  );
end;
$$;
comment on function private.name_key is 'Returns a name without the details in which look-alike names differ: case, accents, signs, blanks, look-alike letters and digits.';
revoke execute on function private.name_key from public, anon, authenticated, service_role;
-- The index of display names calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.name_key to authenticated, service_role;

create function private.mixes_scripts(title text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Checks each word by itself. Names of substances have Greek letters after capitals (TNFα), so a small Greek letter counts as
  -- mixed only in a word with small Latin letters.
  select mixes_scripts.title collate pg_catalog.pg_c_utf8 ~ (
    '[A-Za-z][[:alpha:]]*[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ]|[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ][[:alpha:]]*[A-Za-z]'
    || '|[a-z][[:alpha:]]*[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[a-z]'
    || '|[A-Z][[:alpha:]]*[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[A-Z]'
  );
$$;
comment on function private.mixes_scripts is 'Returns whether a word of the title mixes Latin letters with Cyrillic or Greek letters that look like Latin ones.';
revoke execute on function private.mixes_scripts from public, anon, authenticated, service_role;

create function private.is_reserved_name(key text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Also compares the reserved words spelled with rn instead of m. Treating rn like m in all names would refuse too many names.
  select exists (
    select
    from unnest('{anonymous,api,deleted,help,hub,mod,"null",operator,owner,root,security,system,undefined}'::text[]) word
    cross join lateral (values (word), (replace(word, 'm', 'rn'))) s (spelling)
    where private.username_key(spelling) = is_reserved_name.key
  ) or exists (
    select
    from unnest('{keyhub,admin,official,support,moderator,staff}'::text[]) beginning
    cross join lateral (values (beginning), (replace(beginning, 'm', 'rn'))) s (spelling)
    where starts_with(is_reserved_name.key, private.username_key(spelling))
  );
$$;
comment on function private.is_reserved_name is 'Returns whether a name, given as its username_key or name_key, seems to speak for the hub: the name is a word of the first list, or it begins with a word of the second list.';
revoke execute on function private.is_reserved_name from public, anon, authenticated, service_role;

create table private.hub_former_names (
  name_key text not null,
  username text not null,
  user_id uuid not null,
  given_up_at timestamptz not null default clock_timestamp(),
  constraint hub_former_names_pkey primary key (name_key)
);
comment on table private.hub_former_names is 'User names that users gave up by a new name or by the deletion of their account. For 180 days nobody else may take such a name, and the name still finds its former owner.';
comment on column private.hub_former_names.user_id is 'The user who had the name. No foreign key: the row stays when the account is deleted.';
alter table private.hub_former_names enable row level security;
revoke all on table private.hub_former_names from public, anon, authenticated, service_role;
grant select on table private.hub_former_names to service_role;

create index hub_former_names_user_id_idx on private.hub_former_names (user_id, given_up_at desc);
create index hub_former_names_given_up_at_idx on private.hub_former_names (given_up_at);

create policy hub_former_names_service_select on private.hub_former_names for select to service_role using (true);

create function private.former_owner(name_key text)
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select f.user_id
  from private.hub_former_names f
  where f.name_key = former_owner.name_key and f.given_up_at > clock_timestamp() - interval '180 days';
$$;
comment on function private.former_owner is 'Returns the user who gave up the user name with this username_key in the last 180 days; null when there is none.';
revoke execute on function private.former_owner from public, anon, authenticated, service_role;

create function private.keep_former_name()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into private.hub_former_names as f (name_key, username, user_id)
  values (private.username_key(old.username), old.username, old.user_id)
  on conflict (name_key) do update
  set username = excluded.username, user_id = excluded.user_id, given_up_at = excluded.given_up_at;
  if tg_op = 'UPDATE' then
    delete from private.hub_former_names f where f.name_key = private.username_key(new.username);
    -- Keeps at most five former names of each user, so that nobody can take many names from others by renaming again and again.
    delete from private.hub_former_names f
    where f.name_key in (
      select o.name_key from private.hub_former_names o where o.user_id = old.user_id order by o.given_up_at desc, o.name_key offset 5
    );
  end if;
  return null;
end;
$$;
comment on function private.keep_former_name is 'Stores the user name that a renamed or deleted profile had. Each new name deletes all but the five newest former names of the user.';
revoke execute on function private.keep_former_name from public, anon, authenticated, service_role;
