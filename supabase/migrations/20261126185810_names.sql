SET local check_function_bodies = off;

CREATE TABLE "private"."hub_former_names" (
  "name_key"    text                     NOT NULL,
  "username"    text                     NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "given_up_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_former_names_pkey" PRIMARY KEY (name_key)
);

ALTER TABLE "private"."hub_former_names"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.creator_by_name (
  username text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select p.user_id
  from public.hub_profiles p
  -- The first is what the index is over.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    and not private.is_banned(p.user_id)
  union all
  -- A name that was given up has no other owner while it is kept.
  select p.user_id
  from private.hub_former_names f
  join public.hub_profiles p on p.user_id = f.user_id
  where f.name_key = private.username_key(creator_by_name.username)
    and lower(f.username) = lower(creator_by_name.username)
    and f.given_up_at > clock_timestamp() - interval '180 days'
    and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.former_owner (
  name_key text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select f.user_id
  from private.hub_former_names f
  where f.name_key = former_owner.name_key and f.given_up_at > clock_timestamp() - interval '180 days';
$function$;

CREATE OR REPLACE FUNCTION private.hub_profiles_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
      -- A check mark says that somebody was verified.
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
    -- Two users who want one name at once: the second waits for the advisory lock and then finds the name taken here, so that the
    -- unique index raises no error of its own. Always in this order, so that two who want the same two names do not deadlock.
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
    -- After the profiles: whoever gives up a name holds it in one of the two.
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
$function$;

CREATE OR REPLACE FUNCTION private.is_reserved_name (
  key text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Compared with rn for m as well; for all names this would refuse too many.
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
$function$;

CREATE OR REPLACE FUNCTION private.keep_former_name()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.hub_former_names as f (name_key, username, user_id)
  values (private.username_key(old.username), old.username, old.user_id)
  on conflict (name_key) do update
  set username = excluded.username, user_id = excluded.user_id, given_up_at = excluded.given_up_at;
  if tg_op = 'UPDATE' then
    delete from private.hub_former_names f where f.name_key = private.username_key(new.username);
    -- Nobody holds more than five, so that renaming is no way to take names from others.
    delete from private.hub_former_names f
    where f.name_key in (
      select o.name_key from private.hub_former_names o where o.user_id = old.user_id order by o.given_up_at desc, o.name_key offset 5
    );
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.name_key (
  name text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Wide letters, case, accents, signs and blanks do not count; Cyrillic and Greek letters are the Latin ones they look like. Of a user
  -- name it is what private.username_key makes.
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
$function$;

CREATE OR REPLACE FUNCTION public.hub_prune()
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  unused_words integer;
  former_names integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  delete from private.hub_former_names f where f.given_up_at <= clock_timestamp() - interval '180 days';
  get diagnostics former_names = row_count;
  -- Nobody waits: a listing that is published at this moment with a word that no other one has is found by the whole of it.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + unused_words + former_names;
end;
$function$;

CREATE INDEX hub_former_names_given_up_at_idx ON private.hub_former_names USING btree (given_up_at);

CREATE INDEX hub_former_names_user_id_idx ON private.hub_former_names USING btree (user_id, given_up_at DESC);

CREATE TRIGGER hub_profiles_keep_deleted_name
  AFTER DELETE ON public.hub_profiles
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_former_name();

CREATE TRIGGER hub_profiles_keep_former_name
  AFTER UPDATE OF username ON public.hub_profiles
  FOR EACH ROW
  WHEN ((private.username_key(new.username) <> private.username_key(old.username)))
  EXECUTE FUNCTION private.keep_former_name();

CREATE POLICY "hub_former_names_service_select" ON "private"."hub_former_names"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "private"."hub_former_names"."user_id" IS 'Who had it. No foreign key: it stays when the account is deleted.';

COMMENT ON FUNCTION "private"."creator_by_name"(text) IS 'Who has a username, or gave it up in the last 180 days; null for nobody and for a banned creator.';

COMMENT ON FUNCTION "private"."former_owner"(text) IS 'Who gave up the name with this key in the last 180 days.';

COMMENT ON FUNCTION "private"."hub_profiles_before_write"() IS 'Checks the changed columns of a profile. Raises PT403 banned, PT409 username_taken or display_name_taken, PT422 validation_failed or secret_detected; never repeats a value.';

COMMENT ON FUNCTION "private"."is_reserved_name"(text) IS 'Whether a name with this key would speak for the hub: one of these words, or a name that begins with one of those.';

COMMENT ON FUNCTION "private"."keep_former_name"() IS 'Keeps the user name that a profile had: the five newest of each user.';

COMMENT ON FUNCTION "private"."name_key"(text) IS 'A name without everything that two names which look alike differ in: case, accents, signs, blanks, look-alike letters and digits.';

COMMENT ON FUNCTION "public"."hub_creator"(text) IS 'A creator''s page: profile, totals, and the first page of their listings as hub_search(creator => …) goes on with. For a name that was given up in the last 180 days it is the page of its owner, with the username of now. Raises PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_prune"() IS 'For operators: deletes answers older than 24 hours, expired scan tokens, calls older than one hour, names given up 180 days ago, and words that no visible listing has any more; returns the number of rows.';

COMMENT ON TABLE "private"."hub_former_names" IS 'User names that were given up: for 180 days nobody else may take them, and they lead to their owner.';

REVOKE ALL ON FUNCTION "private"."former_owner"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_reserved_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_former_name"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."name_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."name_key"(text) TO "authenticated", "service_role";

GRANT SELECT ON TABLE "private"."hub_former_names" TO "service_role";

CREATE INDEX hub_profiles_name_key_idx ON public.hub_profiles USING btree (private.name_key(display_name))
  WHERE (display_name IS NOT NULL);
