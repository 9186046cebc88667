-- An edit is judged by what it changes: what stands in a row already, such as a placeholder that looks like a secret, blocks no
-- edit of anything else. Secrets are looked for in what is stored in the end as well as in what was sent.

create or replace function private.hub_assets_check_text()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  edited constant boolean := (select auth.uid()) is not null;
  before public.hub_assets;
  sent_tags constant text[] := new.tags;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  -- Row level security has left only rows of the caller by now; functions have asked before.
  if tg_op = 'UPDATE' and new.creator_id = (select auth.uid()) and private.is_banned(new.creator_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Sizes first: normalising takes the square of a long run of combining marks, and nothing can stop it.
  if octet_length(new.title) > 4000 then
    faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if octet_length(new.description) > 40000 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
  end if;
  if cardinality(new.tags) > 100 or octet_length(array_to_string(new.tags, '')) > 20000
    or exists (select from unnest(new.tags) u (tag) where octet_length(u.tag) > 1000)
  then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if octet_length(new.thumbnail_url) > 4000 then
    faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  perform private.refuse_faults(faults);

  if tg_op = 'INSERT' or new.title is distinct from before.title then
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    elsif private.has_odd_characters(new.title) then
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    elsif private.has_odd_text(new.description) then
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and new.published_at is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      or exists (select from unnest(new.tags) u (tag) where private.has_odd_characters(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
    then
      faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.thumbnail_url is distinct from before.thumbnail_url then
    new.thumbnail_url := private.clean(new.thumbnail_url);
    if not private.is_https_url(new.thumbnail_url) then
      faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  -- What functions write has been stripped by finer rules, which leave placeholders.
  if not edited then
    return new;
  end if;
  if private.brings_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- As they came too: in lower case some secrets are none any more.
  if private.brings_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
    or private.brings_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_check_text is 'Normalises and judges what changes of title, description, tags and thumbnail. Raises PT403 banned, PT422 validation_failed or secret_detected; never repeats a value.';

create or replace function private.hub_profiles_before_write()
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
    elsif private.has_odd_characters(new.display_name) then
      faults := faults || private.fault('display_name', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.avatar_url is distinct from before.avatar_url then
    new.avatar_url := private.clean(new.avatar_url);
    if not private.is_https_url(new.avatar_url) then
      faults := faults || private.fault('avatar_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  if private.brings_secret(before.username, new.username) then
    secrets := secrets || private.fault('username', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.display_name, new.display_name) then
    secrets := secrets || private.fault('display_name', 'secret_detected', 'looks like a secret');
  end if;
  if private.brings_secret(before.avatar_url, new.avatar_url) then
    secrets := secrets || private.fault('avatar_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;

  if tg_op = 'UPDATE' and private.username_key(new.username) <> private.username_key(old.username) then
    -- Here rn is m as well; among all names that would take too many.
    if private.username_key(new.username) = any (array(
      select private.username_key(spelling)
      from unnest('{admin,administrator,anonymous,api,deleted,help,hub,keyhub,mod,moderator,"null",official,operator,owner,root,security,staff,support,system,undefined}'::text[]) reserved
      cross join lateral (values (reserved), (replace(reserved, 'm', 'rn'))) s (spelling)
    )) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
    -- Two who want one name: the second finds it taken here, and never meets the index.
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.username), 4));
    if exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.username_key(new.username) and p.user_id <> new.user_id
    ) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
  end if;
  return new;
end;
$$;
comment on function private.hub_profiles_before_write is 'Tells what is wrong with what changes of a profile. Raises PT403 banned, PT409 username_taken, PT422 validation_failed or secret_detected; never repeats a value.';
