-- Checks only those texts of a listing that have changed, so that an old value, such as a placeholder that looks like a secret,
-- does not block an edit of another column.
create function private.hub_assets_check_text()
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
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Checks the sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
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
    elsif private.has_breaks_or_invisible(new.title) then
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    elsif private.has_invisible_characters(new.description) then
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and coalesce(new.published_at, new.shared_at) is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      or exists (select from unnest(new.tags) u (tag) where private.has_breaks_or_invisible(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
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
  -- Refuses mixed scripts only in titles that readers see: a copy keeps the title of its original until it is published.
  if (new.is_public or new.shared_at is not null or new.published_at is not null) and (coalesce(before.published_at, before.shared_at) is null or new.title is distinct from before.title)
    and private.mixes_scripts(new.title)
  then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "title"}';
  end if;

  -- The checks for secrets are only for edits by clients: edge functions have already removed secrets by more exact rules, which
  -- leave placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Checks the tags both as sent and as normalised: some secrets do not match their pattern in lower case.
  if private.adds_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
    or private.adds_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_check_text is 'Normalises and checks those of title, description, tags and thumbnail that have changed. Raises PT422 mixed_script, validation_failed or secret_detected; no error contains a value that was sent.';
revoke execute on function private.hub_assets_check_text from public, anon, authenticated, service_role;

create trigger hub_assets_10_check_text
before insert or update of title, description, tags, thumbnail_url on public.hub_assets
for each row execute function private.hub_assets_check_text();

-- Locks all listings of the caller in the order of ids before an edit. One statement of a client may edit several listings and
-- would otherwise lock them in any order.
create function private.hub_assets_begin_edit()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  editor constant uuid := (select auth.uid());
begin
  -- An owner's edit takes its locks in the order that all writers keep: the profile, then the assets by id.
  if editor is not null then
    perform private.begin_write(editor);
    perform from public.hub_assets a where a.creator_id = editor order by a.id for no key update;
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_begin_edit is 'Locks the profile of a client who edits listings, then all listings of that client, in the lock order of all writes. Raises PT403 banned.';
revoke execute on function private.hub_assets_begin_edit from public, anon, authenticated, service_role;

create trigger hub_assets_begin_edit
before update of title, description, tags, thumbnail_url on public.hub_assets
for each statement execute function private.hub_assets_begin_edit();

-- Limits the edits of an account, because each edit writes new search documents and words. An update of several listings counts as
-- one edit of each of them.
create function private.hub_assets_limit_edits()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  editor constant uuid := (select auth.uid());
begin
  if editor is not null then
    perform private.limit_calls(editor, 'edits', 600);
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_limit_edits is 'Counts an owner''s edit of a listing and refuses more than 600 edits an hour by one owner. Raises PT429 rate_limited.';
revoke execute on function private.hub_assets_limit_edits from public, anon, authenticated, service_role;

create trigger hub_assets_05_limit_edits
before update of title, description, tags, thumbnail_url on public.hub_assets
for each row execute function private.hub_assets_limit_edits();
