-- Everything that the schema files of supabase/schemas declare, joined in their order. Read them there: this file only makes a
-- new database. Later migrations are written by: npm run db:diff -- <name>

-- supabase/schemas/00_schemas.sql

-- Code and tables that no client reaches live in `private`: PostgREST exposes `public` only. Policies name functions of
-- `private`, and functions of `public` call them; each is granted by name.
create schema private;
comment on schema private is 'Internal: never exposed over the API.';
revoke all on schema private from public, anon, authenticated, service_role;
grant usage on schema private to anon, authenticated, service_role;

-- supabase/schemas/hub/10_access.sql

create table public.hub_admins (
  user_id uuid not null,
  created_at timestamptz not null default now(),
  constraint hub_admins_pkey primary key (user_id),
  constraint hub_admins_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.hub_admins is 'Admins of the hub: they moderate it. Edited by operators: insert into hub_admins (user_id) values (...).';
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
comment on table private.hub_bans is 'Creators who may not write to the hub. Triggers do the rest of a ban when a row is inserted, and of its end when the row is deleted.';
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
comment on function private.is_admin is 'Whether the caller is an admin of the hub. Policies write (select private.is_admin()), so that it runs once per statement.';
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
  -- A Supabase anonymous session has the role authenticated, but no account: it is treated as signed out (Lite).
  -- guard: hub: an anonymous session is not a member
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
  -- SECURITY DEFINER does not change the setting "role". API requests run as anon, authenticated or service_role, and none of
  -- them is a member of the role that owns this schema.
  select pg_catalog.pg_has_role(
    -- guard: hub: an API request is not an operator
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

-- A banned admin could lift their own ban. So nobody is banned and an admin at the same time.
create function private.hub_admins_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The same advisory lock as in hub_bans_before_insert: an admin is added and banned one after the other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  -- guard: hub: a banned user does not become an admin
  -- without: if false then
  if private.is_banned(new.user_id) then
  -- end
    raise exception using errcode = 'PT409', message = 'user_is_banned', detail = '{"hint": "select hub_unban_creator(user_id) first"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_admins_before_insert is 'Refuses a banned user as admin. Raises PT409 user_is_banned.';
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
  -- guard: hub: adding an admin and banning the same user do not overlap
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  -- end
  -- guard: hub: an admin is not banned
  -- without: if false then
  if exists (select from public.hub_admins a where a.user_id = new.user_id) then
  -- end
    raise exception using errcode = 'PT422', message = 'cannot_ban_admin';
  end if;
  return new;
end;
$$;
comment on function private.hub_bans_before_insert is 'Refuses a ban on an admin or on oneself. Raises PT422 cannot_ban_admin or cannot_ban_self.';
revoke execute on function private.hub_bans_before_insert from public, anon, authenticated, service_role;

create trigger hub_bans_before_insert
before insert on private.hub_bans
for each row execute function private.hub_bans_before_insert();

-- supabase/schemas/hub/11_text.sql

-- Rules for the texts of the hub that others read: titles, names, descriptions, tags. The core package has the same list of
-- invisible characters (invisible.ts); a test compares the two for every code point.
create function private.invisible_characters()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Control characters except tab and line breaks, invisible format characters, characters that are shown as nothing where they
  -- are not supported, private use, noncharacters, planes without characters, unassigned jamo, and blank letters.
  -- guard: hub: private use characters are invisible
  -- without: select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
  -- end
$$;
comment on function private.invisible_characters is 'Characters that are invisible and needed in no script, as the inside of a bracket expression.';
revoke execute on function private.invisible_characters from public, anon, authenticated, service_role;
grant execute on function private.invisible_characters to authenticated, service_role;

create function private.invisible_pattern()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Allowed: joiners within words of some scripts, the zero width joiner between two emoji as well; a variation selector after a
  -- symbol or in a keycap.
  select '[' || private.invisible_characters() || ']'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f])\u200c'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d'
    || '|(?<=[\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d(?![\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff])'
    || '|(?<![#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]'
    || '|(?<=[#*0-9])[\ufe0e\ufe0f](?!\u20e3)';
$$;
comment on function private.invisible_pattern is 'Regular expression for invisible characters, and for joiners and variation selectors where no script needs them.';
revoke execute on function private.invisible_pattern from public, anon, authenticated, service_role;
grant execute on function private.invisible_pattern to authenticated, service_role;

create function private.has_invisible_characters(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- The first pattern is cheap and rules out most texts.
  select has_invisible_characters.value ~ ('[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    and has_invisible_characters.value ~ private.invisible_pattern();
$$;
comment on function private.has_invisible_characters is 'Whether a text of several lines has invisible characters, which can make it look like another text.';
revoke execute on function private.has_invisible_characters from public, anon, authenticated, service_role;
grant execute on function private.has_invisible_characters to authenticated, service_role;

create function private.has_breaks_or_invisible(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select has_breaks_or_invisible.value ~ '[\t\n\r]' or private.has_invisible_characters(has_breaks_or_invisible.value);
$$;
comment on function private.has_breaks_or_invisible is 'Whether a text of one line, such as a title or a name, has a line break, a tab or invisible characters.';
revoke execute on function private.has_breaks_or_invisible from public, anon, authenticated, service_role;
-- A check constraint calls it with the role of the writer.
grant execute on function private.has_breaks_or_invisible to authenticated, service_role;

create function private.remove_invisible(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Twice: a joiner may be out of place only after the character beside it is removed.
  select regexp_replace(regexp_replace(remove_invisible.value, private.invisible_pattern(), '', 'g'), private.invisible_pattern(), '', 'g');
$$;
comment on function private.remove_invisible is 'A text without invisible characters.';
revoke execute on function private.remove_invisible from public, anon, authenticated, service_role;

create function private.clean(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Joiners and variation selectors alone are no text.
  select case
    when clean.value ~ ('[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000')
  end;
$$;
comment on function private.clean is 'The text without white space around it; null when nothing of it is visible.';
revoke execute on function private.clean from public, anon, authenticated, service_role;

create function private.as_one_line(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  select private.clean(private.remove_invisible(regexp_replace(as_one_line.value, '[\t\n\r\u0085\u2028\u2029]+', ' ', 'g')));
$$;
comment on function private.as_one_line is 'A title or name on one line, without the characters that has_breaks_or_invisible refuses; null when nothing is left.';
revoke execute on function private.as_one_line from public, anon, authenticated, service_role;

-- A secret must be found although invisible characters split it or although it is written in full-width letters. Callers limit
-- the size first: normalising a long run of combining marks takes quadratic time.
create function private.searched_forms(value text)
returns table (form text)
language sql
immutable
set search_path = ''
as $$
  select r.form
  -- guard: hub: a secret split by invisible characters is found
  -- without: from (select searched_forms.value as visible) s
  from (select regexp_replace(searched_forms.value, '[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']', '', 'g') as visible) s
  -- end
  -- guard: hub: a secret in full-width letters is found
  -- without: cross join lateral (values (s.visible)) r (form);
  cross join lateral (values (s.visible), (normalize(s.visible, nfkc))) r (form);
  -- end
$$;
comment on function private.searched_forms is 'The forms of a short text that are searched for secrets: without invisible characters, and normalised (NFKC) as well.';
revoke execute on function private.searched_forms from public, anon, authenticated, service_role;

-- The database looks for secrets itself because clients edit four columns of a listing and three of a profile directly, without
-- an edge function in between.
create function private.secret_patterns()
returns table (rule text, pattern text)
language sql
immutable
set search_path = ''
as $$
  -- Written by `npm run generate` from the formats of the core package (redact/formats).
  values
    ('openai', '(sk-proj-|sk-svcacct-|sk-admin-|sk-None-)[A-Za-z0-9_-]{20,}'),
    ('anthropic', 'sk-ant-[A-Za-z0-9_-]{20,}'),
    ('openrouter', '(^|[^A-Za-z0-9])sk-or-[A-Za-z0-9_-]{20,}'),
    ('sk-key', 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(^|[^A-Za-z0-9])sk-[0-9a-f]{32}'),
    ('google-api-key', 'AIza[A-Za-z0-9_-]{33,}'),
    ('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
    ('huggingface', '(^|[^A-Za-z0-9])(hf_|api_org_)[A-Za-z0-9]{30,}'),
    ('replicate', '(^|[^A-Za-z0-9])r8_[A-Za-z0-9]{30,}'),
    ('groq', 'gsk_[A-Za-z0-9]{40,}'),
    ('aws-access-key-id', '(^|[^A-Za-z0-9])(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}([^A-Za-z0-9]|$)'),
    ('supabase', 'sb_secret_[A-Za-z0-9_-]{16,}|sbp_(oauth_|v[0-9]_)?[a-f0-9]{32,}'),
    ('keyhub', '(kh_agent_|kh_scan_)[A-Za-z0-9_-]{16,}'),
    ('github', 'github_pat_[A-Za-z0-9_]{22,}|(ghp_|gho_|ghu_)[A-Za-z0-9]{30,}|ghs_[A-Za-z0-9_.-]{30,}|ghr_[A-Za-z0-9]{30,}'),
    ('gitlab', 'glpat-[A-Za-z0-9_-]{20,}(\.[a-z0-9]{2}\.?[a-z0-9]{7})?'),
    ('npm', '(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{32,}'),
    ('slack', '(xoxb-|xoxp-)[A-Za-z0-9-]{16,}|(xoxa-|xoxr-|xoxs-|xoxo-|xoxc-)[A-Za-z0-9-]{10,}'),
    ('stripe', '(^|[^A-Za-z0-9])(sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_)[A-Za-z0-9]{10,}'),
    ('webhook-secret', '(^|[^A-Za-z0-9])whsec_[A-Za-z0-9+/=_-]{16,}'),
    ('sendgrid', 'SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}'),
    ('jwt', 'eyJ[A-Za-z0-9_-]{10,255}\.eyJ[A-Za-z0-9_-]{10,}'),
    ('telegram', '(^|[^0-9A-Za-z])[0-9]{6,12}:A[A-Za-z][A-Za-z0-9_-]{31,}'),
    ('slack-webhook', 'hooks\.slack\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}'),
    ('discord-webhook', 'discord(app)?\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}'),
    ('private-key', '-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\ \n\r]{40,}'),
    ('url-password', '[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]'),
    ('sk', '(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}'),
    ('bearer', '[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}'),
    ('url-user-info', '[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]'),
    ('url-token', '[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}')
$$;
comment on function private.secret_patterns is 'Patterns of texts that look like a secret, one per row; they work in Postgres and in JavaScript.';
revoke execute on function private.secret_patterns from public, anon, authenticated, service_role;

create function private.looks_secret(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select exists (
    select from private.searched_forms(looks_secret.value) r join private.secret_patterns() p on r.form ~ p.pattern
  );
$$;
comment on function private.looks_secret is 'Whether a short text contains something that looks like a secret.';
revoke execute on function private.looks_secret from public, anon, authenticated, service_role;

create function private.adds_secret(before text, after text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- A match that was in the text before, such as a placeholder, discloses nothing new.
  select private.looks_secret(adds_secret.after) and exists (
    select
    from private.searched_forms(adds_secret.after) r
    cross join private.secret_patterns() p
    cross join lateral regexp_matches(r.form, '(' || p.pattern || ')', 'g') m (found)
    -- guard: hub: a match that was there before is not an added secret
    -- without: where true or not exists (
    -- guard: hub: a secret added beside an old match is found
    -- without: where adds_secret.before is null and not exists (
    where not exists (
    -- end
    -- end
      select from private.searched_forms(coalesce(adds_secret.before, '')) b
      where strpos(b.form, regexp_replace(m.found[1], '^[^A-Za-z0-9]|[^A-Za-z0-9]$', '', 'g')) > 0
    )
  );
$$;
comment on function private.adds_secret is 'Whether an edit of a short text adds something that looks like a secret and was not there before.';
revoke execute on function private.adds_secret from public, anon, authenticated, service_role;

create function private.is_https_url(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select char_length(is_https_url.value) <= 2048
    and is_https_url.value ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?([/?#][!#-;=?-\[\]_a-z~]*)?$';
$$;
comment on function private.is_https_url is 'Whether a text is an https address of at most 2048 ASCII characters, without user name or password.';
revoke execute on function private.is_https_url from public, anon, authenticated, service_role;
-- A check constraint calls it with the role of the writer.
grant execute on function private.is_https_url to authenticated, service_role;

create function private.normalize_tags(tags text[])
returns text[]
language sql
immutable
set search_path = ''
as $$
  -- Keeps the order in which the tags were sent.
  select coalesce(array_agg(t.tag order by t.first), '{}')
  from (
    select n.tag, min(n.position) as first
    from (
      select lower(ltrim(coalesce(private.clean(normalize(u.tag, nfkc)), ''), '#')) as tag, u.position
      from unnest(normalize_tags.tags) with ordinality as u (tag, position)
    ) n
    group by n.tag
  ) t;
$$;
comment on function private.normalize_tags is 'NFKC, lower case, without a leading #, each tag once.';
revoke execute on function private.normalize_tags from public, anon, authenticated, service_role;

create function private.tags_are_valid(tags text[])
returns boolean
language sql
immutable
set search_path = ''
as $$
  select cardinality(tags_are_valid.tags) <= 20
    and coalesce(array_ndims(tags_are_valid.tags), 1) = 1
    and not exists (
      select from unnest(tags_are_valid.tags) u (tag)
      where u.tag is null
        or char_length(u.tag) not between 1 and 64
        or translate(u.tag, '+._:/-', '') ~ '[[:punct:][:space:][:cntrl:]]'
        or u.tag ~ '[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffd]'
    );
$$;
comment on function private.tags_are_valid is 'At most 20 tags of 1 to 64 letters, digits and + . _ : / -, in any script.';
revoke execute on function private.tags_are_valid from public, anon, authenticated, service_role;
-- A check constraint calls it with the role of the writer.
grant execute on function private.tags_are_valid to authenticated, service_role;

create function private.fault(path text, code text, message text)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_array(jsonb_build_object('path', fault.path, 'code', fault.code, 'message', fault.message));
$$;
comment on function private.fault is 'One validation fault, as a list of one element.';
revoke execute on function private.fault from public, anon, authenticated, service_role;

create function private.refuse_faults(faults jsonb)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if refuse_faults.faults <> '[]' then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = jsonb_build_object('errors', refuse_faults.faults)::text;
  end if;
end;
$$;
comment on function private.refuse_faults is 'Raises PT422 validation_failed with all faults; does nothing when there are none.';
revoke execute on function private.refuse_faults from public, anon, authenticated, service_role;

-- The last branch of every `case` on an asset type, so that a type added to the check of hub_assets alone raises an error.
create function private.refuse_asset_type(asset_type text)
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  perform private.refuse_faults(jsonb_build_array(
    private.fault('asset_type', 'invalid_value', 'must be a known asset type')
  ));
  return null;
end;
$$;
comment on function private.refuse_asset_type is 'Raises PT422 validation_failed for an unknown asset type.';
revoke execute on function private.refuse_asset_type from public, anon, authenticated, service_role;
grant execute on function private.refuse_asset_type to authenticated, service_role;

-- supabase/schemas/hub/12_profiles.sql

-- Public profiles of creators. A trigger makes one row for each user. The first user name is made of a word list, so that it
-- discloses nothing about the account.
create function private.username_key(username text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- 0 and o are the same here, and so are 1, i and l: a name that looks like another one is taken.
  select translate(lower(username_key.username), '01i_-', 'oll');
$$;
comment on function private.username_key is 'The form of a user name that must be unique: lower case, no separators, look-alike characters replaced by one of them.';
revoke execute on function private.username_key from public, anon, authenticated, service_role;
-- The unique index calls it with the role of the writer.
grant execute on function private.username_key to authenticated, service_role;

create table public.hub_profiles (
  user_id uuid not null,
  username text not null,
  display_name text,
  avatar_url text,
  created_at timestamptz not null default now(),
  constraint hub_profiles_pkey primary key (user_id),
  constraint hub_profiles_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_profiles_username_check check (username ~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$'),
  constraint hub_profiles_display_name_check check (
    char_length(btrim(display_name)) between 1 and 80 and not private.has_breaks_or_invisible(display_name)
  ),
  constraint hub_profiles_avatar_url_check check (private.is_https_url(avatar_url))
);
comment on table public.hub_profiles is 'Public profile of a creator. A trigger makes one for each user.';
comment on column public.hub_profiles.username is 'ASCII letters, digits, _ and -, 3 to 30; unique by private.username_key.';
comment on column public.hub_profiles.created_at is 'Shown as "member since": when the account was created, or the profile if it was made later.';
alter table public.hub_profiles enable row level security;
revoke all on table public.hub_profiles from public, anon, authenticated, service_role;
grant select on table public.hub_profiles to anon, authenticated, service_role;
grant update (username, display_name, avatar_url) on table public.hub_profiles to authenticated;

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
comment on function private.random_username is 'Two words and a number; discloses nothing about the account.';
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
comment on function private.make_profile is 'Makes a profile with a free name for a user who has none.';
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
  -- guard: hub: a failed profile does not fail the sign-up
  -- without: when division_by_zero then
  when others then
  -- end
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
  -- The lock of the profile serializes the writes of a user, and each of them with a ban of that user.
  loop
    -- guard: hub: a user's writes are serialized
    -- without: perform from public.hub_profiles p where p.user_id = begin_write.user_id;
    perform from public.hub_profiles p where p.user_id = begin_write.user_id for no key update;
    -- end
    exit when found;
    if not exists (select from auth.users u where u.id = begin_write.user_id) then
      -- No caller: an edge function writes for a user. The token was still valid, but the account is deleted.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- guard: hub: a user without a profile gets one on the first write
    -- without: exit;
    perform private.make_profile(begin_write.user_id, null);
    -- end
  end loop;
  -- Lock order: a deletion of the account locks this row first and the profile later. So this lock never waits. It is taken after
  -- the profile's: writers that wait there must not hold it, or two of them could block the deletion by taking turns.
  -- guard: hub: a writer does not wait for an account that is being deleted
  -- without: perform from auth.users u where u.id = begin_write.user_id for key share;
  perform from auth.users u where u.id = begin_write.user_id for key share skip locked;
  -- end
  if not found then
    raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the account is being deleted"}';
  end if;
  if begin_write.allow_banned then
    return;
  end if;
  -- guard: hub: a banned user writes nothing
  -- without: if false then
  if private.is_banned(begin_write.user_id) then
  -- end
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
end;
$$;
comment on function private.begin_write is 'Called first by every write to the hub: locks the profile and the user. Raises 42501 without an account (PT401 invalid_credential when an edge function calls), PT403 banned, PT503 unavailable while the account is being deleted.';
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
begin
  -- guard: hub: a banned user cannot edit the profile
  -- without: if tg_op = 'UPDATE' and new.user_id = (select auth.uid()) and false then
  if tg_op = 'UPDATE' and new.user_id = (select auth.uid()) and private.is_banned(new.user_id) then
  -- end
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
    -- guard: hub: a display name has no invisible characters
    -- without: elsif false then
    elsif private.has_breaks_or_invisible(new.display_name) then
    -- end
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

  if private.adds_secret(before.username, new.username) then
    secrets := secrets || private.fault('username', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.display_name, new.display_name) then
    secrets := secrets || private.fault('display_name', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.avatar_url, new.avatar_url) then
    secrets := secrets || private.fault('avatar_url', 'secret_detected', 'looks like a secret');
  end if;
  -- guard: hub: names are searched for secrets
  -- without: if false then
  if secrets <> '[]' then
  -- end
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;

  if tg_op = 'UPDATE' and private.username_key(new.username) <> private.username_key(old.username) then
    -- Reserved names are compared with rn for m as well; for all names this would refuse too many.
    -- guard: hub: reserved user names
    -- without: if false and private.username_key(new.username) = any (array(
    if private.username_key(new.username) = any (array(
    -- end
      select private.username_key(spelling)
      from unnest('{admin,administrator,anonymous,api,deleted,help,hub,keyhub,mod,moderator,"null",official,operator,owner,root,security,staff,support,system,undefined}'::text[]) reserved
      cross join lateral (values (reserved), (replace(reserved, 'm', 'rn'))) s (spelling)
    )) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
    -- Two users who want one name at once: the second waits for the advisory lock and then finds the name taken here, so that the
    -- unique index raises no error of its own.
    -- guard: hub: two users who take one name at once get username_taken
    -- without: perform pg_catalog.hashtextextended('', 0); perform pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.username), 4));
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.username), 4));
    -- end
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
comment on function private.hub_profiles_before_write is 'Checks the changed columns of a profile. Raises PT403 banned, PT409 username_taken, PT422 validation_failed or secret_detected; never repeats a value.';
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
  -- Its listings would lose their creator. The cascade from auth.users runs after the user is deleted, and is allowed.
  if exists (select from auth.users u where u.id = old.user_id) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = '{"table": "hub_profiles", "verb": "delete", "hint": "delete the user, or update the profile"}';
  end if;
  return old;
end;
$$;
comment on function private.hub_profiles_before_delete is 'A profile is deleted only with its user. Raises PT409 append_only.';
revoke execute on function private.hub_profiles_before_delete from public, anon, authenticated, service_role;

create trigger hub_profiles_before_delete
before delete on public.hub_profiles
for each row execute function private.hub_profiles_before_delete();

-- supabase/schemas/hub/13_events.sql

-- Audit log: what was done to listings and users, and by whom. Append-only. Without foreign keys, so that erasing an asset or
-- deleting an account neither deletes nor changes any entry.
create table public.hub_events (
  id bigint not null generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  action text not null,
  asset_id uuid,
  user_id uuid,
  report_id uuid,
  note text,
  details jsonb not null default '{}',
  constraint hub_events_pkey primary key (id),
  constraint hub_events_action_check check (
    action in (
      'published', 'unpublished', 'republished', 'deleted', 'hidden', 'restored', 'removed', 'erased',
      'report_resolved', 'banned', 'unbanned', 'admin_added', 'admin_removed'
    )
  )
);
comment on table public.hub_events is 'Audit log of moderation and publication. Append-only for every role, also for operators.';
comment on column public.hub_events.actor_id is 'The signed-in user who did it; null for operators and for the system. No foreign key.';
comment on column public.hub_events.user_id is 'The user it was done to. No foreign key.';
comment on column public.hub_events.asset_id is 'The listing it was done to. No foreign key.';
alter table public.hub_events enable row level security;
revoke all on table public.hub_events from public, anon, authenticated, service_role;
grant select on table public.hub_events to authenticated, service_role;
revoke all on sequence public.hub_events_id_seq from public, anon, authenticated, service_role;

create index hub_events_asset_id_idx on public.hub_events (asset_id);
create index hub_events_user_id_idx on public.hub_events (user_id, at);

create policy hub_events_select on public.hub_events for select to authenticated using ((select private.is_admin()));
create policy hub_events_service_select on public.hub_events for select to service_role using (true);

create function private.refuse_change()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- guard: hub: append-only rows are never changed
  -- without: return new; raise exception using
  raise exception using
  -- end
    errcode = 'PT409',
    message = 'append_only',
    detail = jsonb_build_object('table', tg_table_name, 'verb', lower(tg_op))::text;
end;
$$;
comment on function private.refuse_change is 'Refuses the statement, whatever the role. Raises PT409 append_only.';
revoke execute on function private.refuse_change from public, anon, authenticated, service_role;

create trigger hub_events_append_only
before update or delete on public.hub_events
for each row execute function private.refuse_change();
create trigger hub_events_forbid_truncate
before truncate on public.hub_events
for each statement execute function private.refuse_change();

create function private.log_event(
  action text,
  asset_id uuid default null,
  user_id uuid default null,
  report_id uuid default null,
  details jsonb default '{}',
  by_system boolean default false
)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into public.hub_events (actor_id, action, asset_id, user_id, report_id, note, details)
  values (
    case when not log_event.by_system then (select auth.uid()) end,
    log_event.action,
    log_event.asset_id,
    log_event.user_id,
    log_event.report_id,
    -- Set by set_audit_note: an RPC's note for the triggers of its statement.
    nullif(current_setting('keyhub.note', true), ''),
    log_event.details
  );
$$;
comment on function private.log_event is 'Adds an entry to the audit log.';
revoke execute on function private.log_event from public, anon, authenticated, service_role;

create function private.set_audit_note(note text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if char_length(set_audit_note.note) > 1000 then
    perform private.refuse_faults(private.fault('note', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform set_config('keyhub.note', coalesce(private.clean(set_audit_note.note), ''), true);
end;
$$;
comment on function private.set_audit_note is 'Stores an admin''s note for the entries that this transaction adds to the audit log.';
revoke execute on function private.set_audit_note from public, anon, authenticated, service_role;

create function private.log_admins()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    perform private.log_event('admin_removed', user_id => old.user_id);
  end if;
  if tg_op <> 'DELETE' then
    perform private.log_event('admin_added', user_id => new.user_id);
  end if;
  return null;
end;
$$;
comment on function private.log_admins is 'Logs users who became an admin and users who stopped being one.';
revoke execute on function private.log_admins from public, anon, authenticated, service_role;

create trigger hub_admins_log
after insert or update or delete on public.hub_admins
for each row execute function private.log_admins();
-- TRUNCATE fires no row trigger: all admins would be removed without an entry in the audit log.
create trigger hub_admins_forbid_truncate
before truncate on public.hub_admins
for each statement execute function private.refuse_change();

-- supabase/schemas/hub/20_assets.sql

-- The central registry: one row for each source item that was ever published or imported. is_visible alone means "public on
-- the hub"; policies, indexes and functions use it and no other condition.
--
-- Triggers maintain every column that clients do not write, so that an edit in the dashboard is as safe as an RPC.
-- The lock order is in docs/design/locks.md.
create table public.hub_assets (
  id uuid not null default gen_random_uuid(),
  asset_type text not null,
  ref_id uuid not null,
  creator_id uuid,
  slug text not null,
  title text not null,
  description text,
  tags text[] not null default '{}',
  thumbnail_url text,
  source_asset_id uuid,
  parent_asset_id uuid,
  remix_depth integer not null default 0,
  is_public boolean not null default false,
  published_at timestamptz,
  is_hidden boolean not null default false,
  license text not null default 'platform-free',
  price_cents integer not null default 0,
  payment_product_id text,
  install_count integer not null default 0,
  star_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  current_version integer not null default 0,
  attribution jsonb,
  hidden_reason text,
  hidden_at timestamptz,
  hidden_by_ban boolean not null default false,
  content_updated_at timestamptz,
  deleted_at timestamptz,
  is_visible boolean not null generated always as (is_public and not is_hidden and not hidden_by_ban and deleted_at is null) stored,
  constraint hub_assets_pkey primary key (id),
  constraint hub_assets_slug_key unique (slug),
  constraint hub_assets_source_item_key unique (asset_type, ref_id),
  constraint hub_assets_creator_id_fkey foreign key (creator_id) references auth.users (id) on delete set null,
  -- The same column again: lets the API embed the creator's profile in a listing.
  constraint hub_assets_creator_profile_fkey foreign key (creator_id) references public.hub_profiles (user_id) on delete set null,
  constraint hub_assets_source_asset_id_fkey foreign key (source_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_parent_asset_id_fkey foreign key (parent_asset_id) references public.hub_assets (id) on delete set null,
  constraint hub_assets_asset_type_check check (asset_type in ('orchestration', 'template', 'component', 'ai_preset')),
  constraint hub_assets_slug_check check (char_length(slug) <= 80 and slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint hub_assets_title_check check (char_length(title) between 1 and 120),
  constraint hub_assets_description_check check (char_length(description) between 1 and 2000),
  constraint hub_assets_tags_check check (private.tags_are_valid(tags)),
  constraint hub_assets_thumbnail_url_check check (private.is_https_url(thumbnail_url)),
  constraint hub_assets_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_assets_price_cents_check check (price_cents >= 0 and (price_cents = 0 or license = 'paid')),
  constraint hub_assets_counts_check check (install_count >= 0 and star_count >= 0),
  constraint hub_assets_current_version_check check (current_version >= 0),
  constraint hub_assets_public_check check (
    not is_public or (published_at is not null and current_version >= 1 and deleted_at is null)
  ),
  constraint hub_assets_hidden_check check (is_hidden = (hidden_at is not null) and is_hidden = (hidden_reason is not null)),
  constraint hub_assets_hidden_reason_check check (
    hidden_reason in ('reports', 'moderator', 'spam', 'inappropriate', 'copyright', 'malicious_code', 'other', 'removed')
  ),
  constraint hub_assets_removed_check check (hidden_reason <> 'removed' or deleted_at is not null),
  constraint hub_assets_lineage_check check (
    remix_depth >= 0
    and (parent_asset_id is null or remix_depth >= 1)
    and source_asset_id <> id
    and parent_asset_id <> id
  ),
  constraint hub_assets_attribution_check check (
    jsonb_typeof(attribution) = 'object' and octet_length(attribution::text) <= 262144
  )
);
comment on table public.hub_assets is 'Central registry of the hub: listings, private rows of imported copies, and tombstones. Readers see the rows with is_visible.';
comment on column public.hub_assets.ref_id is 'The row in the source table of asset_type. No foreign key: a listing stays when its source is deleted.';
comment on column public.hub_assets.slug is 'Part of the permalink. Made at the first publication; unique, also among tombstones.';
comment on column public.hub_assets.source_asset_id is 'The root of the lineage, however long it is.';
comment on column public.hub_assets.parent_asset_id is 'The direct parent of a remix.';
comment on column public.hub_assets.published_at is 'First publication; republishing does not change it.';
comment on column public.hub_assets.is_hidden is 'Hidden by moderation. Clearing it restores the listing and dismisses its open reports.';
comment on column public.hub_assets.install_count is 'Distinct signed-in users other than the creator who imported it. Maintained by trigger.';
comment on column public.hub_assets.star_count is 'Rows of hub_stars. Maintained by trigger.';
comment on column public.hub_assets.updated_at is 'Last change of the row, counters excepted.';
comment on column public.hub_assets.current_version is 'The version that readers see; 0 before the first publication. An operator may set it back to an older stored version.';
comment on column public.hub_assets.attribution is 'What this was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once.';
comment on column public.hub_assets.hidden_reason is 'reports, moderator, the reason of an upheld report, or removed. The owner can read it.';
comment on column public.hub_assets.hidden_by_ban is 'The creator is banned. Maintained from private.hub_bans; kept when a banned creator deletes the account.';
comment on column public.hub_assets.content_updated_at is 'When the current version was published.';
comment on column public.hub_assets.deleted_at is 'When the listing became a tombstone: its content is deleted, id and slug stay. Triggers do this when the column is set.';
comment on column public.hub_assets.is_visible is 'Public on the hub: the only predicate that policies, indexes and functions use for that.';
alter table public.hub_assets enable row level security;
revoke all on table public.hub_assets from public, anon, authenticated, service_role;
grant select on table public.hub_assets to anon, authenticated, service_role;
grant update (title, description, tags, thumbnail_url) on table public.hub_assets to authenticated;

create index hub_assets_creator_id_idx on public.hub_assets (creator_id);
create index hub_assets_source_asset_id_idx on public.hub_assets (source_asset_id) where source_asset_id is not null;
create index hub_assets_parent_asset_id_idx on public.hub_assets (parent_asset_id) where parent_asset_id is not null;
create index hub_assets_newest_idx on public.hub_assets (published_at desc, id desc) where is_visible;

create policy hub_assets_select_anon on public.hub_assets for select to anon using (is_visible);
create policy hub_assets_select on public.hub_assets for select to authenticated
using (is_visible or (deleted_at is null and (creator_id = (select auth.uid()) or (select private.is_admin()))));
create policy hub_assets_update on public.hub_assets for update to authenticated
using (deleted_at is null and creator_id = (select auth.uid()) and (select private.is_member()))
with check (creator_id = (select auth.uid()));
create policy hub_assets_service_select on public.hub_assets for select to service_role using (true);

-- supabase/schemas/hub/20_assets_edits.sql

-- Only changed columns are checked: an old value, such as a placeholder that looks like a secret, does not block an edit of
-- another column. Secrets are searched for in the values as sent and as stored.
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
  -- Row level security leaves only the caller's own rows here; edge functions have checked the ban before.
  -- guard: hub: a banned owner cannot edit a listing
  -- without: if tg_op = 'UPDATE' and new.creator_id = (select auth.uid()) and false then
  if tg_op = 'UPDATE' and new.creator_id = (select auth.uid()) and private.is_banned(new.creator_id) then
  -- end
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
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

  -- guard: hub: a title that does not change is not checked
  -- without: if true then
  if tg_op = 'INSERT' or new.title is distinct from before.title then
  -- end
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    -- guard: hub: a title has no invisible characters
    -- without: elsif false then
    elsif private.has_breaks_or_invisible(new.title) then
    -- end
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    -- guard: hub: a description has no invisible characters
    -- without: elsif false then
    elsif private.has_invisible_characters(new.description) then
    -- end
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and new.published_at is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      -- guard: hub: a tag has no invisible characters
      -- without: or exists (select from unnest(new.tags) u (tag) where  u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
      or exists (select from unnest(new.tags) u (tag) where private.has_breaks_or_invisible(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
      -- end
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

  -- Edge functions have removed secrets by more exact rules before, which leave placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Also the tags as sent: some secrets do not match their pattern in lower case.
  -- guard: hub: tags are searched for secrets as sent
  -- without: if false
  if private.adds_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
  -- end
    or private.adds_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  -- guard: hub: edits are searched for secrets
  -- without: if false then
  if secrets <> '[]' then
  -- end
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_check_text is 'Normalises and checks the changed ones of title, description, tags and thumbnail. Raises PT403 banned, PT422 validation_failed or secret_detected; never repeats a value.';
revoke execute on function private.hub_assets_check_text from public, anon, authenticated, service_role;

create trigger hub_assets_10_check_text
before insert or update of title, description, tags, thumbnail_url on public.hub_assets
for each row execute function private.hub_assets_check_text();

-- One statement of a client may edit several listings and would lock them in any order. So all of the caller's listings are
-- locked first, in the order of ids.
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
  -- guard: hub: an owner's edit keeps the lock order
  -- without: if false then
  if editor is not null then
  -- end
    perform private.begin_write(editor);
    perform from public.hub_assets a where a.creator_id = editor order by a.id for no key update;
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_begin_edit is 'Takes the locks of an owner''s edit in the lock order of all writes. Raises PT403 banned.';
revoke execute on function private.hub_assets_begin_edit from public, anon, authenticated, service_role;

create trigger hub_assets_begin_edit
before update of title, description, tags, thumbnail_url on public.hub_assets
for each statement execute function private.hub_assets_begin_edit();

-- supabase/schemas/hub/20_assets_guards.sql

-- Columns that depend on others, and columns that never change. Does not fire when a counter changes.
create function private.hub_assets_guard()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- install_count depends on the creator. creator_id becomes null with the account and never changes otherwise.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    -- guard: hub: attribution is written once
    -- without: if false and new.attribution is distinct from old.attribution then
    if old.attribution is not null and new.attribution is distinct from old.attribution then
    -- end
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is set when a copy is made or first published. Later a reference can only become null, when its asset is erased.
    -- guard: hub: lineage is fixed with the first publication
    -- without: if false and (
    -- guard: hub: lineage stays fixed when current_version is set to 0
    -- without: if old.current_version > 0 and (
    if (old.current_version > 0 or old.published_at is not null) and (
    -- end
    -- end
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- Never cleared: an asset without published_at counts as not published, and the next publication would change its slug.
    -- guard: hub: a published listing keeps its slug
    new.published_at := coalesce(new.published_at, old.published_at);
    -- end
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- Without a creator the ban cannot be looked up any more: the old value stays.
  if new.creator_id is not null then
    -- guard: hub: hidden_by_ban is derived from the bans
    new.hidden_by_ban := private.is_banned(new.creator_id);
    -- end
  elsif tg_op = 'UPDATE' then
    -- guard: hub: hidden_by_ban is kept when the account is deleted
    new.hidden_by_ban := old.hidden_by_ban;
    -- end
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard is 'Maintains dependent columns under any edit and refuses changes of fixed columns. Raises PT409 asset_is_fixed.';
revoke execute on function private.hub_assets_guard from public, anon, authenticated, service_role;

create trigger hub_assets_25_guard_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard();
create trigger hub_assets_30_guard_update
before update of id, asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, source_asset_id,
  parent_asset_id, remix_depth, is_public, published_at, is_hidden, license, price_cents, payment_product_id, created_at,
  updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at
on public.hub_assets
for each row execute function private.hub_assets_guard();

-- Only the triggers of the counted tables change counters; they run at a trigger depth above 1.
create function private.hub_assets_guard_counters()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.star_count := 0;
    new.install_count := 0;
  -- guard: hub: counters cannot be edited by hand
  -- without: elsif false then
  elsif pg_trigger_depth() = 1 then
  -- end
    new.star_count := old.star_count;
    new.install_count := old.install_count;
  end if;
  return new;
end;
$$;
comment on function private.hub_assets_guard_counters is 'A counter that is edited by hand keeps its value.';
revoke execute on function private.hub_assets_guard_counters from public, anon, authenticated, service_role;

create trigger hub_assets_15_guard_counters_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_guard_counters();
create trigger hub_assets_20_guard_counters_update
before update of star_count, install_count on public.hub_assets
for each row execute function private.hub_assets_guard_counters();

-- The audit log.
create function private.hub_assets_log()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  if new.current_version > old.current_version then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif new.is_public and not old.is_public then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif old.is_public and not new.is_public and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id);
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason),
      -- The threshold hides it, not the user who sent the last report.
      by_system => new.hidden_reason = 'reports');
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_log is 'Logs publication and moderation, also when done by an edit of the row.';
revoke execute on function private.hub_assets_log from public, anon, authenticated, service_role;

create trigger hub_assets_55_log_insert_delete
after insert or delete on public.hub_assets
for each row execute function private.hub_assets_log();
create trigger hub_assets_60_log_update
after update of is_public, current_version, is_hidden, hidden_reason, deleted_at on public.hub_assets
for each row execute function private.hub_assets_log();
-- TRUNCATE fires no row trigger, and with cascade would empty stars, reports and copies as well.
create trigger hub_assets_forbid_truncate
before truncate on public.hub_assets
for each statement execute function private.refuse_change();

-- supabase/schemas/hub/21_versions.sql

-- What readers and importers get: immutable snapshots. Source rows are read by their owner only. Snapshots are deleted only with
-- their listing.
create table public.hub_imports (
  id uuid not null default gen_random_uuid(),
  asset_id uuid not null,
  user_id uuid not null,
  version integer not null,
  mode text not null,
  created jsonb not null default '[]',
  counts boolean not null default false,
  created_at timestamptz not null default now(),
  constraint hub_imports_pkey primary key (id),
  constraint hub_imports_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_imports_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_imports_version_check check (version >= 1),
  constraint hub_imports_mode_check check (mode in ('use', 'remix')),
  constraint hub_imports_created_check check (jsonb_typeof(created) = 'array')
);
comment on table public.hub_imports is 'Who imported what: one row for each import. The asset''s install_count is the number of rows with counts.';
comment on column public.hub_imports.created is 'The rows that the import made: [{asset_type, table, id, hub_asset_id, title}].';
comment on column public.hub_imports.counts is 'Whether the row is counted: one row for each user other than the creator. Maintained by trigger.';
alter table public.hub_imports enable row level security;
revoke all on table public.hub_imports from public, anon, authenticated, service_role;
grant select on table public.hub_imports to authenticated, service_role;

create unique index hub_imports_counting_key on public.hub_imports (asset_id, user_id) where counts;
create index hub_imports_asset_id_idx on public.hub_imports (asset_id, user_id);
create index hub_imports_user_id_idx on public.hub_imports (user_id);

create policy hub_imports_select on public.hub_imports for select to authenticated using (user_id = (select auth.uid()));
create policy hub_imports_service_select on public.hub_imports for select to service_role using (true);

create table public.hub_asset_versions (
  asset_id uuid not null,
  version integer not null,
  payload jsonb not null,
  sha256 text not null,
  license text not null,
  scan jsonb,
  created_at timestamptz not null default now(),
  constraint hub_asset_versions_pkey primary key (asset_id, version),
  constraint hub_asset_versions_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_asset_versions_version_check check (version >= 1),
  constraint hub_asset_versions_payload_check check (jsonb_typeof(payload) = 'object'),
  constraint hub_asset_versions_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_asset_versions_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_asset_versions_scan_check check (jsonb_typeof(scan) = 'object')
);
comment on table public.hub_asset_versions is 'Published snapshots, with secrets removed. Never updated; deleted only with the listing. The current version is public.';
comment on column public.hub_asset_versions.sha256 is 'SHA-256 of the payload''s canonical form (RFC 8785).';
comment on column public.hub_asset_versions.scan is 'Findings of the component scan: rules and lines, and whether the publisher confirmed them. Importers are warned of them.';
alter table public.hub_asset_versions enable row level security;
revoke all on table public.hub_asset_versions from public, anon, authenticated, service_role;
grant select on table public.hub_asset_versions to anon, authenticated, service_role;

create table public.hub_bundle_items (
  asset_id uuid not null,
  version integer not null,
  position integer not null,
  asset_type text not null,
  ref_id uuid not null,
  title text not null,
  payload jsonb not null,
  sha256 text not null,
  license text not null,
  attribution jsonb,
  constraint hub_bundle_items_pkey primary key (asset_id, version, position),
  constraint hub_bundle_items_version_fkey foreign key (asset_id, version) references public.hub_asset_versions (asset_id, version) on delete cascade,
  constraint hub_bundle_items_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_bundle_items_position_check check (position between 1 and 50),
  constraint hub_bundle_items_asset_type_check check (asset_type in ('orchestration', 'template', 'component', 'ai_preset')),
  constraint hub_bundle_items_title_check check (char_length(title) between 1 and 120),
  constraint hub_bundle_items_payload_check check (jsonb_typeof(payload) = 'object'),
  constraint hub_bundle_items_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_bundle_items_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_bundle_items_attribution_check check (jsonb_typeof(attribution) = 'object')
);
comment on table public.hub_bundle_items is 'The items of a kit, as snapshots. Never updated; deleted only with the listing.';
comment on column public.hub_bundle_items.attribution is 'Attribution of the item itself, as in hub_assets. Null when the item is an original of the kit''s creator.';
comment on column public.hub_bundle_items.license is 'The license for using the item without the kit.';
alter table public.hub_bundle_items enable row level security;
revoke all on table public.hub_bundle_items from public, anon, authenticated, service_role;
grant select on table public.hub_bundle_items to anon, authenticated, service_role;

create table public.hub_receipts (
  asset_id uuid not null,
  version integer not null,
  redactions jsonb not null default '[]',
  created_at timestamptz not null default now(),
  constraint hub_receipts_pkey primary key (asset_id, version),
  constraint hub_receipts_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_receipts_redactions_check check (jsonb_typeof(redactions) = 'array')
);
comment on table public.hub_receipts is 'What was removed from a publication, for the owner: [{path, rule}], never a value.';
alter table public.hub_receipts enable row level security;
revoke all on table public.hub_receipts from public, anon, authenticated, service_role;
grant select on table public.hub_receipts to authenticated, service_role;

create policy hub_asset_versions_select_anon on public.hub_asset_versions for select to anon
using (exists (
  select from public.hub_assets a
  where a.id = hub_asset_versions.asset_id and a.is_visible and a.current_version = hub_asset_versions.version
));
create policy hub_asset_versions_select on public.hub_asset_versions for select to authenticated
using (exists (
  select from public.hub_assets a
  where a.id = hub_asset_versions.asset_id
    and (
      (a.is_visible and a.current_version = hub_asset_versions.version)
      or (a.deleted_at is null and (a.creator_id = (select auth.uid()) or (select private.is_admin())))
      or (a.is_visible and exists (
        select from public.hub_imports i where i.asset_id = a.id and i.user_id = (select auth.uid())
      ))
    )
));
create policy hub_asset_versions_service_select on public.hub_asset_versions for select to service_role using (true);
-- Items are visible with their version.
create policy hub_bundle_items_select_anon on public.hub_bundle_items for select to anon
using (exists (
  select from public.hub_asset_versions v
  where v.asset_id = hub_bundle_items.asset_id and v.version = hub_bundle_items.version
));
create policy hub_bundle_items_select on public.hub_bundle_items for select to authenticated
using (exists (
  select from public.hub_asset_versions v
  where v.asset_id = hub_bundle_items.asset_id and v.version = hub_bundle_items.version
));
create policy hub_bundle_items_service_select on public.hub_bundle_items for select to service_role using (true);
create policy hub_receipts_select on public.hub_receipts for select to authenticated
using (exists (
  select from public.hub_assets a
  where a.id = hub_receipts.asset_id and a.deleted_at is null and a.creator_id = (select auth.uid())
));
create policy hub_receipts_service_select on public.hub_receipts for select to service_role using (true);

create function private.refuse_snapshot_delete()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- guard: hub: a snapshot is deleted only with its listing
  -- without: if false and exists (select from public.hub_assets a where a.id = old.asset_id and a.deleted_at is null) then
  if exists (select from public.hub_assets a where a.id = old.asset_id and a.deleted_at is null) then
  -- end
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'delete')::text;
  end if;
  return old;
end;
$$;
comment on function private.refuse_snapshot_delete is 'Refuses to delete a snapshot whose listing is there. Raises PT409 append_only.';
revoke execute on function private.refuse_snapshot_delete from public, anon, authenticated, service_role;

create trigger hub_asset_versions_forbid_update before update on public.hub_asset_versions
for each row execute function private.refuse_change();
create trigger hub_asset_versions_forbid_delete before delete on public.hub_asset_versions
for each row execute function private.refuse_snapshot_delete();
create trigger hub_asset_versions_forbid_truncate before truncate on public.hub_asset_versions
for each statement execute function private.refuse_change();
create trigger hub_bundle_items_forbid_update before update on public.hub_bundle_items
for each row execute function private.refuse_change();
create trigger hub_bundle_items_forbid_delete before delete on public.hub_bundle_items
for each row execute function private.refuse_snapshot_delete();
create trigger hub_bundle_items_forbid_truncate before truncate on public.hub_bundle_items
for each statement execute function private.refuse_change();
create trigger hub_receipts_forbid_update before update on public.hub_receipts
for each row execute function private.refuse_change();
create trigger hub_receipts_forbid_delete before delete on public.hub_receipts
for each row execute function private.refuse_snapshot_delete();
create trigger hub_receipts_forbid_truncate before truncate on public.hub_receipts
for each statement execute function private.refuse_change();

-- Invariant: a public listing has its current version stored. Deferred to the commit, because a publication writes the listing
-- before its version.
create function private.hub_assets_have_content()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- guard: hub: a public listing has its current version
  -- without: if false and exists (
  if exists (
  -- end
    select from public.hub_assets a
    where a.id = new.id
      and a.is_public
      and not exists (
        select from public.hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "a listing is public with a stored version as its current one; publishing makes one"}';
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_have_content is 'Refuses a public listing whose current version is not stored. Raises PT409 version_missing.';
revoke execute on function private.hub_assets_have_content from public, anon, authenticated, service_role;

create constraint trigger hub_assets_50_have_content
after insert or update of is_public, current_version, deleted_at on public.hub_assets
deferrable initially deferred
for each row when (new.is_public)
execute function private.hub_assets_have_content();

-- supabase/schemas/hub/22_stars.sql

-- Stars. star_count changes by the number of rows added or removed. It is not recounted: two concurrent recounts would miss each
-- other's rows.
create table public.hub_stars (
  asset_id uuid not null,
  user_id uuid not null default auth.uid(),
  starred_at timestamptz not null default now(),
  constraint hub_stars_pkey primary key (asset_id, user_id),
  constraint hub_stars_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_stars_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table public.hub_stars is 'One star per user and asset. Starring is idempotent.';
alter table public.hub_stars enable row level security;
revoke all on table public.hub_stars from public, anon, authenticated, service_role;
grant select, insert (asset_id, user_id), delete on table public.hub_stars to authenticated;
grant select on table public.hub_stars to service_role;

create index hub_stars_user_id_idx on public.hub_stars (user_id);

create policy hub_stars_select on public.hub_stars for select to authenticated using (user_id = (select auth.uid()));
-- The subquery runs with the caller's rights, so that a hidden asset and a missing one give the same error.
create policy hub_stars_insert on public.hub_stars for insert to authenticated
with check (
  user_id = (select auth.uid())
  and (select private.is_member())
  and exists (select from public.hub_assets a where a.id = hub_stars.asset_id and a.is_visible)
);
create policy hub_stars_delete on public.hub_stars for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy hub_stars_service_select on public.hub_stars for select to service_role using (true);

create function private.hub_stars_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  -- guard: hub: a star in another user's name discloses nothing
  -- without: if (select auth.uid()) is not null and (false or not private.is_member()) then
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
  -- end
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and a.is_visible)
  then
    -- Starred already: idempotent, also for an insert without "on conflict". The lock of begin_write excludes a race.
    -- guard: hub: a second star is idempotent
    -- without: return new;
    return null;
    -- end
  end if;
  return new;
end;
$$;
comment on function private.hub_stars_before_insert is 'Makes starring idempotent. Raises PT403 banned.';
revoke execute on function private.hub_stars_before_insert from public, anon, authenticated, service_role;

create trigger hub_stars_before_insert
before insert on public.hub_stars
for each row execute function private.hub_stars_before_insert();

create function private.refuse_banned()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Not in a cascade: a banned user may still delete rows of their workspace.
  -- guard: hub: a cascade that deletes a banned user's stars is allowed
  -- without: if (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
  if pg_trigger_depth() = 1 and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
  -- end
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  return null;
end;
$$;
comment on function private.refuse_banned is 'Raises PT403 banned for a banned caller; row level security alone would silently find no row.';
revoke execute on function private.refuse_banned from public, anon, authenticated, service_role;

create trigger hub_stars_refuse_banned
before delete on public.hub_stars
for each statement execute function private.refuse_banned();

-- Once per statement, and assets are locked in the order of ids: two statements with several stars cannot deadlock.
create function private.count_stars()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    -- guard: hub: stars lock their assets in the order of ids
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- end
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    -- guard: hub: visibility is re-checked under the lock for a star
    -- without: if false then
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not a.is_visible) then
    -- end
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_stars"';
    end if;
    update public.hub_assets a
    set star_count = a.star_count + s.stars
    from (select n.asset_id, count(*)::integer as stars from added n group by n.asset_id) s
    where a.id = s.asset_id;
  else
    perform from public.hub_assets a where a.id in (select s.asset_id from removed s) order by a.id for no key update;
    update public.hub_assets a
    set star_count = a.star_count - s.stars
    from (select o.asset_id, count(*)::integer as stars from removed o group by o.asset_id) s
    where a.id = s.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_stars is 'Changes star_count by the number of stars added or removed.';
revoke execute on function private.count_stars from public, anon, authenticated, service_role;

create trigger hub_stars_count_added after insert on public.hub_stars
referencing new table as added for each statement execute function private.count_stars();
create trigger hub_stars_count_removed after delete on public.hub_stars
referencing old table as removed for each statement execute function private.count_stars();

create function private.hub_stars_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_stars", "hint": "delete the star and insert another"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_stars_before_update is 'Refuses to move a star to another asset or user. Raises PT409 append_only.';
revoke execute on function private.hub_stars_before_update from public, anon, authenticated, service_role;

create trigger hub_stars_before_update
before update on public.hub_stars
for each row execute function private.hub_stars_before_update();

create function private.reset_star_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_assets a set star_count = 0 where a.star_count <> 0;
  return null;
end;
$$;
comment on function private.reset_star_counts is 'Sets the counters to 0 when the table is truncated.';
revoke execute on function private.reset_star_counts from public, anon, authenticated, service_role;

create trigger hub_stars_reset_on_truncate
after truncate on public.hub_stars
for each statement execute function private.reset_star_counts();

-- supabase/schemas/hub/23_installs.sql

-- install_count: distinct signed-in users other than the creator. One row of each user is counted. Which one is decided under the
-- lock of the asset, where concurrent imports see each other's rows.
create function private.hub_imports_before_write()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.counts := false;
  elsif (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_imports"}';
  elsif pg_trigger_depth() = 1 then
    new.counts := old.counts;
  end if;
  return new;
end;
$$;
comment on function private.hub_imports_before_write is 'Refuses to move an import to another asset or user, and ignores edits of counts. Raises PT409 append_only.';
revoke execute on function private.hub_imports_before_write from public, anon, authenticated, service_role;

create trigger hub_imports_before_write
before insert or update on public.hub_imports
for each row execute function private.hub_imports_before_write();

create function private.count_installs()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  if tg_op = 'INSERT' then
    -- guard: hub: the counted import is chosen under the lock of the asset
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- end
    with first as (
      select distinct on (n.asset_id, n.user_id) n.id, n.asset_id
      from added n
      join public.hub_assets a on a.id = n.asset_id
      -- guard: hub: the creator's own import is not counted
      -- without: where not exists (
      where n.user_id is distinct from a.creator_id
        and not exists (
      -- end
          select from public.hub_imports i
          where i.asset_id = n.asset_id and i.user_id = n.user_id and i.counts
        )
      order by n.asset_id, n.user_id, n.id
    ),
    counted as (
      update public.hub_imports i set counts = true from first f where i.id = f.id
    )
    update public.hub_assets a
    set install_count = a.install_count + c.users
    from (select f.asset_id, count(*)::integer as users from first f group by f.asset_id) c
    where a.id = c.asset_id;
  else
    -- A counted row was deleted: another row of the same user takes its place, so all of them are locked. Lock order: a
    -- concurrent delete holds such a row and then waits for the asset. So rows are not waited for under the lock of the asset: on
    -- a lock conflict all locks are released and taken again.
    loop
      begin
        perform from public.hub_assets a where a.id in (select o.asset_id from removed o) order by a.id for no key update;
        select count(*) into locked from (
          select from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
          for no key update skip locked
        ) h;
        exit when locked = (
          select count(*) from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
        );
        raise exception using errcode = 'KH001', message = 'lock_conflict';
      exception
        when sqlstate 'KH001' then
          if clock_timestamp() > started + interval '5 seconds' then
            raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on an import, retries exhausted"}';
          end if;
          perform pg_sleep(0.01);
      end;
    end loop;
    -- A user with other imports of the asset is still counted, by the oldest of them.
    with lost as (
      select o.asset_id, o.user_id from removed o where o.counts
    ),
    oldest as (
      select distinct on (i.asset_id, i.user_id) i.id
      from lost l
      join public.hub_imports i on i.asset_id = l.asset_id and i.user_id = l.user_id
      order by i.asset_id, i.user_id, i.created_at, i.id
    ),
    heirs as (
      update public.hub_imports i set counts = true from oldest o where i.id = o.id
      returning i.asset_id, i.user_id
    )
    update public.hub_assets a
    set install_count = a.install_count - g.users
    from (
      select l.asset_id, count(*)::integer as users
      from lost l
      -- guard: hub: another import of the user is counted instead of a deleted one
      where not exists (select from heirs h where h.asset_id = l.asset_id and h.user_id = l.user_id)
      -- end
      group by l.asset_id
    ) g
    where a.id = g.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_installs is 'Adds 1 to install_count with the first import of a user, and takes 1 off when their last one is deleted.';
revoke execute on function private.count_installs from public, anon, authenticated, service_role;

create trigger hub_imports_count_added after insert on public.hub_imports
referencing new table as added for each statement execute function private.count_installs();
create trigger hub_imports_count_removed after delete on public.hub_imports
referencing old table as removed for each statement execute function private.count_installs();

create function private.reset_install_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_assets a set install_count = 0 where a.install_count <> 0;
  return null;
end;
$$;
comment on function private.reset_install_counts is 'Sets the counters to 0 when the table is truncated.';
revoke execute on function private.reset_install_counts from public, anon, authenticated, service_role;

create trigger hub_imports_reset_on_truncate
after truncate on public.hub_imports
for each statement execute function private.reset_install_counts();

-- Planned for the payment phase.
create table public.hub_purchases (
  user_id uuid not null,
  asset_id uuid not null,
  version integer not null,
  price_cents integer not null,
  currency text not null,
  provider_reference text,
  purchased_at timestamptz not null default now(),
  constraint hub_purchases_pkey primary key (user_id, asset_id),
  constraint hub_purchases_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_purchases_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_purchases_price_cents_check check (price_cents >= 0),
  constraint hub_purchases_currency_check check (currency ~ '^[A-Z]{3}$')
);
comment on table public.hub_purchases is 'Who bought what. Planned: nothing writes it yet.';
alter table public.hub_purchases enable row level security;
revoke all on table public.hub_purchases from public, anon, authenticated, service_role;
grant select on table public.hub_purchases to authenticated, service_role;

create index hub_purchases_asset_id_idx on public.hub_purchases (asset_id);

create policy hub_purchases_select on public.hub_purchases for select to authenticated using (user_id = (select auth.uid()));
create policy hub_purchases_service_select on public.hub_purchases for select to service_role using (true);

create table public.hub_featured (
  asset_id uuid not null,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  constraint hub_featured_pkey primary key (asset_id),
  constraint hub_featured_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table public.hub_featured is 'The curated collection of the landing page, in order of position. Edited by operators.';
alter table public.hub_featured enable row level security;
revoke all on table public.hub_featured from public, anon, authenticated, service_role;
grant select on table public.hub_featured to anon, authenticated, service_role;

create policy hub_featured_select on public.hub_featured for select to anon, authenticated
using (exists (select from public.hub_assets a where a.id = hub_featured.asset_id and a.is_visible));
create policy hub_featured_service_select on public.hub_featured for select to service_role using (true);

-- supabase/schemas/hub/24_moderation.sql

-- How many reports are open on an asset. Not in hub_assets, where everybody who sees a row may read all of its columns. The
-- triggers of hub_reports change the counts.
create table private.hub_moderation (
  asset_id uuid not null,
  open_reports integer not null default 0,
  counting_reports integer not null default 0,
  reviewed_version integer not null default 0,
  reviewed_at timestamptz,
  constraint hub_moderation_pkey primary key (asset_id),
  constraint hub_moderation_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_moderation_counts_check check (counting_reports between 0 and open_reports)
);
comment on table private.hub_moderation is 'One row per asset, inserted with it. At five counted reports the asset is hidden.';
comment on column private.hub_moderation.open_reports is 'Unresolved reports. Maintained by trigger.';
comment on column private.hub_moderation.counting_reports is 'Unresolved reports that count towards hiding. Maintained by trigger.';
comment on column private.hub_moderation.reviewed_version is 'The version that was current when the asset was last restored.';
comment on column private.hub_moderation.reviewed_at is 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version.';
alter table private.hub_moderation enable row level security;
revoke all on table private.hub_moderation from public, anon, authenticated, service_role;
grant select on table private.hub_moderation to service_role;

create policy hub_moderation_service_select on private.hub_moderation for select to service_role using (true);

create function private.make_moderation()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into private.hub_moderation (asset_id) values (new.id);
  return null;
end;
$$;
comment on function private.make_moderation is 'Inserts the moderation row of a new asset.';
revoke execute on function private.make_moderation from public, anon, authenticated, service_role;

create trigger hub_assets_65_make_moderation
after insert on public.hub_assets
for each row execute function private.make_moderation();

-- A moderation row is deleted only with its asset, and its counts cannot be edited by hand.
create function private.protect_moderation()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if pg_trigger_depth() = 1 then
      new.open_reports := old.open_reports;
      new.counting_reports := old.counting_reports;
    end if;
    new.asset_id := old.asset_id;
    return new;
  end if;
  if exists (select from public.hub_assets a where a.id = old.asset_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_moderation"}';
  end if;
  return old;
end;
$$;
comment on function private.protect_moderation is 'Ignores edits of the counts by hand; refuses to delete the row of an existing asset. Raises PT409 append_only.';
revoke execute on function private.protect_moderation from public, anon, authenticated, service_role;

create trigger hub_moderation_protect
before update or delete on private.hub_moderation
for each row execute function private.protect_moderation();
create trigger hub_moderation_forbid_truncate
before truncate on private.hub_moderation
for each statement execute function private.refuse_change();

-- supabase/schemas/hub/25_reports.sql

-- Reports of listings: what a reporter may send, what is answered, and how a report is closed.
create table public.hub_reports (
  id uuid not null default gen_random_uuid(),
  asset_id uuid not null,
  reporter_id uuid default auth.uid(),
  reason text not null,
  details text,
  created_at timestamptz not null default now(),
  resolved boolean not null default false,
  resolved_by uuid,
  version integer not null default 0,
  outcome text,
  note text,
  counts boolean not null default true,
  constraint hub_reports_pkey primary key (id),
  constraint hub_reports_reporter_id_fkey foreign key (reporter_id) references auth.users (id) on delete set null,
  constraint hub_reports_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_reports_resolved_by_fkey foreign key (resolved_by) references auth.users (id) on delete set null,
  constraint hub_reports_reason_check check (reason in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other')),
  constraint hub_reports_details_check check (
    char_length(details) between 1 and 1000 and (reason <> 'other' or details is not null)
  ),
  constraint hub_reports_outcome_check check (outcome in ('upheld', 'dismissed') and resolved = (outcome is not null)),
  constraint hub_reports_note_check check (char_length(note) <= 1000)
);
comment on table public.hub_reports is 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report also does what follows from the outcome.';
comment on column public.hub_reports.version is 'The version that was reported; after a dismissal the version that was current then.';
comment on column public.hub_reports.counts is 'Whether the report counts towards hiding. Not when an earlier report of the reporter on this version was dismissed, or when the reporter joined after it was restored, is banned or deleted.';
alter table public.hub_reports enable row level security;
revoke all on table public.hub_reports from public, anon, authenticated, service_role;
grant
  select (id, asset_id, reporter_id, reason, details, created_at, resolved, version, outcome),
  insert (asset_id, reporter_id, reason, details)
on table public.hub_reports to authenticated;
grant select on table public.hub_reports to service_role;

create unique index hub_reports_open_key on public.hub_reports (asset_id, reporter_id) where not resolved;
create index hub_reports_asset_id_idx on public.hub_reports (asset_id, reporter_id);
create index hub_reports_reporter_id_idx on public.hub_reports (reporter_id) where reporter_id is not null;
create index hub_reports_resolved_by_idx on public.hub_reports (resolved_by) where resolved_by is not null;

create policy hub_reports_select on public.hub_reports for select to authenticated using (reporter_id = (select auth.uid()));
create policy hub_reports_insert on public.hub_reports for insert to authenticated
with check (
  reporter_id = (select auth.uid())
  and (select private.is_member())
  and exists (select from public.hub_assets a where a.id = hub_reports.asset_id and a.is_visible)
);
create policy hub_reports_service_select on public.hub_reports for select to service_role using (true);

create function private.hub_reports_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  if (select auth.uid()) is not null and (new.reporter_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  new.details := private.clean(new.details);
  if new.reason is null or new.reason not in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other') then
    perform private.refuse_faults(private.fault('reason', 'invalid_value', 'must be "spam" or "inappropriate" or "copyright" or "malicious_code" or "other"'));
  end if;
  if char_length(new.details) > 1000 then
    perform private.refuse_faults(private.fault('details', 'too_big', 'must be at most 1000 characters'));
  end if;
  if new.reason = 'other' and new.details is null then
    raise exception using errcode = 'PT422', message = 'details_required';
  end if;
  if new.reporter_id is not null then
    perform private.begin_write(new.reporter_id);
  end if;

  select a.* into asset from public.hub_assets a where a.id = new.asset_id;
  -- guard: hub: creators cannot report their own assets
  -- without: if false then
  if asset.creator_id = new.reporter_id then
  -- end
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    -- guard: hub: a second open report is refused
    -- without: if false then
    if earlier.counts or earlier.version >= asset.current_version or not asset.is_visible then
    -- end
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report was not counted and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  -- guard: hub: reports by accounts created after a restore are not counted
  -- without: new.counts := new.reporter_id is not null  and not exists (
  new.counts := new.reporter_id is not null and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
  -- end
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- guard: hub: a reporter who was dismissed on a version is not counted on it
        -- without: false
        -- guard: hub: a reporter who was dismissed on a version is counted on the next
        -- without: r.outcome = 'dismissed'
        r.outcome = 'dismissed' and r.version = new.version
        -- end
        -- end
        -- The asset was restored with this version: reports made before, whatever their outcome, have been reviewed.
        or exists (
          -- guard: hub: a reporter from before a restore is not counted on that version
          -- without: select from private.hub_moderation m where m.asset_id = new.asset_id and false
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
          -- end
        )
      )
  );
  return new;
end;
$$;
comment on function private.hub_reports_before_insert is 'Checks a new report and sets the columns that a reporter may not set. Raises PT403 banned, PT409 already_reported, PT422 details_required, own_asset or validation_failed.';
revoke execute on function private.hub_reports_before_insert from public, anon, authenticated, service_role;

create trigger hub_reports_before_insert
before insert on public.hub_reports
for each row execute function private.hub_reports_before_insert();

create function private.hub_reports_before_update()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if (new.id, new.asset_id, new.version) is distinct from (old.id, old.asset_id, old.version)
    or (new.reporter_id is not null and new.reporter_id is distinct from old.reporter_id)
    -- guard: hub: a resolved report is not reopened
    or (old.resolved and not new.resolved)
    -- end
  then
    raise exception using errcode = 'PT409', message = 'report_is_fixed';
  end if;
  if new.resolved and not old.resolved then
    new.outcome := coalesce(new.outcome, 'dismissed');
    new.resolved_by := coalesce(new.resolved_by, (select auth.uid()));
    -- A dismissal covers the version that is current now, except when the reporter replaces an older report.
    if new.outcome = 'dismissed' and (new.resolved_by = old.reporter_id) is not true then
      -- guard: hub: a dismissal covers the current version
      -- without: select old.version into new.version
      select greatest(old.version, a.current_version) into new.version
      -- end
      from public.hub_assets a
      where a.id = old.asset_id;
    end if;
  end if;
  -- counts may become false, never true.
  -- guard: hub: a report of a deleted account is not counted
  -- without: new.counts := new.counts and old.counts ;
  new.counts := new.counts and old.counts and new.reporter_id is not null;
  -- end
  return new;
end;
$$;
comment on function private.hub_reports_before_update is 'Keeps the fixed columns, sets those of a closed report, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';
revoke execute on function private.hub_reports_before_update from public, anon, authenticated, service_role;

create trigger hub_reports_before_update
before update on public.hub_reports
for each row execute function private.hub_reports_before_update();

create function private.log_report()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.log_event('report_resolved', new.asset_id, report_id => new.id, details => jsonb_build_object('outcome', new.outcome));
  return null;
end;
$$;
comment on function private.log_report is 'Logs the outcome of a report.';
revoke execute on function private.log_report from public, anon, authenticated, service_role;

create trigger hub_reports_log
after update of resolved on public.hub_reports
for each row when (new.resolved and not old.resolved)
execute function private.log_report();

create function private.joined_after_restore(user_id uuid, asset_id uuid, version integer)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- Users can set neither of the two times. The profile may be newer than the account, but not older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = joined_after_restore.asset_id
      -- guard: hub: reports by accounts created after a restore are counted on the next version
      and m.reviewed_version >= joined_after_restore.version
      -- end
      -- guard: hub: reports by accounts from before a restore are counted
      -- without: and m.reviewed_at is distinct from coalesce(
      and m.reviewed_at < coalesce(
      -- end
        -- guard: hub: the age of an account is taken from auth.users
        (select u.created_at from auth.users u where u.id = joined_after_restore.user_id),
        -- end
        (select p.created_at from public.hub_profiles p where p.user_id = joined_after_restore.user_id)
      )
  );
$$;
comment on function private.joined_after_restore is 'Whether an account was created after the asset was restored with that version or a later one.';
revoke execute on function private.joined_after_restore from public, anon, authenticated, service_role;

-- supabase/schemas/hub/26_report_counts.sql

-- The threshold needs an exact count. count(*) misses reports that other transactions have not committed, and locking all reports
-- would deadlock. So there is a counter, changed by the number of reports added or closed; the update returns its new value.
create function private.count_reports()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- guard: hub: reports lock the asset before its moderation row
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- end
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    -- guard: hub: visibility is re-checked under the lock for a report
    -- without: if false then
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not a.is_visible) then
    -- end
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      -- guard: hub: at most 20 open reports
      -- without: having count(*) > 2000
      having count(*) > 20
      -- end
    ) then
      raise exception using errcode = 'PT409', message = 'too_many_open_reports';
    end if;
    with moved as (
      update private.hub_moderation m
      set open_reports = m.open_reports + d.open, counting_reports = m.counting_reports + d.counting
      from (
        select n.asset_id, count(*)::integer as open, count(*) filter (where n.counts)::integer as counting
        from added n
        group by n.asset_id
      ) d
      where m.asset_id = d.asset_id
      returning m.asset_id, m.counting_reports
    )
    select array_agg(m.asset_id) into reached from moved m where m.counting_reports >= threshold;
    update public.hub_assets a
    set is_hidden = true, hidden_reason = 'reports'
    -- guard: hub: the fifth report hides the asset
    -- without: where false;
    where a.id = any (reached) and not a.is_hidden;
    -- end
    return null;
  end if;

  perform from private.hub_moderation m where m.asset_id in (select o.asset_id from removed o) order by m.asset_id for no key update;
  if tg_op = 'UPDATE' then
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select
        o.asset_id,
        count(*) filter (where n.resolved)::integer as open,
        count(*) filter (where o.counts and (n.resolved or not n.counts))::integer as counting
      from removed o
      join added n on n.id = o.id
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id and (d.open <> 0 or d.counting <> 0);
  else
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select o.asset_id, count(*)::integer as open, count(*) filter (where o.counts)::integer as counting
      from removed o
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_reports is 'Maintains the counts of open reports; the fifth counted one hides the asset. Raises PT409 too_many_open_reports.';
revoke execute on function private.count_reports from public, anon, authenticated, service_role;

create trigger hub_reports_count_added after insert on public.hub_reports
referencing new table as added for each statement execute function private.count_reports();
create trigger hub_reports_55_count_changed after update on public.hub_reports
referencing old table as removed new table as added for each statement execute function private.count_reports();
create trigger hub_reports_count_removed after delete on public.hub_reports
referencing old table as removed for each statement execute function private.count_reports();

create function private.reset_report_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update private.hub_moderation m set open_reports = 0, counting_reports = 0 where m.open_reports <> 0;
  return null;
end;
$$;
comment on function private.reset_report_counts is 'Sets the counters to 0 when the table is truncated.';
revoke execute on function private.reset_report_counts from public, anon, authenticated, service_role;

create trigger hub_reports_reset_on_truncate
after truncate on public.hub_reports
for each statement execute function private.reset_report_counts();

-- supabase/schemas/hub/27_closing_reports.sql

-- Closing all reports of a listing at once: after a restore, and when a removal makes it a tombstone.

-- A statement of an operator locks reports in any order, and no trigger runs before it does. So a fixed lock order is not
-- possible: instead, a caller that needs several reports never waits for one while it holds another.
create function private.lock_reports(asset_ids uuid[], user_id uuid)
returns uuid[]
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  wanted uuid[];
  locked uuid[];
begin
  loop
    wanted := array(
      select r.id
      from public.hub_reports r
      where (r.asset_id = any (lock_reports.asset_ids) and not r.resolved)
        or r.reporter_id = lock_reports.user_id
        or r.resolved_by = lock_reports.user_id
    );
    begin
      -- guard: hub: reports are locked all or none
      -- without: locked := array(select r.id from public.hub_reports r where r.id = any (wanted) order by r.id for no key update);
      locked := array(select r.id from public.hub_reports r where r.id = any (wanted) for no key update skip locked);
      -- end
      if cardinality(locked) = cardinality(wanted) then
        return locked;
      end if;
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        -- Lock conflict: the rollback of the inner block has released all locks. Wait for the first report that was locked by
        -- another transaction, release it as well, and retry.
        begin
          perform from public.hub_reports r
          where r.id = (select w.id from unnest(wanted) w (id) where w.id <> all (locked) limit 1)
          for no key update;
          raise exception using errcode = 'KH001', message = 'lock_conflict';
        exception
          when sqlstate 'KH001' then
            null;
        end;
    end;
  end loop;
end;
$$;
comment on function private.lock_reports is 'Locks the open reports on these assets and every report that this user made or resolved, all of them or none; returns their ids.';
revoke execute on function private.lock_reports from public, anon, authenticated, service_role;

create function private.close_reports(asset_ids uuid[], outcome text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.lock_reports(close_reports.asset_ids, null);
  update public.hub_reports r
  set resolved = true, outcome = close_reports.outcome, note = nullif(current_setting('keyhub.note', true), '')
  where r.asset_id = any (close_reports.asset_ids) and not r.resolved;
end;
$$;
comment on function private.close_reports is 'Closes all open reports of these assets with this outcome.';
revoke execute on function private.close_reports from public, anon, authenticated, service_role;

-- Runs for a restore by RPC or in the dashboard. Dismissed reports cannot hide the asset again.
create function private.hub_assets_on_restore()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- guard: hub: a restore dismisses the open reports
  perform private.close_reports(array[new.id], 'dismissed');
  -- end
  update private.hub_moderation m
  set reviewed_version = new.current_version, reviewed_at = clock_timestamp()
  where m.asset_id = new.id;
  return null;
end;
$$;
comment on function private.hub_assets_on_restore is 'When is_hidden is cleared: dismisses the open reports and records the reviewed version.';
revoke execute on function private.hub_assets_on_restore from public, anon, authenticated, service_role;

create trigger hub_assets_70_on_restore
after update of is_hidden on public.hub_assets
for each row when (old.is_hidden and not new.is_hidden)
execute function private.hub_assets_on_restore();

-- A tombstone keeps id, slug and reports; everything that readers got is deleted.
create function private.hub_assets_on_tombstone()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- guard: hub: a removal upholds the open reports
  -- without: if false then
  if new.hidden_reason = 'removed' then
  -- end
    perform private.close_reports(array[new.id], 'upheld');
  end if;
  -- guard: hub: a tombstone has no stars
  delete from public.hub_stars s where s.asset_id = new.id;
  -- end
  delete from public.hub_featured f where f.asset_id = new.id;
  delete from public.hub_bundle_items i where i.asset_id = new.id;
  -- guard: hub: a tombstone has no content
  delete from public.hub_asset_versions v where v.asset_id = new.id;
  -- end
  delete from public.hub_receipts r where r.asset_id = new.id;
  return null;
end;
$$;
comment on function private.hub_assets_on_tombstone is 'When deleted_at is set: deletes versions, items, receipts, stars and the entry in hub_featured; upholds the open reports of a removal.';
revoke execute on function private.hub_assets_on_tombstone from public, anon, authenticated, service_role;

create trigger hub_assets_75_on_tombstone
after update of deleted_at on public.hub_assets
for each row when (new.deleted_at is not null and old.deleted_at is null)
execute function private.hub_assets_on_tombstone();

-- supabase/schemas/hub/28_bans.sql

-- A ban sets hidden_by_ban on all assets of the creator, upholds the open reports on them, and stops counting the creator's own
-- open reports. Nothing is deleted; lifting the ban only clears hidden_by_ban. Triggers do it, so that it is the same for an
-- operator who edits private.hub_bans.
create function private.hub_bans_apply()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  assets uuid[];
  locked uuid[];
  reports uuid[];
begin
  -- A running publication holds this lock. Either it commits first and its asset is found below, or it runs after the ban and is
  -- refused.
  -- guard: hub: a ban waits for a running publication
  perform from public.hub_profiles p where p.user_id = new.user_id for no key update;
  -- end
  assets := array(select a.id from public.hub_assets a where a.creator_id = new.user_id order by a.id for no key update);
  locked := private.lock_reports(assets, new.user_id);
  reports := array(
    select r.id
    from public.hub_reports r
    where r.id = any (locked) and not r.resolved and (r.asset_id = any (assets) or (r.reporter_id = new.user_id and r.counts))
  );
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.id = any (reports))
  order by m.asset_id
  for no key update;

  -- hub_assets_guard computes the value from the bans.
  -- guard: hub: a ban hides the creator's assets
  update public.hub_assets a set hidden_by_ban = true where a.id = any (assets);
  -- end
  update public.hub_reports r
  set resolved = r.asset_id = any (assets),
    outcome = case when r.asset_id = any (assets) then 'upheld' end,
    note = case when r.asset_id = any (assets) then new.reason else r.note end,
    -- guard: hub: open reports of a banned user are not counted
    -- without: counts = r.counts
    counts = r.counts and r.asset_id = any (assets)
    -- end
  where r.id = any (reports);
  perform private.log_event('banned', user_id => new.user_id, details => jsonb_build_object('reason', new.reason));
  return null;
end;
$$;
comment on function private.hub_bans_apply is 'Hides all assets of a banned creator, upholds the open reports on them, and logs the ban.';
revoke execute on function private.hub_bans_apply from public, anon, authenticated, service_role;

create trigger hub_bans_apply
after insert on private.hub_bans
for each row execute function private.hub_bans_apply();

create function private.hub_bans_lift()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The ban is also deleted with its account; then the assets stay hidden.
  -- guard: hub: the assets of a deleted banned account stay hidden
  -- without: if true then
  if exists (select from auth.users u where u.id = old.user_id) then
  -- end
    perform from public.hub_profiles p where p.user_id = old.user_id for no key update;
    perform from public.hub_assets a where a.creator_id = old.user_id order by a.id for no key update;
    update public.hub_assets a set hidden_by_ban = false where a.creator_id = old.user_id;
    perform private.log_event('unbanned', user_id => old.user_id);
  end if;
  return null;
end;
$$;
comment on function private.hub_bans_lift is 'Clears hidden_by_ban, and nothing else, when a ban is lifted.';
revoke execute on function private.hub_bans_lift from public, anon, authenticated, service_role;

create trigger hub_bans_lift
after delete on private.hub_bans
for each row execute function private.hub_bans_lift();

create function private.hub_bans_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.user_id <> old.user_id then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_bans", "hint": "delete the ban and insert another"}';
  end if;
  return new;
end;
$$;
comment on function private.hub_bans_before_update is 'Refuses to move a ban to another user. Raises PT409 append_only.';
revoke execute on function private.hub_bans_before_update from public, anon, authenticated, service_role;

create trigger hub_bans_before_update
before update on private.hub_bans
for each row execute function private.hub_bans_before_update();

-- A note belongs to one RPC: it must not be logged for later statements of the same transaction.
create function private.clear_audit_note()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- After upholding reports the RPC hides the asset, and logs that with the same note.
  if tg_table_name = 'hub_reports' then
    if exists (select from changed c where c.outcome = 'upheld') then
      return null;
    end if;
  end if;
  perform set_config('keyhub.note', '', true);
  return null;
end;
$$;
comment on function private.clear_audit_note is 'Clears an admin''s note at the end of the statement that it belongs to.';
revoke execute on function private.clear_audit_note from public, anon, authenticated, service_role;

-- Statement triggers fire after the row triggers and everything these have done. The last statement of every RPC with a note
-- fires one of the two.
create trigger hub_assets_clear_audit_note
after update of is_hidden, deleted_at on public.hub_assets
for each statement when (pg_trigger_depth() = 0) execute function private.clear_audit_note();
create trigger hub_reports_50_clear_audit_note
after update on public.hub_reports
referencing new table as changed for each statement when (pg_trigger_depth() = 0) execute function private.clear_audit_note();
create trigger hub_bans_forbid_truncate
before truncate on private.hub_bans
for each statement execute function private.refuse_change();

-- supabase/schemas/hub/29_account_deletion.sql

-- Deleting an account also deletes its stars, imports, workspace rows and profile; listings and reports stay. The cascades run in
-- an order that does not follow the lock order, and two concurrent deletions could deadlock on the counters of assets that both
-- have starred. So all rows that the cascades will change are locked first, in the lock order (docs/design/locks.md).
create function private.lock_before_user_deletion()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The user's row is locked already: no new row can refer to it.
  -- First the user's own ban and those that the user imposed: lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  perform from public.prompt_templates t where t.user_id = old.id order by t.id for update;
  perform from public.custom_components c where c.user_id = old.id order by c.id for update;
  perform from public.orchestrator_configs o where o.user_id = old.id order by o.id for update;
  perform from public.ai_model_settings s where s.user_id = old.id order by s.id for update;
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    select s.asset_id from public.hub_stars s where s.user_id = old.id
    union
    select i.asset_id from public.hub_imports i where i.user_id = old.id
  )
  -- guard: hub: deleting an account locks assets in the order of ids
  -- without: limit 0;
  order by a.id
  for no key update;
  -- end
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$$;
comment on function private.lock_before_user_deletion is 'Locks all rows that the cascades of a deleted account will change, in the lock order.';
revoke execute on function private.lock_before_user_deletion from public, anon, authenticated, service_role;

create trigger keyhub_lock_before_deletion
before delete on auth.users
for each row execute function private.lock_before_user_deletion();

-- supabase/schemas/hub/30_workspace.sql

-- The source tables: the rows that users edit. Only the owner reads them; readers of the hub get snapshots.
-- hub_asset_id and is_public are mirrors of the registry row; only triggers write them.

create table public.prompt_templates (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  content text not null default '',
  variables jsonb not null default '[]',
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint prompt_templates_pkey primary key (id),
  constraint prompt_templates_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint prompt_templates_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint prompt_templates_name_check check (char_length(name) between 1 and 120),
  constraint prompt_templates_variables_check check (jsonb_typeof(variables) in ('array', 'object')),
  constraint prompt_templates_size_check check (octet_length(content) <= 262144 and octet_length(variables::text) <= 262144)
);
comment on table public.prompt_templates is 'Prompt templates of a user''s workspace.';

create table public.custom_components (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  source text not null default '',
  props_schema jsonb not null default '{}',
  is_public boolean not null default false,
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint custom_components_pkey primary key (id),
  constraint custom_components_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint custom_components_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint custom_components_name_check check (char_length(name) between 1 and 120),
  constraint custom_components_props_schema_check check (jsonb_typeof(props_schema) = 'object'),
  constraint custom_components_size_check check (octet_length(source) <= 524288 and octet_length(props_schema::text) <= 524288)
);
comment on table public.custom_components is 'View components of a user''s workspace.';

create table public.orchestrator_configs (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  tags text[] not null default '{}',
  nodes jsonb not null default '[]',
  edges jsonb not null default '[]',
  stage_configs jsonb not null default '[]',
  is_public boolean not null default false,
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orchestrator_configs_pkey primary key (id),
  constraint orchestrator_configs_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint orchestrator_configs_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint orchestrator_configs_name_check check (char_length(name) between 1 and 120),
  constraint orchestrator_configs_shape_check check (
    jsonb_typeof(nodes) = 'array' and jsonb_typeof(edges) = 'array' and jsonb_typeof(stage_configs) = 'array'
  ),
  constraint orchestrator_configs_size_check check (
    octet_length(nodes::text) + octet_length(edges::text) + octet_length(stage_configs::text) <= 1048576
  )
);
comment on table public.orchestrator_configs is 'Orchestrations of a user''s workspace: nodes [{id, type, position: {x, y}, data}], edges [{id, source, target}], stage_configs [{id, node_id, name, prompt_template_id?, component_id?, ai_model_setting_id?, settings}].';

create table public.ai_model_settings (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  model_id text,
  temperature double precision,
  top_p double precision,
  top_k integer,
  max_output_tokens integer,
  thinking_level text,
  thinking_budget integer,
  generate_content_api text,
  organization_code text,
  api_key text,
  pricing jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ai_model_settings_pkey primary key (id),
  constraint ai_model_settings_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint ai_model_settings_name_check check (char_length(name) between 1 and 120),
  -- JSON has neither infinity nor NaN. NaN sorts above infinity, so that this comparison excludes it as well.
  constraint ai_model_settings_finite_check check (abs(temperature) < 'infinity' and abs(top_p) < 'infinity'),
  constraint ai_model_settings_size_check check (
    octet_length(concat(model_id, thinking_level, generate_content_api, organization_code, api_key)) <= 16384
    and octet_length(pricing::text) <= 16384
  )
);
comment on table public.ai_model_settings is 'AI settings profiles of a user''s workspace. Only the columns on the allow-list of the core package are published.';

create index prompt_templates_user_id_idx on public.prompt_templates (user_id);
create index prompt_templates_hub_asset_id_idx on public.prompt_templates (hub_asset_id) where hub_asset_id is not null;
create index custom_components_user_id_idx on public.custom_components (user_id);
create index custom_components_hub_asset_id_idx on public.custom_components (hub_asset_id) where hub_asset_id is not null;
create index orchestrator_configs_user_id_idx on public.orchestrator_configs (user_id);
create index orchestrator_configs_hub_asset_id_idx on public.orchestrator_configs (hub_asset_id) where hub_asset_id is not null;
create index ai_model_settings_user_id_idx on public.ai_model_settings (user_id);

alter table public.prompt_templates enable row level security;
alter table public.custom_components enable row level security;
alter table public.orchestrator_configs enable row level security;
alter table public.ai_model_settings enable row level security;
revoke all on table public.prompt_templates from public, anon, authenticated, service_role;
revoke all on table public.custom_components from public, anon, authenticated, service_role;
revoke all on table public.orchestrator_configs from public, anon, authenticated, service_role;
revoke all on table public.ai_model_settings from public, anon, authenticated, service_role;
grant select, delete on table public.prompt_templates to authenticated;
grant select, delete on table public.custom_components to authenticated;
grant select, delete on table public.orchestrator_configs to authenticated;
grant select, delete on table public.ai_model_settings to authenticated;
grant select on table public.prompt_templates, public.custom_components, public.orchestrator_configs, public.ai_model_settings to service_role;

-- Clients cannot set the id: a conflict would disclose that another user's row exists.
grant insert (user_id, name, description, content, variables), update (name, description, content, variables)
on table public.prompt_templates to authenticated;
grant insert (user_id, name, description, source, props_schema), update (name, description, source, props_schema)
on table public.custom_components to authenticated;
grant
  insert (user_id, name, description, tags, nodes, edges, stage_configs),
  update (name, description, tags, nodes, edges, stage_configs)
on table public.orchestrator_configs to authenticated;
grant
  insert (user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api, organization_code, api_key, pricing),
  update (name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api, organization_code, api_key, pricing)
on table public.ai_model_settings to authenticated;

create policy prompt_templates_select on public.prompt_templates for select to authenticated using (user_id = (select auth.uid()));
create policy prompt_templates_insert on public.prompt_templates for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy prompt_templates_update on public.prompt_templates for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy prompt_templates_delete on public.prompt_templates for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy prompt_templates_service_select on public.prompt_templates for select to service_role using (true);

create policy custom_components_select on public.custom_components for select to authenticated using (user_id = (select auth.uid()));
create policy custom_components_insert on public.custom_components for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy custom_components_update on public.custom_components for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy custom_components_delete on public.custom_components for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy custom_components_service_select on public.custom_components for select to service_role using (true);

create policy orchestrator_configs_select on public.orchestrator_configs for select to authenticated using (user_id = (select auth.uid()));
create policy orchestrator_configs_insert on public.orchestrator_configs for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy orchestrator_configs_update on public.orchestrator_configs for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy orchestrator_configs_delete on public.orchestrator_configs for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy orchestrator_configs_service_select on public.orchestrator_configs for select to service_role using (true);

create policy ai_model_settings_select on public.ai_model_settings for select to authenticated using (user_id = (select auth.uid()));
create policy ai_model_settings_insert on public.ai_model_settings for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy ai_model_settings_update on public.ai_model_settings for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy ai_model_settings_delete on public.ai_model_settings for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy ai_model_settings_service_select on public.ai_model_settings for select to service_role using (true);

-- supabase/schemas/hub/31_workspace_rules.sql

-- Validation of workspace rows: one function for the four tables. It checks the same limits as the constraints, earlier, and
-- reports them as validation_failed.
create function private.workspace_before_write()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  item jsonb;
  faults jsonb := '[]';
  mirrors constant text[] := '{hub_asset_id,is_public,updated_at}';
begin
  -- The patterns of private.clean are not run on a text that is much too long.
  if octet_length(new.name) <= 4096 then
    new.name := private.clean(new.name);
  end if;
  item := to_jsonb(new);
  if new.name is null or char_length(new.name) not between 1 and 120 or private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if tg_table_name = 'prompt_templates' then
    if item ->> 'content' is null or octet_length(item ->> 'content') > 262144 then
      faults := faults || private.fault('content', 'too_big', 'must be a text of at most 256 KiB');
    end if;
    if jsonb_typeof(item -> 'variables') not in ('array', 'object') then
      faults := faults || private.fault('variables', 'invalid_type', 'must be an array or an object');
    elsif octet_length((item -> 'variables')::text) > 262144 then
      faults := faults || private.fault('variables', 'too_big', 'must be at most 256 KiB');
    end if;
  elsif tg_table_name = 'custom_components' then
    if item ->> 'source' is null or octet_length(item ->> 'source') > 524288 then
      faults := faults || private.fault('source', 'too_big', 'must be a text of at most 512 KiB');
    end if;
    if jsonb_typeof(item -> 'props_schema') <> 'object' then
      faults := faults || private.fault('props_schema', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'props_schema')::text) > 524288 then
      faults := faults || private.fault('props_schema', 'too_big', 'must be at most 512 KiB');
    end if;
  elsif tg_table_name = 'orchestrator_configs' then
    if jsonb_path_exists(item, 'strict $.tags ? (@.type() != "array")')
      or jsonb_path_exists(item, 'strict $.tags[*] ? (@.type() != "string")')
    then
      faults := faults || private.fault('tags', 'invalid_type', 'must be an array of texts');
    elsif jsonb_array_length(item -> 'tags') > 50 or octet_length(item ->> 'tags') > 8192 then
      faults := faults || private.fault('tags', 'too_big', 'must be at most 50 tags');
    end if;
    if jsonb_typeof(item -> 'nodes') <> 'array' then
      faults := faults || private.fault('nodes', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'edges') <> 'array' then
      faults := faults || private.fault('edges', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'stage_configs') <> 'array' then
      faults := faults || private.fault('stage_configs', 'invalid_type', 'must be an array');
    end if;
    if octet_length(concat(item -> 'nodes', item -> 'edges', item -> 'stage_configs')) > 1048576 then
      faults := faults || private.fault('nodes', 'too_big', 'nodes, edges and stage_configs must be at most 1 MiB together');
    end if;
  elsif tg_table_name = 'ai_model_settings' then
    -- The same expressions as in the constraint.
    if octet_length((item -> 'pricing')::text) > 16384
      or octet_length(concat(item ->> 'model_id', item ->> 'thinking_level', item ->> 'generate_content_api', item ->> 'organization_code', item ->> 'api_key')) > 16384
    then
      faults := faults || private.fault('', 'too_big', 'must be at most 16 KiB');
    end if;
    -- to_jsonb writes NaN and infinity as strings.
    if jsonb_typeof(item -> 'temperature') = 'string' then
      faults := faults || private.fault('temperature', 'invalid_value', 'must be a finite number');
    end if;
    if jsonb_typeof(item -> 'top_p') = 'string' then
      faults := faults || private.fault('top_p', 'invalid_value', 'must be a finite number');
    end if;
  else
    perform private.refuse_asset_type(tg_table_name);
  end if;
  if octet_length(item ->> 'description') > 16384 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 16 KiB');
  end if;
  perform private.refuse_faults(faults);
  if tg_op = 'UPDATE' and (item - mirrors) is distinct from (to_jsonb(old) - mirrors) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.workspace_before_write is 'Validates a row of any source table. Raises PT422 validation_failed.';
revoke execute on function private.workspace_before_write from public, anon, authenticated, service_role;

create trigger prompt_templates_10_before_write before insert or update on public.prompt_templates
for each row execute function private.workspace_before_write();
create trigger custom_components_10_before_write before insert or update on public.custom_components
for each row execute function private.workspace_before_write();
create trigger orchestrator_configs_10_before_write before insert or update on public.orchestrator_configs
for each row execute function private.workspace_before_write();
create trigger ai_model_settings_before_write before insert or update on public.ai_model_settings
for each row execute function private.workspace_before_write();

-- supabase/schemas/hub/32_workspace_locks.sql

-- Locks of writes to the workspace and of publications. The lock order is in docs/design/locks.md.

-- A client's write to the workspace calls begin_write before any row is locked. So it is serialized with a ban and with the
-- deletion of the account.
create function private.lock_caller()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Operators and edge functions have no auth.uid(). Row level security refuses callers without an account.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
end;
$$;
comment on function private.lock_caller is 'Locks the caller''s profile and account before a statement. Raises 42501 when the account is deleted.';
revoke execute on function private.lock_caller from public, anon, authenticated, service_role;

-- Not fired for writes by triggers and cascades.
create trigger prompt_templates_lock_caller before insert or update or delete on public.prompt_templates
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger custom_components_lock_caller before insert or update or delete on public.custom_components
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger orchestrator_configs_lock_caller before insert or update or delete on public.orchestrator_configs
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();
create trigger ai_model_settings_lock_caller before insert or update or delete on public.ai_model_settings
for each statement when (pg_trigger_depth() = 0) execute function private.lock_caller();

create function private.lock_source(asset_type text, ref_id uuid, user_id uuid)
returns boolean
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if lock_source.asset_type = 'template' then
    -- guard: hub: another user's item cannot be published
    -- without: perform from public.prompt_templates t where t.id = lock_source.ref_id for no key update;
    perform from public.prompt_templates t where t.id = lock_source.ref_id and t.user_id = lock_source.user_id for no key update;
    -- end
  elsif lock_source.asset_type = 'component' then
    perform from public.custom_components c where c.id = lock_source.ref_id and c.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'orchestration' then
    perform from public.orchestrator_configs o where o.id = lock_source.ref_id and o.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'ai_preset' then
    perform from public.ai_model_settings s where s.id = lock_source.ref_id and s.user_id = lock_source.user_id for no key update;
  else
    perform private.refuse_asset_type(lock_source.asset_type);
  end if;
  return found;
end;
$$;
comment on function private.lock_source is 'Locks a source row of a user, which comes before its registry row in the lock order; false when the user has no such row.';
revoke execute on function private.lock_source from public, anon, authenticated, service_role;

-- supabase/schemas/hub/33_workspace_sync.sql

-- Keeps a source row and its registry row consistent: the mirrors hub_asset_id and is_public, and the deletion of a registry row
-- that was never published together with its source row.

-- Mirrors are looked up at every write of a source row, so that no write can set other values.
create function private.mirror_listing()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  listing record;
begin
  select a.id, a.is_public into listing
  from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id = new.id and a.deleted_at is null;
  -- guard: hub: mirrors are looked up at every write
  new.hub_asset_id := listing.id;
  -- end
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$$;
comment on function private.mirror_listing is 'Sets hub_asset_id and is_public of a source row from its registry row, if there is one.';
revoke execute on function private.mirror_listing from public, anon, authenticated, service_role;

create trigger prompt_templates_15_mirror before insert or update on public.prompt_templates
for each row execute function private.mirror_listing('template');
create trigger custom_components_15_mirror before insert or update on public.custom_components
for each row execute function private.mirror_listing('component');
create trigger orchestrator_configs_15_mirror before insert or update on public.orchestrator_configs
for each row execute function private.mirror_listing('orchestration');

create function private.refresh_mirror()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  listing constant public.hub_assets := case when tg_op = 'DELETE' then old else new end;
begin
  if listing.asset_type = 'template' then
    update public.prompt_templates t set hub_asset_id = t.hub_asset_id where t.id = listing.ref_id;
  elsif listing.asset_type = 'component' then
    update public.custom_components c set hub_asset_id = c.hub_asset_id where c.id = listing.ref_id;
  elsif listing.asset_type = 'orchestration' then
    update public.orchestrator_configs o set hub_asset_id = o.hub_asset_id where o.id = listing.ref_id;
  elsif listing.asset_type <> 'ai_preset' then
    perform private.refuse_asset_type(listing.asset_type);
  end if;
  return null;
end;
$$;
comment on function private.refresh_mirror is 'Refreshes the mirrors of the source row, by an update that fires mirror_listing.';
revoke execute on function private.refresh_mirror from public, anon, authenticated, service_role;

create trigger hub_assets_80_refresh_mirror
after insert or delete or update of is_public, deleted_at on public.hub_assets
for each row execute function private.refresh_mirror();

-- Once per statement, and in the order of ids, which is the lock order.
create function private.delete_unpublished_listings()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null
  order by a.id
  for update;
  delete from public.hub_assets a
  -- guard: hub: a published listing stays when its source is deleted
  -- without: where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) ;
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null;
  -- end
  return null;
end;
$$;
comment on function private.delete_unpublished_listings is 'Deletes registry rows that were never published together with their source rows; published ones stay.';
revoke execute on function private.delete_unpublished_listings from public, anon, authenticated, service_role;

create trigger prompt_templates_delete_unpublished after delete on public.prompt_templates
referencing old table as removed for each statement execute function private.delete_unpublished_listings('template');
create trigger custom_components_delete_unpublished after delete on public.custom_components
referencing old table as removed for each statement execute function private.delete_unpublished_listings('component');
create trigger orchestrator_configs_delete_unpublished after delete on public.orchestrator_configs
referencing old table as removed for each statement execute function private.delete_unpublished_listings('orchestration');
create trigger ai_model_settings_delete_unpublished after delete on public.ai_model_settings
referencing old table as removed for each statement execute function private.delete_unpublished_listings('ai_preset');

-- supabase/schemas/hub/40_idempotency.sql

-- Idempotent responses: the answers of publications and imports. A client that did not get its answer repeats the request with
-- the same Idempotency-Key, gets the stored answer, and nothing is done twice.
create table private.hub_idempotent_responses (
  user_id uuid not null,
  endpoint text not null,
  idempotency_key text not null,
  request_sha256 text not null,
  answer jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint hub_idempotent_responses_pkey primary key (user_id, endpoint, idempotency_key),
  constraint hub_idempotent_responses_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_idempotent_responses_endpoint_check check (endpoint in ('hub-publish', 'hub-import')),
  constraint hub_idempotent_responses_idempotency_key_check check (char_length(idempotency_key) between 1 and 255),
  constraint hub_idempotent_responses_request_sha256_check check (request_sha256 ~ '^[0-9a-f]{64}$')
);
comment on table private.hub_idempotent_responses is 'Answers of hub-publish and hub-import by Idempotency-Key, for 24 hours.';
comment on column private.hub_idempotent_responses.request_sha256 is 'SHA-256 of the request''s canonical form: a key cannot be used for another request.';
alter table private.hub_idempotent_responses enable row level security;
revoke all on table private.hub_idempotent_responses from public, anon, authenticated, service_role;
grant select on table private.hub_idempotent_responses to service_role;

create index hub_idempotent_responses_created_at_idx on private.hub_idempotent_responses (created_at);

create policy hub_idempotent_responses_service_select on private.hub_idempotent_responses for select to service_role using (true);

create function private.get_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  stored private.hub_idempotent_responses;
begin
  if get_response.idempotency_key is null then
    return null;
  end if;
  select h.* into stored
  from private.hub_idempotent_responses h
  -- guard: publish: a stored answer is given to its user only
  -- without: where true
  where h.user_id = get_response.user_id
  -- end
    and h.endpoint = get_response.endpoint
    and h.idempotency_key = get_response.idempotency_key
    -- guard: publish: a stored answer expires after 24 hours
    -- without: ;
    and h.created_at > clock_timestamp() - interval '24 hours';
    -- end
  -- guard: publish: an Idempotency-Key is refused for another request
  -- without: if false then
  if stored.request_sha256 <> get_response.request_sha256 then
  -- end
    raise exception using errcode = 'PT422', message = 'idempotency_key_reused';
  end if;
  return stored.answer;
end;
$$;
comment on function private.get_response is 'The stored answer to this request of a user from the last 24 hours; null when there is none. Raises PT422 idempotency_key_reused.';
revoke execute on function private.get_response from public, anon, authenticated, service_role;
grant execute on function private.get_response to service_role;

-- Called under the lock of begin_write and after get_response returned null: a row with the same key is expired.
create function private.store_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text, answer jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if store_response.idempotency_key is null then
    return;
  end if;
  delete from private.hub_idempotent_responses h
  -- guard: publish: expired answers of the user are deleted
  -- without: where false;
  where h.user_id = store_response.user_id and h.created_at <= clock_timestamp() - interval '24 hours';
  -- end
  insert into private.hub_idempotent_responses (user_id, endpoint, idempotency_key, request_sha256, answer)
  values (
    store_response.user_id, store_response.endpoint, store_response.idempotency_key, store_response.request_sha256, store_response.answer
  );
end;
$$;
comment on function private.store_response is 'Stores an answer for 24 hours, in the transaction of the request, and deletes the user''s expired ones.';
revoke execute on function private.store_response from public, anon, authenticated, service_role;

create function public.hub_get_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.get_response(
    hub_get_response.user_id, hub_get_response.endpoint, hub_get_response.idempotency_key, hub_get_response.request_sha256
  );
$$;
comment on function public.hub_get_response is 'For the edge functions: the stored answer to this request, so that a retry does not depend on later changes. Raises PT422 idempotency_key_reused.';
revoke execute on function public.hub_get_response from public, anon, authenticated, service_role;
grant execute on function public.hub_get_response to service_role;

-- supabase/schemas/hub/41_scan_tokens.sql

-- A publisher confirms the findings of the scan with a token. The token is bound to the user and to the content, so that it
-- confirms nothing else, and it expires by the database's clock.
create table private.hub_scan_tokens (
  user_id uuid not null,
  content_sha256 text not null,
  token_sha256 text not null,
  expires_at timestamptz not null,
  constraint hub_scan_tokens_pkey primary key (user_id, content_sha256, token_sha256),
  constraint hub_scan_tokens_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_scan_tokens_content_sha256_check check (content_sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_scan_tokens_token_sha256_check check (token_sha256 ~ '^[0-9a-f]{64}$')
);
comment on table private.hub_scan_tokens is 'Tokens for confirming the findings of a scan, the newest ten for each content. Only the hash of a token is stored.';
alter table private.hub_scan_tokens enable row level security;
revoke all on table private.hub_scan_tokens from public, anon, authenticated, service_role;
grant select on table private.hub_scan_tokens to service_role;

create index hub_scan_tokens_expires_at_idx on private.hub_scan_tokens (user_id, expires_at);

create policy hub_scan_tokens_service_select on private.hub_scan_tokens for select to service_role using (true);

create function private.offer_scan_token(user_id uuid, content_sha256 text, seconds integer)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  token constant text := 'kh_scan_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  perform private.begin_write(offer_scan_token.user_id);
  delete from private.hub_scan_tokens t
  where t.user_id = offer_scan_token.user_id and t.expires_at <= clock_timestamp();
  delete from private.hub_scan_tokens t
  where t.user_id = offer_scan_token.user_id
    and t.content_sha256 = offer_scan_token.content_sha256
    and t.token_sha256 not in (
      select n.token_sha256
      from private.hub_scan_tokens n
      where n.user_id = offer_scan_token.user_id and n.content_sha256 = offer_scan_token.content_sha256
      order by n.expires_at desc
      limit 9
    );
  insert into private.hub_scan_tokens (user_id, content_sha256, token_sha256, expires_at)
  values (
    offer_scan_token.user_id,
    offer_scan_token.content_sha256,
    encode(sha256(convert_to(token, 'UTF8')), 'hex'),
    clock_timestamp() + make_interval(secs => offer_scan_token.seconds)
  );
  return token;
end;
$$;
comment on function private.offer_scan_token is 'Makes a token with which this user may publish this content in spite of the findings, valid for the given seconds. Raises PT403 banned.';
revoke execute on function private.offer_scan_token from public, anon, authenticated, service_role;
grant execute on function private.offer_scan_token to service_role;

create function private.is_confirmed(user_id uuid, content_sha256 text, scan_token text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from private.hub_scan_tokens t
    -- guard: publish: a scan token is valid for its user only
    -- without: where true
    where t.user_id = is_confirmed.user_id
    -- end
      -- guard: publish: a scan token is valid for its content only
      and t.content_sha256 = is_confirmed.content_sha256
      -- end
      -- guard: publish: a confirmation needs the token itself
      and t.token_sha256 = encode(sha256(convert_to(is_confirmed.scan_token, 'UTF8')), 'hex')
      -- end
      -- guard: publish: a scan token expires
      and t.expires_at > clock_timestamp()
      -- end
  );
$$;
comment on function private.is_confirmed is 'Whether this is a valid token of this user for this content.';
revoke execute on function private.is_confirmed from public, anon, authenticated, service_role;

create function public.hub_offer_scan_token(user_id uuid, content_sha256 text, seconds integer)
returns text
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.offer_scan_token(
    hub_offer_scan_token.user_id, hub_offer_scan_token.content_sha256, hub_offer_scan_token.seconds
  );
$$;
comment on function public.hub_offer_scan_token is 'For hub-publish: makes a token with which this user may publish this content in spite of the findings. Raises PT403 banned.';
revoke execute on function public.hub_offer_scan_token from public, anon, authenticated, service_role;
grant execute on function public.hub_offer_scan_token to service_role;

-- supabase/schemas/hub/42_call_limits.sql

-- Hourly limits of previews and imports. Publications are counted in the audit log; previews and imports are not logged there, so
-- that each has a row here for an hour. The caller passes the limit.
create table private.hub_calls (
  id bigint not null generated always as identity,
  user_id uuid not null,
  kind text not null,
  at timestamptz not null default clock_timestamp(),
  constraint hub_calls_pkey primary key (id),
  constraint hub_calls_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_calls_kind_check check (kind in ('previews', 'imports'))
);
comment on table private.hub_calls is 'Previews and imports of the last hour, for their limits. Each call deletes the expired rows of its user; hub_prune deletes those of all users.';
alter table private.hub_calls enable row level security;
revoke all on table private.hub_calls from public, anon, authenticated, service_role;
revoke all on sequence private.hub_calls_id_seq from public, anon, authenticated, service_role;
grant select on table private.hub_calls to service_role;

create index hub_calls_user_id_idx on private.hub_calls (user_id, kind, at);

create policy hub_calls_service_select on private.hub_calls for select to service_role using (true);

create function private.enforce_hourly_limit(kind text, recent timestamptz[], hourly_limit integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- guard: publish: the hourly limit is enforced
  -- without: if false then
  if cardinality(enforce_hourly_limit.recent) >= enforce_hourly_limit.hourly_limit then
  -- end
    raise exception using
      errcode = 'PT429',
      message = 'rate_limited',
      detail = jsonb_build_object(
        'limit', enforce_hourly_limit.kind,
        'per_hour', enforce_hourly_limit.hourly_limit,
        'retry_after', greatest(1, ceil(extract(
          epoch from enforce_hourly_limit.recent[enforce_hourly_limit.hourly_limit] + interval '1 hour' - clock_timestamp()
        )))
      )::text;
  end if;
end;
$$;
comment on function private.enforce_hourly_limit is 'Enforces an hourly limit, given the times of the calls of the last hour, newest first. Raises PT429 rate_limited with the kind, the limit and retry_after in seconds.';
revoke execute on function private.enforce_hourly_limit from public, anon, authenticated, service_role;

-- Called under the lock of begin_write: concurrent calls of one user cannot exceed the limit.
create function private.limit_calls(user_id uuid, kind text, hourly_limit integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  if limit_calls.hourly_limit is null then
    return;
  end if;
  -- guard: publish: a call is counted for one hour
  -- without: delete from private.hub_calls c using (select 1) nobody where false; perform from private.hub_calls c
  delete from private.hub_calls c
  -- end
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    -- guard: publish: each user has a limit of their own
    -- without: where c.kind = limit_calls.kind
    -- guard: publish: previews and imports have separate limits
    -- without: where c.user_id = limit_calls.user_id
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    -- end
    -- end
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.enforce_hourly_limit(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$$;
comment on function private.limit_calls is 'Counts a preview or an import of a user, and enforces the hourly limit; null means no limit. Raises PT429 rate_limited.';
revoke execute on function private.limit_calls from public, anon, authenticated, service_role;

create function private.begin_preview(user_id uuid, hourly_limit integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.begin_write(begin_preview.user_id);
  -- guard: publish: a preview is counted before any work is done
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
  -- end
end;
$$;
comment on function private.begin_preview is 'Implements hub_begin_preview.';
revoke execute on function private.begin_preview from public, anon, authenticated, service_role;
grant execute on function private.begin_preview to service_role;

create function public.hub_begin_preview(user_id uuid, hourly_limit integer)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_preview(hub_begin_preview.user_id, hub_begin_preview.hourly_limit);
$$;
comment on function public.hub_begin_preview is 'For hub-publish: counts a preview before anything is read or scanned for it; hub_publish then gets no limit. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';
revoke execute on function public.hub_begin_preview from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_preview to service_role;

-- supabase/schemas/hub/50_publish_snapshot.sql

-- All content reaches the hub through publish_snapshot: a snapshot whose secrets are removed becomes a version. Secrets, slug and
-- license are decided before, in the edge function; this file does what needs locks.
create function private.insert_listing(
  creator_id uuid,
  asset_type text,
  ref_id uuid,
  slug text,
  title text,
  description text,
  tags text[],
  thumbnail_url text,
  license text
)
returns uuid
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  made uuid;
begin
  for attempt in 1..30 loop
    insert into public.hub_assets (
      asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, license,
      is_public, current_version, published_at, content_updated_at
    )
    values (
      insert_listing.asset_type, insert_listing.ref_id, insert_listing.creator_id,
      private.nth_slug(insert_listing.slug, attempt),
      insert_listing.title, insert_listing.description, insert_listing.tags, insert_listing.thumbnail_url,
      insert_listing.license, true, 1, clock_timestamp(), clock_timestamp()
    )
    -- Waits for a concurrent transaction that inserts the same slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
$$;
comment on function private.insert_listing is 'Inserts a listing with the first free form of its slug.';
revoke execute on function private.insert_listing from public, anon, authenticated, service_role;

create function private.nth_slug(slug text, attempt integer)
returns text
language sql
volatile
set search_path = ''
as $$
  select case
    when nth_slug.attempt = 1 then left(nth_slug.slug, 80)
    when nth_slug.attempt <= 9 then rtrim(left(nth_slug.slug, 78), '-') || '-' || nth_slug.attempt
    else rtrim(left(nth_slug.slug, 71), '-') || '-' || left(replace(gen_random_uuid()::text, '-', ''), 8)
  end;
$$;
comment on function private.nth_slug is 'The slug itself, then -2 to -9, then a random suffix.';
revoke execute on function private.nth_slug from public, anon, authenticated, service_role;

create function private.is_current_content(asset_id uuid, version integer, sha256 text, license text, items jsonb)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.hub_asset_versions v
    where v.asset_id = is_current_content.asset_id
      and v.version = is_current_content.version
      -- guard: hub: publishing unchanged content makes no new version
      -- without: and false
      -- guard: publish: changed content makes a new version
      and v.sha256 = is_current_content.sha256
      -- end
      -- end
      and v.license = is_current_content.license
  )
  and (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        -- guard: publish: changed items of a kit make a new version
        -- without: 'asset_type', i.asset_type, 'ref_id', i.ref_id,  'title', i.title, 'license', i.license
        'asset_type', i.asset_type, 'ref_id', i.ref_id, 'sha256', i.sha256, 'title', i.title, 'license', i.license
        -- end
      )
      order by i.position
    ), '[]')
    from public.hub_bundle_items i
    where i.asset_id = is_current_content.asset_id and i.version = is_current_content.version
  ) = (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', i.item -> 'asset_type', 'ref_id', i.item -> 'ref_id', 'sha256', i.item -> 'sha256',
        'title', i.item -> 'title', 'license', i.item -> 'license'
      )
      order by i.position
    ), '[]')
    from jsonb_array_elements(is_current_content.items) with ordinality as i (item, position)
  );
$$;
comment on function private.is_current_content is 'Whether a version has exactly this content: the same hash, license, and items in the same order.';
revoke execute on function private.is_current_content from public, anon, authenticated, service_role;

-- Counts in the audit log, because a creator who deletes listings deletes no entries there. Exact, because begin_write serializes
-- a user's writes.
create function private.limit_publications(user_id uuid, hourly_limit integer)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  recent := array(
    select e.at
    from public.hub_events e
    -- guard: publish: each user has a publication limit of their own
    -- without: where true
    where e.user_id = limit_publications.user_id
    -- end
      and e.action = 'published'
      and e.at > checked_at - interval '1 hour'
    order by e.at desc
    limit limit_publications.hourly_limit
  );
  perform private.enforce_hourly_limit('publications', recent, limit_publications.hourly_limit);
end;
$$;
comment on function private.limit_publications is 'Enforces the hourly limit of publications; null means no limit. Raises PT429 rate_limited.';
revoke execute on function private.limit_publications from public, anon, authenticated, service_role;

-- An item that moderation has hidden must not be published again inside a kit.
create function private.refuse_hidden_items(user_id uuid, items jsonb)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  hidden jsonb;
begin
  select jsonb_agg(
    private.fault('items.' || (i.position - 1) || '.ref_id', a.hidden_reason, 'is hidden by moderation') -> 0 order by i.position
  ) into hidden
  from jsonb_array_elements(refuse_hidden_items.items) with ordinality i (item, position)
  join public.hub_assets a
    on a.asset_type = i.item ->> 'asset_type'
    and a.ref_id = (i.item ->> 'ref_id')::uuid
    and a.creator_id = refuse_hidden_items.user_id
  where a.is_hidden;
  -- guard: publish: a kit cannot contain a hidden item
  -- without: if false then
  if hidden is not null then
  -- end
    raise exception using errcode = 'PT409', message = 'item_hidden', detail = jsonb_build_object('errors', hidden)::text;
  end if;
end;
$$;
comment on function private.refuse_hidden_items is 'Refuses items whose own listing moderation has hidden or removed. Raises PT409 item_hidden.';
revoke execute on function private.refuse_hidden_items from public, anon, authenticated, service_role;

-- An operator may set current_version back, so that readers see an older version again. The newer versions stay stored for users
-- who imported them, and the next publication gets a number above all stored ones.
create function private.publish_snapshot(
  user_id uuid,
  asset_type text,
  ref_id uuid,
  slug text,
  title text,
  description text,
  tags text[],
  license text,
  payload jsonb,
  sha256 text,
  thumbnail_url text default null,
  scan jsonb default null,
  redactions jsonb default '[]',
  items jsonb default '[]',
  confirmed boolean default true,
  hourly_limit integer default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
<<publish>>
declare
  asset public.hub_assets;
  parent public.hub_assets;
  first boolean;
  next_version integer;
begin
  -- Serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if publish_snapshot.license = 'paid' then
    raise exception using errcode = 'PT422', message = 'license_not_available';
  end if;
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  if not private.lock_source(publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.user_id) then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.asset_type = publish_snapshot.asset_type and a.ref_id = publish_snapshot.ref_id
  for no key update;
  if asset.creator_id is distinct from publish_snapshot.user_id and asset.id is not null then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  -- guard: hub: a removed listing is not published again
  -- without: if false then
  if asset.hidden_reason = 'removed' then
  -- end
    raise exception using errcode = 'PT409', message = 'removed';
  end if;

  if asset.deleted_at is null
    and (asset.title, asset.tags, asset.license) = (
      private.clean(publish_snapshot.title), private.normalize_tags(publish_snapshot.tags), publish_snapshot.license
    )
    and asset.description = private.clean(publish_snapshot.description)
    and asset.thumbnail_url is not distinct from publish_snapshot.thumbnail_url
    and private.is_current_content(
      asset.id, asset.current_version, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.items
    )
  then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  -- guard: publish: findings have to be confirmed
  -- without: if false then
  if not publish_snapshot.confirmed then
  -- end
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.published_at is null;
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    -- guard: hub: a new version gets a number above all stored ones
    -- without: select asset.current_version + 1 into next_version
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    -- end
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- guard: hub: a published copy is a remix
      -- without: if false then
      -- guard: import: a claimed origin is not a parent
      -- without: if asset.attribution is not null and asset.parent_asset_id is null then
      if asset.attribution ? 'parent' and asset.parent_asset_id is null then
      -- end
      -- end
        -- Locked, so that it is not erased before the reference to it is written.
        -- guard: publish: a parent is locked until the reference is written
        -- without: select p.* into parent from public.hub_assets p where p.id = (asset.attribution #>> '{parent,id}')::uuid;
        select p.* into parent from public.hub_assets p where p.id = (asset.attribution #>> '{parent,id}')::uuid for key share;
        -- end
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (asset.attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
      for attempt in 1..30 loop
        begin
          update public.hub_assets a set slug = private.nth_slug(publish_snapshot.slug, attempt) where a.id = asset.id;
          exit;
        exception
          when unique_violation then null;
        end;
      end loop;
    end if;
    update public.hub_assets a
    set title = publish_snapshot.title,
      description = publish_snapshot.description,
      tags = publish_snapshot.tags,
      thumbnail_url = publish_snapshot.thumbnail_url,
      license = publish_snapshot.license,
      current_version = next_version,
      is_public = true,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan)
  values (asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license', nullif(i.item -> 'attribution', 'null')
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', first
  );
end;
$$;
comment on function private.publish_snapshot is 'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. Raises PT403 banned, PT404 source_not_found, PT409 item_hidden, removed or scan_confirmation_required, PT422 license_not_available or validation_failed, PT429 rate_limited.';
revoke execute on function private.publish_snapshot from public, anon, authenticated, service_role;

-- supabase/schemas/hub/51_publish.sql

create function private.publish_asset(
  user_id uuid,
  publication jsonb,
  scan_token text,
  dry_run boolean,
  hourly_limit integer,
  idempotency_key text,
  request_sha256 text
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  -- guard: publish: the requests of a user are serialized
  perform private.begin_write(publish_asset.user_id);
  -- end
  answer := private.get_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  -- guard: publish: a repeated request gets the stored answer
  -- without: if false then
  if answer is not null then
  -- end
    return answer;
  end if;
  begin
    made := private.publish_snapshot(
      user_id => publish_asset.user_id,
      asset_type => wanted ->> 'asset_type',
      ref_id => (wanted ->> 'ref_id')::uuid,
      slug => wanted ->> 'slug',
      title => wanted ->> 'title',
      description => wanted ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(wanted -> 'tags') with ordinality t (tag, n) order by t.n),
      thumbnail_url => wanted ->> 'thumbnail_url',
      license => wanted ->> 'license',
      payload => wanted -> 'payload',
      sha256 => wanted ->> 'sha256',
      scan => nullif(wanted -> 'scan', 'null'),
      redactions => wanted -> 'redactions',
      items => wanted -> 'items',
      confirmed => publish_asset.dry_run
        or wanted ->> 'content_sha256' is null
        or private.is_confirmed(publish_asset.user_id, wanted ->> 'content_sha256', publish_asset.scan_token),
      -- guard: publish: a preview is not counted as a publication
      -- without: hourly_limit => publish_asset.hourly_limit
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end
      -- end
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
      end
    );
    -- guard: publish: a preview is rolled back
    -- without: if false then
    if publish_asset.dry_run then
    -- end
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
    -- guard: publish: a stored answer does not contain the published content
    -- without: answer::jsonb
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
    -- end
  );
  return answer;
end;
$$;
comment on function private.publish_asset is 'Implements hub_publish. hourly_limit is the limit of publications; a preview is counted by hub_begin_preview. The ids and times of a preview belong to rows that were rolled back.';
revoke execute on function private.publish_asset from public, anon, authenticated, service_role;
grant execute on function private.publish_asset to service_role;

create function public.hub_publish(
  user_id uuid,
  publication jsonb,
  scan_token text,
  dry_run boolean,
  hourly_limit integer,
  idempotency_key text,
  request_sha256 text
)
returns json
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.publish_asset(
    hub_publish.user_id, hub_publish.publication, hub_publish.scan_token, hub_publish.dry_run, hub_publish.hourly_limit,
    hub_publish.idempotency_key, hub_publish.request_sha256
  );
$$;
comment on function public.hub_publish is 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 source_not_found, PT409 removed or scan_confirmation_required, PT422 idempotency_key_reused, license_not_available, secret_detected or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_publish from public, anon, authenticated, service_role;
grant execute on function public.hub_publish to service_role;

create function private.publication(user_id uuid, asset_id uuid, version integer, created boolean, shown_slug text default null)
returns json
language sql
stable
security definer
set search_path = ''
as $$
  -- json, because jsonb would change the order of the columns.
  select json_build_object(
    'created', publication.created,
    'asset', row_to_json(jsonb_populate_record(
      a,
      case when publication.shown_slug is null then '{}' else jsonb_build_object('slug', publication.shown_slug) end
    )),
    'version', v.version,
    'payload', v.payload,
    'sha256', v.sha256,
    'license', v.license,
    'scan', v.scan,
    'items', (
      select coalesce(json_agg(row_to_json(item) order by item.position), '[]')
      from (
        select i.position, i.asset_type, i.ref_id, i.title, i.payload, i.sha256, i.license, i.attribution
        from public.hub_bundle_items i
        where i.asset_id = v.asset_id and i.version = v.version
      ) item
    ),
    'redactions', (
      select r.redactions from public.hub_receipts r where r.asset_id = v.asset_id and r.version = v.version
    )
  )
  from public.hub_assets a
  join public.hub_asset_versions v on v.asset_id = a.id and v.version = publication.version
  where a.id = publication.asset_id and a.creator_id = publication.user_id;
$$;
comment on function private.publication is 'A version of a listing as readers get it, with its receipt; shown_slug replaces the slug in a preview.';
revoke execute on function private.publication from public, anon, authenticated, service_role;

create function private.preview_slug(slug text, asset_id uuid)
returns text
language sql
volatile
security definer
set search_path = ''
as $$
  select private.nth_slug(preview_slug.slug, coalesce((
    select n.attempt
    from generate_series(1, 9) n (attempt)
    where not exists (
      select from public.hub_assets a
      -- guard: publish: a preview does not disclose the slug of an invisible listing
      -- without: where a.slug = private.nth_slug(preview_slug.slug, n.attempt)  and a.id <> preview_slug.asset_id
      -- guard: publish: a preview ignores its own slug
      -- without: where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible 
      where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible and a.id <> preview_slug.asset_id
      -- end
      -- end
    )
    order by n.attempt
    limit 1
  ), 10));
$$;
comment on function private.preview_slug is 'The form of a slug that a new listing would get if only visible listings existed, so that a preview discloses no other.';
revoke execute on function private.preview_slug from public, anon, authenticated, service_role;

-- supabase/schemas/hub/52_sources.sql

-- What hub-publish reads, with the caller's rights: row level security leaves only the caller's own rows.

-- SECURITY DEFINER, because the creator cannot see a tombstone, but its attribution still applies to the source row.
create function private.own_attribution(asset_type text, ref_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select a.attribution
  from public.hub_assets a
  where a.asset_type = own_attribution.asset_type
    and a.ref_id = own_attribution.ref_id
    -- guard: publish: the attribution of a tombstone still applies
    -- without: and a.creator_id = (select auth.uid()) and a.deleted_at is null;
    and a.creator_id = (select auth.uid());
    -- end
$$;
comment on function private.own_attribution is 'The attribution of an item of the caller; null for an original.';
revoke execute on function private.own_attribution from public, anon, authenticated, service_role;
grant execute on function private.own_attribution to authenticated;

create function private.is_unchanged(payload jsonb, attribution jsonb)
returns boolean
language sql
stable
security invoker
set search_path = ''
as $$
  with origins as (
    select (o.origin ->> 'id')::uuid as asset_id, (o.origin ->> 'version')::integer as version
    from (
      values (is_unchanged.attribution -> 'root'), (is_unchanged.attribution -> 'parent')
      union all
      select v.origin from jsonb_array_elements(is_unchanged.attribution -> 'via') v (origin)
    ) o (origin)
    where o.origin is not null
  )
  select exists (
    select from origins o
    join public.hub_asset_versions v on v.asset_id = o.asset_id and v.version = o.version
    -- guard: import: an item that was changed is not reported as unchanged
    where v.payload - 'name' = is_unchanged.payload - 'name'
    -- end
  )
  or exists (
    select from origins o
    join public.hub_bundle_items i on i.asset_id = o.asset_id and i.version = o.version
    where i.payload - 'name' = is_unchanged.payload - 'name'
  );
$$;
comment on function private.is_unchanged is 'Whether one of the versions in an attribution has exactly this content, as its own payload or as an item of a kit. The name is not compared: a copy is named after its listing.';
revoke execute on function private.is_unchanged from public, anon, authenticated, service_role;
grant execute on function private.is_unchanged to service_role;

create function public.hub_unchanged(contents jsonb)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.is_unchanged(c.content -> 'payload', c.content -> 'attribution') order by c.place), '[]')
  from jsonb_array_elements(hub_unchanged.contents) with ordinality c (content, place);
$$;
comment on function public.hub_unchanged is 'For hub-publish: for contents [{payload, attribution}], whether each is the same as when it was imported: [boolean].';
revoke execute on function public.hub_unchanged from public, anon, authenticated, service_role;
grant execute on function public.hub_unchanged to service_role;

create function public.hub_sources(items jsonb)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  -- Twice the limit of a kit with its orchestration: JSON of the database has extra spaces, and the exact limit is checked later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    -- guard: hub: a repeated item is read once
    -- without: from (select r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
    -- end
    where case i.asset_type
      when 'template' then exists (select from public.prompt_templates t where t.id = i.ref_id)
      when 'component' then exists (select from public.custom_components c where c.id = i.ref_id)
      when 'orchestration' then exists (select from public.orchestrator_configs o where o.id = i.ref_id)
      when 'ai_preset' then exists (select from public.ai_model_settings s where s.id = i.ref_id)
      else private.refuse_asset_type(i.asset_type)
    end
    -- A kit has at most 50 items: 51 rows are enough to see that there are too many.
    limit 51
  loop
    sources := sources || jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', case found.asset_type
        when 'template' then (select to_jsonb(t) from public.prompt_templates t where t.id = found.ref_id)
        when 'component' then (select to_jsonb(c) from public.custom_components c where c.id = found.ref_id)
        when 'orchestration' then (select to_jsonb(o) from public.orchestrator_configs o where o.id = found.ref_id)
        when 'ai_preset' then (select to_jsonb(s) from public.ai_model_settings s where s.id = found.ref_id)
      end,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    );
    -- Stop early: sources that are much too large for a kit are neither read completely nor sent.
    bytes := bytes + octet_length(sources[cardinality(sources)]::text);
    -- guard: hub: reading sources stops at a limit
    -- without: if false then
    if bytes > max_bytes then
    -- end
      raise exception using
        errcode = 'PT422',
        message = 'validation_failed',
        detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
    end if;
  end loop;
  return to_jsonb(sources);
end;
$$;
comment on function public.hub_sources is 'The caller''s own workspace items, without repetition, [{asset_type, ref_id}] → [{asset_type, ref_id, content: the row, attribution}]. Items of other users are left out. Raises PT422 validation_failed beyond 12 MiB of JSON.';
revoke execute on function public.hub_sources from public, anon, authenticated, service_role;
grant execute on function public.hub_sources to authenticated;

-- supabase/schemas/hub/53_import.sql

-- Imported texts were written by others: invisible characters in names and descriptions are removed, not refused.
create function private.free_names(user_id uuid, rows jsonb)
returns table (place bigint, name text)
language sql
stable
security definer
set search_path = ''
as $$
  with wanted as (
    select r.place, r.value ->> 'asset_type' as asset_type, t.name,
      left(regexp_replace(t.name, ' \([0-9]{1,6}\)$', ''), 100) as base
    from jsonb_array_elements(free_names.rows) with ordinality r (value, place)
    cross join lateral (select private.as_one_line(r.value ->> 'title') as name) t
  ),
  mine as (
    select o.asset_type, o.name, left(regexp_replace(o.name, ' \([0-9]{1,6}\)$', ''), 100) as base,
      coalesce(substring(o.name from ' \(([0-9]{1,6})\)$')::integer, 1) as number
    from (
      select 'template' as asset_type, t.name from public.prompt_templates t where t.user_id = free_names.user_id
      union all
      select 'component', c.name from public.custom_components c where c.user_id = free_names.user_id
      union all
      select 'orchestration', f.name from public.orchestrator_configs f where f.user_id = free_names.user_id
      union all
      select 'ai_preset', s.name from public.ai_model_settings s where s.user_id = free_names.user_id
    ) o
    where o.asset_type in (select w.asset_type from wanted w)
  ),
  judged as (
    select w.*,
      row_number() over (partition by w.asset_type, w.name order by w.place) > 1
      -- guard: import: a name that the user has already is not used again
      -- without: as is_taken
      or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken
      -- end
    from wanted w
  ),
  used as (
    select m.asset_type, m.base, max(m.number) as last from mine m group by m.asset_type, m.base
  )
  select j.place,
    case
      when j.is_taken
      then j.base || ' (' || (
        coalesce(u.last, 1) + row_number() over (partition by j.asset_type, j.base, j.is_taken order by j.place)
      ) || ')'
      else j.name
    end
  from judged j
  left join used u on u.asset_type = j.asset_type and u.base = j.base;
$$;
comment on function private.free_names is 'Names for new rows of a workspace, by place: the title on one line, or "title (2)" and so on when a row of that type has that name.';
revoke execute on function private.free_names from public, anon, authenticated, service_role;

create function private.copy_rows(
  user_id uuid,
  rows jsonb,
  asset_id uuid,
  version integer,
  sha256 text,
  mode text
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
<<copy>>
declare
  source public.hub_assets;
  names text[];
  registry_ids uuid[];
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  -- Locked, so that assets that the copies refer to are not erased meanwhile. No reference is made to an asset erased before.
  perform from public.hub_assets a
  where a.id in (
    select copy_rows.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(copy_rows.rows) r (value)
  )
  -- guard: import: an import waits for the erasure of its root
  -- without: order by a.id;
  order by a.id
  for key share;
  -- end

  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(copy_rows.user_id, copy_rows.rows) n;

  if exists (
    select from jsonb_array_elements(copy_rows.rows) r (value)
    where (r.value ->> 'asset_type' = any ('{template,component,orchestration,ai_preset}')) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- The registry rows first: source rows look their mirrors up when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, copy_rows.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    -- guard: import: only the main row of a kit has a parent
    -- without: case when copy_rows.mode = 'remix' then source.id end,
    -- guard: import: a copy in mode use has no parent until it is published
    -- without: case when r.place = 1 then source.id end,
    case when r.place = 1 and copy_rows.mode = 'remix' then source.id end,
    -- end
    -- end
    -- guard: import: the depth of a remix is one more than its parent's
    -- without: case when r.place = 1 and copy_rows.mode = 'remix' and source.id is not null then 1 else 0 end,
    case when r.place = 1 and copy_rows.mode = 'remix' and source.id is not null then source.remix_depth + 1 else 0 end,
    -- end
    nullif(r.value -> 'attribution', 'null')
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  if copy_rows.rows @> '[{"asset_type": "template"}]' then
    insert into public.prompt_templates (id, user_id, name, description, content, variables)
    select (r.value ->> 'id')::uuid, copy_rows.user_id, copy.names[r.place], c.description, coalesce(c.content, ''), coalesce(c.variables, '[]')
    from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, content text, variables jsonb)
    where r.value ->> 'asset_type' = 'template'
    order by r.place;
  end if;
  if copy_rows.rows @> '[{"asset_type": "component"}]' then
    insert into public.custom_components (id, user_id, name, description, source, props_schema)
    select (r.value ->> 'id')::uuid, copy_rows.user_id, copy.names[r.place], c.description, coalesce(c.source, ''), coalesce(c.props_schema, '{}')
    from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, source text, props_schema jsonb)
    where r.value ->> 'asset_type' = 'component'
    order by r.place;
  end if;
  if copy_rows.rows @> '[{"asset_type": "orchestration"}]' then
    insert into public.orchestrator_configs (id, user_id, name, description, tags, nodes, edges, stage_configs)
    select (r.value ->> 'id')::uuid, copy_rows.user_id, copy.names[r.place], r.value ->> 'description',
      array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
      coalesce(c.nodes, '[]'), coalesce(c.edges, '[]'), coalesce(c.stage_configs, '[]')
    from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (nodes jsonb, edges jsonb, stage_configs jsonb)
    where r.value ->> 'asset_type' = 'orchestration'
    order by r.place;
  end if;
  if copy_rows.rows @> '[{"asset_type": "ai_preset"}]' then
    insert into public.ai_model_settings (
      id, user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api
    )
    select (r.value ->> 'id')::uuid, copy_rows.user_id, copy.names[r.place], c.model_id, c.temperature, c.top_p, c.top_k,
      c.max_output_tokens, c.thinking_level, c.thinking_budget, c.generate_content_api
    from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text
    )
    where r.value ->> 'asset_type' = 'ai_preset'
    order by r.place;
  end if;

  select jsonb_agg(
    jsonb_build_object(
      'asset_type', r.value -> 'asset_type',
      'table', r.value -> 'table',
      'id', r.value -> 'id',
      'hub_asset_id', copy.registry_ids[r.place],
      'title', copy.names[r.place]
    )
    order by r.place
  ) into created
  from jsonb_array_elements(copy_rows.rows) with ordinality r (value, place);

  if copy_rows.asset_id is null then
    return created;
  end if;
  -- Last, because counting locks the listing: concurrent imports of it wait here, and only until the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  -- guard: import: an import of a listing is recorded
  -- without: select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where false;
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  -- end
  -- Re-check under the lock: the listing may have been hidden, deleted or unpublished after it was read.
  select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  -- guard: import: visibility is re-checked under the lock
  -- without: if false
  -- guard: import: an invisible listing can be imported by its owner only
  -- without: if (source.is_visible or (source.deleted_at is null and true)) is not true
  if (source.is_visible or (source.deleted_at is null and source.creator_id = copy_rows.user_id)) is not true
  -- end
  -- end
    or not exists (
      select from public.hub_asset_versions v
      -- guard: import: the imported content is the stored version
      -- without: where v.asset_id = source.id and v.version = copy_rows.version 
      where v.asset_id = source.id and v.version = copy_rows.version and v.sha256 = copy_rows.sha256
      -- end
    )
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return created;
end;
$$;
comment on function private.copy_rows is 'Inserts the rows of an import, and the row of hub_imports when they come from a listing. Raises PT404 asset_not_found, PT422 validation_failed.';
revoke execute on function private.copy_rows from public, anon, authenticated, service_role;

create function private.import_asset(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  answer jsonb;
  created jsonb;
begin
  -- A token may still be valid after its account is deleted.
  -- guard: import: a token of a deleted account is refused
  -- without: if false then
  if not exists (select from auth.users u where u.id = import_asset.user_id) then
  -- end
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
  -- Serialized with a ban: either the ban waits for this lock, or this call finds the ban.
  -- guard: import: a banned user cannot import, also while the ban is being written
  perform private.begin_write(import_asset.user_id);
  -- end
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  -- guard: import: a repeated request gets the stored answer
  -- without: if false then
  if answer is not null then
  -- end
    return answer;
  end if;
  -- guard: publish: imports are counted
  -- without: perform jsonb_build_array(
  perform private.limit_calls(
  -- end
    -- guard: publish: a dry run of an import is counted as a preview
    -- without: import_asset.user_id, 'imports', import_asset.hourly_limit
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
    -- end
  );
  begin
    created := private.copy_rows(
      import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode
    );
    -- guard: import: a dry run writes nothing
    -- without: if false then
    if import_asset.dry_run then
    -- end
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The rows were rolled back: their ids mean nothing.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  -- guard: import: the answer is stored
  -- without: perform private.get_response(import_asset.user_id, 'hub-import', null, null) where false; perform jsonb_build_array(
  perform private.store_response(
  -- end
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$$;
comment on function private.import_asset is 'Imports planned rows into a user''s workspace, all or none; a dry run inserts them and rolls back. hourly_limit is the limit of imports, or of previews for a dry run. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function private.import_asset from public, anon, authenticated, service_role;
grant execute on function private.import_asset to service_role;

create function public.hub_import(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null
)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.import_asset(
    hub_import.user_id, hub_import.rows, hub_import.mode, hub_import.asset_id, hub_import.version, hub_import.sha256,
    hub_import.attribution, hub_import.warnings, hub_import.dry_run, hub_import.hourly_limit, hub_import.idempotency_key,
    hub_import.request_sha256
  );
$$;
comment on function public.hub_import is 'For hub-import: writes the rows that the core package has planned, in one transaction. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_import from public, anon, authenticated, service_role;
grant execute on function public.hub_import to service_role;

-- supabase/schemas/hub/60_own_listings.sql

-- What creators do with their published listings: unpublish, republish, delete.
create function private.lock_with_stars(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  -- Lock order: a concurrent unstar locks the star and then waits for the asset. So stars are not waited for under the lock of
  -- the asset: on a lock conflict all locks are released and taken again.
  loop
    begin
      perform from public.hub_assets a where a.id = lock_with_stars.asset_id for no key update;
      select count(*) into locked from (
        -- guard: hub: a star is not waited for under the lock of the asset
        -- without: select from public.hub_stars s where s.asset_id = lock_with_stars.asset_id for update
        select from public.hub_stars s where s.asset_id = lock_with_stars.asset_id for update skip locked
        -- end
      ) s;
      exit when locked = (select count(*) from public.hub_stars s where s.asset_id = lock_with_stars.asset_id);
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on a star, retries exhausted"}';
        end if;
        perform pg_sleep(0.01);
    end;
  end loop;
end;
$$;
comment on function private.lock_with_stars is 'Locks an asset that will become a tombstone, and its stars. Raises PT503 unavailable after 5 seconds of lock conflicts.';
revoke execute on function private.lock_with_stars from public, anon, authenticated, service_role;

create function private.own_listing(asset_id uuid, with_stars boolean default false)
returns public.hub_assets
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id;
  if asset.creator_id = caller and asset.deleted_at is null then
    perform private.lock_source(asset.asset_type, asset.ref_id, caller);
    if own_listing.with_stars then
      perform private.lock_with_stars(asset.id);
    end if;
    select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id for no key update;
  end if;
  -- guard: hub: creators change only their own listings
  -- without: if asset.deleted_at is null then
  if asset.deleted_at is null and asset.creator_id = caller then
  -- end
    if asset.published_at is null then
      raise exception using errcode = 'PT409', message = 'not_published';
    end if;
    return asset;
  end if;
  -- guard: hub: not_owner is raised for visible assets only
  -- without: if asset.id is not null then
  if asset.is_visible then
  -- end
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  raise exception using errcode = 'PT404', message = 'asset_not_found';
end;
$$;
comment on function private.own_listing is 'Locks and returns the caller''s own listing. Raises PT403 banned or not_owner (only for visible assets), PT404 asset_not_found, PT409 not_published.';
revoke execute on function private.own_listing from public, anon, authenticated, service_role;

create function private.unpublish_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(unpublish_asset.asset_id);
begin
  update public.hub_assets a set is_public = false where a.id = asset.id and a.is_public;
end;
$$;
comment on function private.unpublish_asset is 'Implements hub_unpublish_asset.';
revoke execute on function private.unpublish_asset from public, anon, authenticated, service_role;
grant execute on function private.unpublish_asset to authenticated;

create function private.republish_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(republish_asset.asset_id);
begin
  -- guard: hub: a listing without content is not republished
  -- without: if false and not exists (
  if not exists (
  -- end
    select from public.hub_asset_versions v where v.asset_id = asset.id and v.version = asset.current_version
  ) then
    raise exception using errcode = 'PT409', message = 'not_published';
  end if;
  update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
end;
$$;
comment on function private.republish_asset is 'Implements hub_republish_asset.';
revoke execute on function private.republish_asset from public, anon, authenticated, service_role;
grant execute on function private.republish_asset to authenticated;

create function private.delete_asset(asset_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.own_listing(delete_asset.asset_id, with_stars => true);
begin
  update public.hub_assets a set deleted_at = clock_timestamp() where a.id = asset.id;
end;
$$;
comment on function private.delete_asset is 'Implements hub_delete_asset.';
revoke execute on function private.delete_asset from public, anon, authenticated, service_role;
grant execute on function private.delete_asset to authenticated;

create function public.hub_unpublish_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unpublish_asset(hub_unpublish_asset.asset_id);
$$;
comment on function public.hub_unpublish_asset is 'Unpublishes the caller''s own listing; slug, stars, versions and published_at stay. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';
revoke execute on function public.hub_unpublish_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_unpublish_asset to authenticated;

create function public.hub_republish_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.republish_asset(hub_republish_asset.asset_id);
$$;
comment on function public.hub_republish_asset is 'Republishes the caller''s own listing with its current version; a hidden listing stays hidden. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';
revoke execute on function public.hub_republish_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_republish_asset to authenticated;

create function public.hub_delete_asset(asset_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.delete_asset(hub_delete_asset.asset_id);
$$;
comment on function public.hub_delete_asset is 'Turns the caller''s own listing into a tombstone: versions and stars are deleted, slug and reports stay, remixes keep working. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';
revoke execute on function public.hub_delete_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_delete_asset to authenticated;

-- supabase/schemas/hub/61_moderation_calls.sql

-- Moderation calls for admins, and for operators in the SQL editor. Triggers do the effects; these functions check the permission
-- and the state of the asset, and take locks in the lock order.
create function private.asset_for_admin(asset_id uuid, with_stars boolean default false)
returns public.hub_assets
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
begin
  perform private.require_admin();
  -- Resolved reports refer to the admin's account, which comes first in the lock order.
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  if asset_for_admin.with_stars then
    select a.* into asset from public.hub_assets a where a.id = asset_for_admin.asset_id;
    perform private.lock_source(asset.asset_type, asset.ref_id, asset.creator_id);
    perform private.lock_with_stars(asset.id);
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.id = asset_for_admin.asset_id and a.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return asset;
end;
$$;
comment on function private.asset_for_admin is 'Locks and returns an asset for an admin or operator. Raises 42501, PT404 asset_not_found.';
revoke execute on function private.asset_for_admin from public, anon, authenticated, service_role;

create function private.hide_asset(asset_id uuid, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(hide_asset.asset_id);
begin
  if not asset.is_visible then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  if private.clean(hide_asset.note) is null then
    perform private.refuse_faults(private.fault('note', 'required', 'is required'));
  end if;
  perform private.set_audit_note(hide_asset.note);
  update public.hub_assets a set is_hidden = true, hidden_reason = 'moderator' where a.id = asset.id;
end;
$$;
comment on function private.hide_asset is 'Implements hub_hide_asset.';
revoke execute on function private.hide_asset from public, anon, authenticated, service_role;
grant execute on function private.hide_asset to authenticated;

create function private.restore_asset(asset_id uuid, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(restore_asset.asset_id);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(restore_asset.note);
  update public.hub_assets a set is_hidden = false where a.id = asset.id;
end;
$$;
comment on function private.restore_asset is 'Implements hub_restore_asset.';
revoke execute on function private.restore_asset from public, anon, authenticated, service_role;
grant execute on function private.restore_asset to authenticated;

create function private.remove_asset(asset_id uuid, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  asset constant public.hub_assets := private.asset_for_admin(remove_asset.asset_id, with_stars => true);
begin
  -- guard: hub: only a hidden asset is removed
  -- without: if false then
  if not asset.is_hidden then
  -- end
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(remove_asset.note);
  update public.hub_assets a set deleted_at = clock_timestamp(), hidden_reason = 'removed' where a.id = asset.id;
end;
$$;
comment on function private.remove_asset is 'Implements hub_remove_asset.';
revoke execute on function private.remove_asset from public, anon, authenticated, service_role;
grant execute on function private.remove_asset to authenticated;

create function private.resolve_report(report_id uuid, outcome text, note text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  report public.hub_reports;
begin
  perform private.require_admin();
  if resolve_report.outcome is null or resolve_report.outcome not in ('upheld', 'dismissed') then
    perform private.refuse_faults(private.fault('outcome', 'invalid_value', 'must be "upheld" or "dismissed"'));
  end if;
  perform private.set_audit_note(resolve_report.note);
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id;
  perform from public.hub_assets a where a.id = report.asset_id for no key update;
  if resolve_report.outcome = 'upheld' then
    perform private.lock_reports(array[report.asset_id], null);
  end if;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'report_not_found';
  end if;
  if report.resolved then
    raise exception using errcode = 'PT409', message = 'report_resolved';
  end if;
  if resolve_report.outcome = 'dismissed' then
    update public.hub_reports r
    set resolved = true, outcome = 'dismissed', note = private.clean(resolve_report.note)
    where r.id = report.id;
  else
    perform private.close_reports(array[report.asset_id], 'upheld');
    -- Also when it is hidden for another reason or deleted by its creator: a later publication comes back hidden for this reason.
    update public.hub_assets a
    set is_hidden = true, hidden_reason = report.reason
    where a.id = report.asset_id and a.hidden_reason is distinct from 'removed';
  end if;
end;
$$;
comment on function private.resolve_report is 'Implements hub_resolve_report.';
revoke execute on function private.resolve_report from public, anon, authenticated, service_role;
grant execute on function private.resolve_report to authenticated;

create function private.ban_creator(user_id uuid, reason text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if char_length(ban_creator.reason) > 1000 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  perform from auth.users u where u.id = ban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  insert into private.hub_bans (user_id, reason, banned_by)
  values (ban_creator.user_id, private.clean(ban_creator.reason), (select auth.uid()))
  on conflict do nothing;
end;
$$;
comment on function private.ban_creator is 'Implements hub_ban_creator.';
revoke execute on function private.ban_creator from public, anon, authenticated, service_role;
grant execute on function private.ban_creator to authenticated;

create function private.unban_creator(user_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  perform from auth.users u where u.id = unban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  delete from private.hub_bans b where b.user_id = unban_creator.user_id;
end;
$$;
comment on function private.unban_creator is 'Implements hub_unban_creator.';
revoke execute on function private.unban_creator from public, anon, authenticated, service_role;
grant execute on function private.unban_creator to authenticated;

create function private.review_queue()
returns table (
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  creator_id uuid,
  creator_username text,
  creator_banned boolean,
  is_public boolean,
  is_hidden boolean,
  hidden_reason text,
  hidden_at timestamptz,
  deleted_at timestamptz,
  current_version integer,
  reviewed_version integer,
  open_reports integer,
  counting_reports integer,
  reports jsonb
)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  return query
  select
    a.id, a.asset_type, a.slug, a.title, a.creator_id, p.username, private.is_banned(a.creator_id),
    a.is_public, a.is_hidden, a.hidden_reason, a.hidden_at, a.deleted_at,
    a.current_version, m.reviewed_version, m.open_reports, m.counting_reports,
    coalesce(r.reports, '[]')
  from public.hub_assets a
  join private.hub_moderation m on m.asset_id = a.id
  left join public.hub_profiles p on p.user_id = a.creator_id
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', o.id,
      'reason', o.reason,
      'details', o.details,
      'version', o.version,
      'counts', o.counts,
      'created_at', o.created_at,
      'reporter_id', o.reporter_id
    ) order by o.created_at, o.id) as reports
    from public.hub_reports o
    where o.asset_id = a.id and not o.resolved
  ) r on true
  where m.open_reports > 0 or (a.is_hidden and a.deleted_at is null)
  -- Hidden assets first, then those nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$$;
comment on function private.review_queue is 'Implements hub_review_queue.';
revoke execute on function private.review_queue from public, anon, authenticated, service_role;
grant execute on function private.review_queue to authenticated;

create function public.hub_review_queue()
returns table (
  asset_id uuid,
  asset_type text,
  slug text,
  title text,
  creator_id uuid,
  creator_username text,
  creator_banned boolean,
  is_public boolean,
  is_hidden boolean,
  hidden_reason text,
  hidden_at timestamptz,
  deleted_at timestamptz,
  current_version integer,
  reviewed_version integer,
  open_reports integer,
  counting_reports integer,
  reports jsonb
)
language sql
stable
security invoker
set search_path = ''
as $$
  select * from private.review_queue();
$$;
comment on function public.hub_review_queue is 'For admins: assets that are hidden or have open reports, with these reports; hidden ones first, at most 500.';
revoke execute on function public.hub_review_queue from public, anon, authenticated, service_role;
grant execute on function public.hub_review_queue to authenticated;

create function public.hub_hide_asset(asset_id uuid, note text)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.hide_asset(hub_hide_asset.asset_id, hub_hide_asset.note);
$$;
comment on function public.hub_hide_asset is 'For admins: hides a visible asset; the note is required. Raises PT404 asset_not_found, PT409 not_visible.';
revoke execute on function public.hub_hide_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_hide_asset to authenticated;

create function public.hub_restore_asset(asset_id uuid, note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.restore_asset(hub_restore_asset.asset_id, hub_restore_asset.note);
$$;
comment on function public.hub_restore_asset is 'For admins: restores a hidden asset and dismisses its open reports. Raises PT404 asset_not_found, PT409 not_hidden.';
revoke execute on function public.hub_restore_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_restore_asset to authenticated;

create function public.hub_remove_asset(asset_id uuid, note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.remove_asset(hub_remove_asset.asset_id, hub_remove_asset.note);
$$;
comment on function public.hub_remove_asset is 'For admins: removes a hidden asset permanently; a tombstone keeps its id and slug. Raises PT404 asset_not_found, PT409 not_hidden.';
revoke execute on function public.hub_remove_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_remove_asset to authenticated;

create function public.hub_resolve_report(report_id uuid, outcome text, note text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.resolve_report(hub_resolve_report.report_id, hub_resolve_report.outcome, hub_resolve_report.note);
$$;
comment on function public.hub_resolve_report is 'For admins: dismissed closes one report; upheld closes all open reports on the asset and hides it. Raises PT404 report_not_found, PT409 report_resolved, PT422 validation_failed.';
revoke execute on function public.hub_resolve_report from public, anon, authenticated, service_role;
grant execute on function public.hub_resolve_report to authenticated;

create function public.hub_ban_creator(user_id uuid, reason text default null)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.ban_creator(hub_ban_creator.user_id, hub_ban_creator.reason);
$$;
comment on function public.hub_ban_creator is 'For admins: hides all assets of a user and refuses all writes of the user to the hub; idempotent. Raises PT404 user_not_found, PT422 cannot_ban_self or cannot_ban_admin.';
revoke execute on function public.hub_ban_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_ban_creator to authenticated;

create function public.hub_unban_creator(user_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.unban_creator(hub_unban_creator.user_id);
$$;
comment on function public.hub_unban_creator is 'For admins: lifts a ban; assets that reports or admins have hidden stay hidden. Raises PT404 user_not_found.';
revoke execute on function public.hub_unban_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_unban_creator to authenticated;

-- supabase/schemas/hub/70_asset.sql

-- What readers get of one listing: card, content, attribution. Row level security decides which rows a caller sees; only the
-- names of authors and the state of an original are read with SECURITY DEFINER.
create function private.creator(user_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url)
  from public.hub_profiles p
  -- guard: import: a banned author is not named
  -- without: where p.user_id = creator.user_id ;
  where p.user_id = creator.user_id and not private.is_banned(p.user_id);
  -- end
$$;
comment on function private.creator is 'A creator as cards show them; null when the account is deleted or banned.';
revoke execute on function private.creator from public, anon, authenticated, service_role;
grant execute on function private.creator to anon, authenticated, service_role;

create function private.asset_card(asset public.hub_assets)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'id', (asset_card.asset).id,
    'slug', (asset_card.asset).slug,
    'asset_type', (asset_card.asset).asset_type,
    'title', (asset_card.asset).title,
    'description', (asset_card.asset).description,
    'tags', (asset_card.asset).tags,
    'thumbnail_url', (asset_card.asset).thumbnail_url,
    'license', (asset_card.asset).license,
    'creator', private.creator((asset_card.asset).creator_id),
    'install_count', (asset_card.asset).install_count,
    'star_count', (asset_card.asset).star_count,
    'published_at', (asset_card.asset).published_at,
    'content_updated_at', (asset_card.asset).content_updated_at,
    'remix_depth', (asset_card.asset).remix_depth
  );
$$;
comment on function private.asset_card is 'The card of a listing that the caller may see.';
revoke execute on function private.asset_card from public, anon, authenticated, service_role;
grant execute on function private.asset_card to anon, authenticated, service_role;

create function private.shown_origin(origin jsonb)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  -- Of the original's current row only this is disclosed: whether it can be opened and whether it is deleted.
  -- guard: import: an attribution shows no author's id
  -- without: select shown_origin.origin - 'nothing' || jsonb_build_object(
  select shown_origin.origin - 'creator_id' || jsonb_build_object(
  -- end
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- guard: import: a hidden original cannot be opened
    -- without: 'available', a.id is not null,
    'available', coalesce(a.is_visible, false),
    -- end
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
$$;
comment on function private.shown_origin is 'An origin of an attribution, with its author''s current name, and whether it is available or deleted.';
revoke execute on function private.shown_origin from public, anon, authenticated, service_role;

create function private.shown_attribution(attribution jsonb)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  root constant jsonb := private.shown_origin(shown_attribution.attribution -> 'root');
  parent constant jsonb := private.shown_origin(shown_attribution.attribution -> 'parent');
  via constant jsonb := shown_attribution.attribution -> 'via';
  claimed constant jsonb := shown_attribution.attribution -> 'claimed';
  original constant jsonb := coalesce(claimed -> 'root', claimed);
begin
  if shown_attribution.attribution is null then
    return null;
  end if;
  return case when claimed is null then '{}' else jsonb_build_object('claimed', claimed) end
    || case
      -- guard: import: an attribution shows all authors in via
      -- without: when true then '{}'
      when via is null then '{}'
      -- end
      else jsonb_build_object('via', (
        select jsonb_agg(private.shown_origin(v.origin) order by v.place)
        from jsonb_array_elements(via) with ordinality v (origin, place)
      ))
    end
    || jsonb_build_object(
      'root', root,
      'parent', parent,
      'text', case
        when root is null then 'Said to come from “' || (original ->> 'title') || '”' || coalesce(' by ' || (original ->> 'creator'), '')
        when (root -> 'deleted')::boolean then 'Remixed from a deleted asset' || coalesce(' by @' || (root #>> '{creator,username}'), '')
        else 'Remixed from “' || (root ->> 'title') || '”' || coalesce(' by @' || (root #>> '{creator,username}'), '')
      end
    );
end;
$$;
comment on function private.shown_attribution is 'An attribution as a badge shows it: root, parent and via with their authors'' current names and whether they are available, and a sentence about the original.';
revoke execute on function private.shown_attribution from public, anon, authenticated, service_role;
grant execute on function private.shown_attribution to anon, authenticated, service_role;

create function private.find_asset(id_or_slug text)
returns uuid
language sql
stable
security invoker
set search_path = ''
as $$
  -- No slug has the form of an id.
  select a.id
  from public.hub_assets a
  where a.slug = lower(find_asset.id_or_slug)
    or a.id = case
      when find_asset.id_or_slug ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then find_asset.id_or_slug::uuid
    end
  order by a.slug = lower(find_asset.id_or_slug)
  limit 1;
$$;
comment on function private.find_asset is 'The id of the asset with this id or slug, if the caller may see it.';
revoke execute on function private.find_asset from public, anon, authenticated, service_role;
grant execute on function private.find_asset to anon, authenticated, service_role;

-- A listing may have been hidden because of its title: a later deletion by its creator must not show the title again.
create function private.tombstone(id_or_slug text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  asset public.hub_assets;
begin
  select a.* into asset
  from public.hub_assets a
  -- An asset that was never published has no public tombstone.
  -- guard: import: an asset that was never published has no tombstone
  -- without: where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null ;
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null;
  -- end
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- The tombstone of a hidden asset shows nothing of it.
  -- guard: hub: the tombstone of a hidden asset shows nothing of it
  -- without: if asset.hidden_by_ban then
  -- guard: hub: the tombstone of a banned creator's asset shows nothing of it
  -- without: if asset.is_hidden then
  if asset.is_hidden or asset.hidden_by_ban then
  -- end
  -- end
    return '{"deleted": true}';
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'slug', asset.slug,
    'asset_type', asset.asset_type,
    'title', asset.title,
    'license', asset.license,
    'creator', private.creator(asset.creator_id),
    'remix_depth', asset.remix_depth,
    'attribution', private.shown_attribution(asset.attribution),
    'deleted', true
  );
end;
$$;
comment on function private.tombstone is 'What is shown of a deleted listing: the fields of an attribution, or only deleted = true when moderation had hidden it. Raises PT404 asset_not_found for any other asset.';
revoke execute on function private.tombstone from public, anon, authenticated, service_role;
grant execute on function private.tombstone to anon, authenticated, service_role;

create function public.hub_asset(id_or_slug text, version integer default null)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  asset public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into asset
  from public.hub_assets a
  where a.id = private.find_asset(hub_asset.id_or_slug) and a.deleted_at is null;
  if not found then
    return private.tombstone(hub_asset.id_or_slug);
  end if;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = coalesce(hub_asset.version, asset.current_version);
  if content.version is null and hub_asset.version is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return private.asset_card(asset) || jsonb_build_object(
    'deleted', false,
    'is_visible', asset.is_visible,
    'creator_id', asset.creator_id,
    'source_asset_id', asset.source_asset_id,
    'parent_asset_id', asset.parent_asset_id,
    'remix_count', (
      select count(*)
      from public.hub_assets r
      where r.is_visible and (r.source_asset_id = asset.id or r.parent_asset_id = asset.id)
    ),
    'lineage', asset.attribution,
    'attribution', private.shown_attribution(asset.attribution),
    'current_version', asset.current_version,
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object('version', v.version, 'license', v.license, 'created_at', v.created_at) order by v.version desc
      ), '[]')
      from public.hub_asset_versions v
      where v.asset_id = asset.id
    ),
    'version', content.version,
    'version_license', content.license,
    'payload', content.payload,
    'sha256', content.sha256,
    'scan', content.scan,
    'items', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'asset_type', i.asset_type,
          'ref_id', i.ref_id,
          'title', i.title,
          'payload', i.payload,
          'sha256', i.sha256,
          'license', i.license,
          'lineage', i.attribution,
          'attribution', private.shown_attribution(i.attribution)
        )
        order by i.position
      ), '[]')
      from public.hub_bundle_items i
      where i.asset_id = asset.id and i.version = content.version
    )
  );
end;
$$;
comment on function public.hub_asset is 'One listing with its content: the current version, or an older one for its owner, admins and importers. For a deleted listing only the fields of an attribution and deleted = true; if moderation had hidden it, only deleted = true. Raises PT404 asset_not_found.';
revoke execute on function public.hub_asset from public, anon, authenticated, service_role;
grant execute on function public.hub_asset to anon, authenticated, service_role;

-- supabase/schemas/hub/71_remixes.sql

-- Pagination: a cursor is opaque to clients and valid only for the list that returned it.
create function private.to_cursor(place jsonb)
returns text
language sql
immutable
set search_path = ''
as $$
  select translate(encode(convert_to(to_cursor.place::text, 'UTF8'), 'base64'), E'+/=\n', '-_');
$$;
comment on function private.to_cursor is 'Encodes a place in a list as a cursor.';
revoke execute on function private.to_cursor from public, anon, authenticated, service_role;
grant execute on function private.to_cursor to anon, authenticated;

create function private.from_cursor(cursor text, list jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
declare
  place jsonb;
begin
  begin
    place := convert_from(
      decode(rpad(translate(from_cursor.cursor, '-_', '+/'), 4 * ((char_length(from_cursor.cursor) + 3) / 4), '='), 'base64'),
      'UTF8'
    )::jsonb;
  exception
    when data_exception or program_limit_exceeded then null;
  end;
  -- guard: import: a cursor is valid for its list only
  -- without: if place is null then
  if place -> 'list' is distinct from from_cursor.list then
  -- end
    raise exception using errcode = 'PT400', message = 'malformed_cursor';
  end if;
  return place;
end;
$$;
comment on function private.from_cursor is 'Decodes a cursor of this list to its place. Raises PT400 malformed_cursor for any other text.';
revoke execute on function private.from_cursor from public, anon, authenticated, service_role;
grant execute on function private.from_cursor to anon, authenticated;

create function public.hub_remixes(asset_id uuid, cursor text default null)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  items jsonb;
  last jsonb;
begin
  if hub_remixes.cursor is not null then
    place := private.from_cursor(hub_remixes.cursor, list);
    -- Cursors are not signed: check the types of a decoded place.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      -- guard: import: the types in a cursor are checked
      or not pg_input_is_valid(place ->> 'id', 'uuid')
      -- end
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  -- Cards are built only for the rows of this page.
  with page as (
    select r.id, r.parent_asset_id is not distinct from hub_remixes.asset_id as direct, r.published_at
    from public.hub_assets r
    -- guard: import: lists of remixes have visible rows only
    -- without: where true
    where r.is_visible
    -- end
      and (r.source_asset_id = hub_remixes.asset_id or r.parent_asset_id = hub_remixes.asset_id)
      and (
        place is null
        or (r.parent_asset_id is not distinct from hub_remixes.asset_id, r.published_at, r.id)
          < ((place -> 'direct')::boolean, (place ->> 'at')::timestamptz, (place ->> 'id')::uuid)
      )
    order by direct desc, r.published_at desc, r.id desc
    limit page_size + 1
  ),
  numbered as (
    select p.*, row_number() over (order by p.direct desc, p.published_at desc, p.id desc) as n from page p
  )
  select
    coalesce(
      jsonb_agg(
        private.asset_card(r) || jsonb_build_object('direct', p.direct, 'parent_asset_id', r.parent_asset_id) order by p.n
      ) filter (where p.n <= page_size),
      '[]'
    ),
    case
      when count(*) > page_size
      then jsonb_agg(jsonb_build_object('list', list, 'direct', p.direct, 'at', p.published_at, 'id', p.id) order by p.n) -> page_size - 1
    end
  into items, last
  from numbered p
  join public.hub_assets r on r.id = p.id;
  return jsonb_build_object('items', items, 'next_cursor', private.to_cursor(last));
end;
$$;
comment on function public.hub_remixes is 'The visible remixes of an asset, direct ones first, then newest first: {items, next_cursor}. Raises PT400 malformed_cursor.';
revoke execute on function public.hub_remixes from public, anon, authenticated, service_role;
grant execute on function public.hub_remixes to anon, authenticated;

-- supabase/schemas/hub/72_updates.sql

-- Any origin of a copy may be harmful: parent, root and via are all checked, each origin once.
create function private.updates()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    -- guard: import: updates are listed for the caller's own copies only
    -- without: where c.deleted_at is null
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
    -- end
      -- guard: import: a newer version of an invisible asset is not listed
      and s.is_visible
      -- end
      and s.current_version > (c.attribution #>> '{parent,version}')::integer
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- guard: import: harmful origins in via are listed
        -- without: select 3, null::jsonb where false
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
        -- end
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$$;
comment on function private.updates is 'Implements hub_updates.';
revoke execute on function private.updates from public, anon, authenticated, service_role;
grant execute on function private.updates to authenticated;

create function public.hub_updates()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.updates();
$$;
comment on function public.hub_updates is 'The caller''s copies whose source has a newer version (newer_version), and those with a source that was hidden for malicious code (malicious_code) or removed (removed).';
revoke execute on function public.hub_updates from public, anon, authenticated, service_role;
grant execute on function public.hub_updates to authenticated;

-- supabase/schemas/hub/80_check_counters.sql

-- Consistency check for operators: it never returns rows unless a trigger is wrong or was disabled.
create function public.hub_check_counters()
returns table (asset_id uuid, counter text, stored integer, counted integer)
language sql
stable
security invoker
set search_path = ''
as $$
  select c.asset_id, c.counter, c.stored, c.counted
  from (
    select a.id as asset_id, 'star_count' as counter, a.star_count as stored, coalesce(s.stars, 0) as counted
    from public.hub_assets a
    left join (select o.asset_id, count(*)::integer as stars from public.hub_stars o group by o.asset_id) s on s.asset_id = a.id
    union all
    select a.id, 'install_count', a.install_count, coalesce(i.users, 0)
    from public.hub_assets a
    left join (
      select o.asset_id, count(distinct o.user_id)::integer as users
      from public.hub_imports o
      join public.hub_assets of on of.id = o.asset_id
      where o.counts or o.user_id is distinct from of.creator_id
      group by o.asset_id
    ) i on i.asset_id = a.id
    union all
    select a.id, 'open_reports', m.open_reports, coalesce(r.open, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as open from public.hub_reports o where not o.resolved group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    select a.id, 'counting_reports', m.counting_reports, coalesce(r.counting, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as counting
      from public.hub_reports o
      where not o.resolved and o.counts
      group by o.asset_id
    ) r on r.asset_id = a.id
  ) c
  where c.stored is distinct from c.counted;
$$;
comment on function public.hub_check_counters is 'For operators: one row for each counter that differs from the number of rows it counts; empty when all are consistent.';
revoke execute on function public.hub_check_counters from public, anon, authenticated, service_role;
grant execute on function public.hub_check_counters to service_role;

-- supabase/schemas/hub/81_prune.sql

-- Each request deletes the user's own expired rows; this deletes those of users who send no more requests.
create function public.hub_prune()
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  -- guard: publish: expired calls are pruned
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  -- end
  get diagnostics expired_calls = row_count;
  return pruned + expired_tokens + expired_calls;
end;
$$;
comment on function public.hub_prune is 'For operators: deletes answers older than 24 hours, expired scan tokens, and calls older than one hour; returns the number of rows.';
revoke execute on function public.hub_prune from public, anon, authenticated, service_role;

-- supabase/schemas/keys/10_user_api_keys.sql

-- The keys themselves. One row has everything that decides whether a key may be leased, so that a
-- row lock on it orders leases, reports and operator edits, and a re-check after waiting sees it all.
create table public.user_api_keys (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  key_name text not null,
  api_key_encrypted text not null,
  priority integer not null default 0,
  provider text,
  is_active boolean not null default true,
  usage_count bigint not null default 0,
  generation integer not null default 1,
  cooling_until timestamptz,
  unusable_reason text,
  unusable_since timestamptz,
  sealed_kid text generated always as (split_part(api_key_encrypted, '.', 3)) stored,
  ready_at timestamptz generated always as (
    case
      when is_active and unusable_reason is null then coalesce(cooling_until, '-infinity'::timestamptz)
      else 'infinity'::timestamptz
    end
  ) stored,
  is_ready boolean generated always as (is_active and unusable_reason is null and cooling_until is null) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  settings jsonb not null default '{}',
  constraint user_api_keys_pkey primary key (id),
  constraint user_api_keys_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint user_api_keys_key_name_check check (char_length(key_name) between 1 and 200),
  constraint user_api_keys_provider_check check (provider ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  -- Far below what bigint holds, so that counting up cannot overflow.
  constraint user_api_keys_usage_count_check check (usage_count between 0 and 4000000000000000000),
  constraint user_api_keys_generation_check check (generation >= 1)
)
-- Measured by: npm run bench -- bloat. usage_count is indexed, so that each lease writes a new version of the key's row and a
-- new entry of each of its indexes, wherever the version stands: room on the pages would save nothing. What helps is vacuum:
-- by a fiftieth of a large pool, and as often as it comes for a small one. No plan depends on what leases change, and
-- analyzing after every few hundred would only make every session plan again.
with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);
comment on table public.user_api_keys is 'Provider API keys, sealed. A key may be leased while ready_at is not later than now; order: priority descending, usage_count ascending, id.';
comment on column public.user_api_keys.api_key_encrypted is 'HPKE sealed text hpke.v1.<kid>.<enc>.<ciphertext>, bound to user_id. Made by: npm run seal -- --user <user_id>.';
comment on column public.user_api_keys.priority is 'Keys with a higher priority are leased first.';
comment on column public.user_api_keys.provider is 'Lower case, such as openai; null serves any provider.';
-- Enabling a key, or moving it to another priority, sets the count as well.
comment on column public.user_api_keys.usage_count is 'Orders the keys of a priority. Leases, counted from the least of its peers when it was added, enabled or moved; the usage log is the exact count.';
comment on column public.user_api_keys.generation is 'Rises when an operator replaces the ciphertext, re-enables the key, gives it to another user or resets its block; reports on leases of an older generation are stale.';
comment on column public.user_api_keys.cooling_until is 'Copy of api_key_health.blocked_until, kept by trigger; edit it there. Cleared when the block is over, by an edit or the first lease that finds it so.';
comment on column public.user_api_keys.unusable_reason is 'Set when the sealed text could not be opened; cleared when the ciphertext changes.';
comment on column public.user_api_keys.unusable_since is 'When that was found out.';
comment on column public.user_api_keys.sealed_kid is 'Which seal key pair the text was sealed to.';
comment on column public.user_api_keys.is_ready is 'May be leased without a look at the clock. A key whose cooldown has just ended is not ready until a lease has expired the cooldown.';
comment on column public.user_api_keys.ready_at is 'The one predicate of selector and view: available when <= now, infinity when waiting cannot help.';
comment on column public.user_api_keys.settings is 'Returned with the lease: base_url (https), organization, project. Nothing secret.';
alter table public.user_api_keys enable row level security;
revoke all on table public.user_api_keys from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.user_api_keys to service_role;

-- Ready keys in the order of selection, apart from the others: cooling keys fall behind in usage_count, and a scan that
-- had to walk past them would grow with the pool. Also serves the foreign key to auth.users.
create index user_api_keys_selection_idx on public.user_api_keys (user_id, priority, is_ready, usage_count, id);
-- Whose block ends next, tier by tier.
create index user_api_keys_cooling_idx on public.user_api_keys (user_id, priority, cooling_until)
where cooling_until is not null and is_active and unusable_reason is null;

create policy user_api_keys_service_all on public.user_api_keys for all to service_role using (true) with check (true);

-- A plaintext key must not be stored by mistake, nor come back in the message.
create function private.refuse_unsealed_key(sealed text)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if sealed is null
    or octet_length(sealed) > 16384
    or sealed !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}$'
  then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
end;
$$;
comment on function private.refuse_unsealed_key is 'Raises PT422 unless the text has the form of a sealed key; never repeats the text.';
revoke execute on function private.refuse_unsealed_key from public, anon, authenticated, service_role;
grant execute on function private.refuse_unsealed_key to service_role;

-- A key that joins a tier with a low count would take all of the traffic until it caught up.
create function private.least_usage_count(user_id uuid, priority integer, except_id uuid)
returns bigint
language sql
stable
set search_path = ''
as $$
  -- Two steps into the index rather than a walk through the tier.
  select least(
    (
      select k.usage_count
      from public.user_api_keys k
      where k.user_id = least_usage_count.user_id
        and k.priority = least_usage_count.priority
        and k.is_ready
        and k.id is distinct from least_usage_count.except_id
      order by k.usage_count, k.id
      limit 1
    ),
    (
      select k.usage_count
      from public.user_api_keys k
      where k.user_id = least_usage_count.user_id
        and k.priority = least_usage_count.priority
        and not k.is_ready
        and k.is_active
        and k.id is distinct from least_usage_count.except_id
      order by k.usage_count, k.id
      limit 1
    )
  );
$$;
comment on function private.least_usage_count is 'The count at which a key joins the active keys of a user and priority; null when it is the first.';
revoke execute on function private.least_usage_count from public, anon, authenticated, service_role;
grant execute on function private.least_usage_count to service_role;

create function private.user_api_keys_before_insert()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- guard: unsealed text is refused on insert
  perform private.refuse_unsealed_key(new.api_key_encrypted);
  -- end
  new.provider := nullif(lower(btrim(new.provider)), '');
  new.generation := 1;
  new.cooling_until := null;
  new.unusable_reason := null;
  new.unusable_since := null;
  -- guard: tier minimum on insert
  -- without: if false then
  if new.usage_count = 0 then
  -- end
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), 0);
  end if;
  return new;
end;
$$;
comment on function private.user_api_keys_before_insert is 'Refuses unsealed text, starts the count at that of its peers, fixes what only the system writes.';
revoke execute on function private.user_api_keys_before_insert from public, anon, authenticated, service_role;

create trigger user_api_keys_20_before_insert
before insert on public.user_api_keys
for each row execute function private.user_api_keys_before_insert();

create function private.user_api_keys_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  replaced constant boolean := new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled constant boolean := new.is_active and not old.is_active;
  given_away constant boolean := new.user_id is distinct from old.user_id;
  -- A lease clears a block that is over.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
begin
  -- Direct edits only: the trigger of api_key_health writes these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- guard: the copy of the block cannot be edited
    new.cooling_until := case when expired then null else old.cooling_until end;
    -- end
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');

  if replaced then
    -- guard: unsealed text is refused on update
    perform private.refuse_unsealed_key(new.api_key_encrypted);
    -- end
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    -- guard: a replaced or re-enabled key raises its generation
    new.generation := old.generation + 1;
    -- end
    new.cooling_until := null;
  end if;

  -- Into a tier it did not serve: enabled, repaired, or of another priority or owner.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- guard: tier minimum on re-activation and move
  -- without: if false and new.usage_count = old.usage_count then
  if joins and new.usage_count = old.usage_count then
  -- end
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), new.usage_count);
  end if;
  -- Ready at once when its cooldown is over: the tier's next check may have been postponed before the key came.
  -- guard: a key that is moved when its cooldown is over is ready
  -- without: if false then
  -- guard: an edit expires a cooldown only of a key that joins a tier
  -- without: if new.cooling_until <= clock_timestamp() then
  if joins and new.cooling_until <= clock_timestamp() then
  -- end
  -- end
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.user_api_keys_before_update is 'Keeps generation, count, block copy and sealing true under any edit of a key row.';
revoke execute on function private.user_api_keys_before_update from public, anon, authenticated, service_role;

-- Not fired by a lease, which writes usage_count alone.
create trigger user_api_keys_25_before_update
before update of id, user_id, key_name, api_key_encrypted, priority, provider, is_active, generation, cooling_until, unusable_reason, unusable_since
on public.user_api_keys
for each row execute function private.user_api_keys_before_update();

-- A count that somebody writes stays so far below what counting can reach that it never meets the check, neither in its own row
-- nor in those that take it over when they join.
create function private.refuse_huge_usage_count()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  largest constant bigint := 1000000000000000;
begin
  -- What has been counted up, or taken over from its peers, comes in small steps.
  -- guard: a usage_count that is written is not larger than counting can bear
  -- without: if false then
  -- guard: a usage_count that was counted up is not refused
  -- without: if true then
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
  -- end
  -- end
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$$;
comment on function private.refuse_huge_usage_count is 'Refuses a usage_count of more than 10^15 that was written and not counted. Raises PT422 validation_failed.';
revoke execute on function private.refuse_huge_usage_count from public, anon, authenticated, service_role;

-- Before the trigger that lets a key take over the count of its peers, which runs behind this one by its name.
create trigger user_api_keys_10_check_usage_count_insert
before insert on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();
create trigger user_api_keys_15_check_usage_count_update
before update of usage_count on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();

create function private.check_key_settings()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  new.settings := coalesce(new.settings, '{}');
  if jsonb_typeof(new.settings) <> 'object'
    -- guard: settings: no other members
    or new.settings - array['base_url', 'organization', 'project'] <> '{}'
    -- end
    or exists (
      select
      from jsonb_each(new.settings) s
      where jsonb_typeof(s.value) <> 'string'
        -- guard: settings: nothing secret
        or private.looks_secret(s.value #>> '{}')
        -- end
        or char_length(s.value #>> '{}') > case s.key when 'base_url' then 2048 else 200 end
        or s.value #>> '{}' !~ case s.key
          -- No user info, no query, no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- What stands in it may be a secret, and is not repeated.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$$;
comment on function private.check_key_settings is 'Raises PT422 unless settings is an object of the three texts and none of them looks like a secret; the message never repeats them.';
revoke execute on function private.check_key_settings from public, anon, authenticated, service_role;

-- Not a check constraint, which every lease would pay for.
create trigger user_api_keys_30_check_settings
before insert or update of settings on public.user_api_keys
for each row when (new.settings is distinct from '{}')
execute function private.check_key_settings();

-- A view, and not a function: a view is part of the plan of who asks it, and takes no time of its own.
create view private.key_leases
with (security_invoker = true)
as
select
  k.id,
  k.usage_count,
  jsonb_build_object(
    'leased', true,
    'key_id', k.id,
    'user_id', k.user_id,
    'key_name', k.key_name,
    'provider', k.provider,
    'api_key_encrypted', k.api_key_encrypted,
    'generation', k.generation,
    'priority', k.priority,
    'settings', k.settings
  ) as lease
from public.user_api_keys k;
comment on view private.key_leases is 'What a lease holds of its key. lease_api_key raises usage_count through it, and adds lease_id and leased_at.';
revoke all on table private.key_leases from public, anon, authenticated, service_role;
grant select, update on table private.key_leases to service_role;

-- supabase/schemas/keys/11_api_key_health.sql

-- Why a key is in the state it is in. blocked_until and consecutive_failures are what operators reset;
-- the rest explains the state and feeds the rules of set-key-state.
--
-- Lock order everywhere: key row, then health row. An operator's reset goes the other way (the UPDATE locks
-- the health row before its trigger runs), so code that holds a key row must never wait for a health row.
create table public.api_key_health (
  user_api_key_id uuid not null,
  blocked_until timestamptz,
  consecutive_failures integer not null default 0,
  rate_blocked_until timestamptz,
  reason text,
  reason_code text,
  reason_since timestamptz,
  reason_log_id uuid,
  last_failure_at timestamptz,
  recent_server_errors timestamptz[] not null default '{}',
  last_reported_at timestamptz,
  last_outcome text,
  last_error_code text,
  last_effect text,
  constraint api_key_health_pkey primary key (user_api_key_id),
  constraint api_key_health_user_api_key_id_fkey foreign key (user_api_key_id) references public.user_api_keys (id) on delete cascade,
  constraint api_key_health_consecutive_failures_check check (consecutive_failures between 0 and 1000000000)
)
-- No index covers what a report changes. With room on its page the new version needs no entry in any index, and the old
-- one is cleared away by the next report on that page, without vacuum.
with (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);
comment on table public.api_key_health is 'One row per key, made with the key. Reset a block with: update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ...';
comment on column public.api_key_health.blocked_until is 'Cooling down while later than now; null means no cooldown.';
comment on column public.api_key_health.consecutive_failures is 'Rate and quota outages in a row: the exponent of the cooldown.';
comment on column public.api_key_health.rate_blocked_until is 'End of the last block by a rate or quota failure; a lease issued before it cannot escalate.';
comment on column public.api_key_health.reason is 'What set the present block or disabled the key: an outcome of set-key-state, many_at_once, blocked_by_operator or disabled_by_operator.';
comment on column public.api_key_health.reason_code is 'The error code of the report behind reason.';
comment on column public.api_key_health.reason_since is 'When the present block or the disabling began.';
comment on column public.api_key_health.reason_log_id is 'The usage log row of that report. No foreign key: pruning spares it by looking here.';
comment on column public.api_key_health.last_failure_at is 'The newest failure that changed something; a success on a lease issued before it is stale.';
comment on column public.api_key_health.recent_server_errors is 'Times of the newest tolerated server errors in a row, oldest first.';
comment on column public.api_key_health.last_reported_at is 'The newest report of any class, to the second; one that changes nothing leaves it alone while somebody holds the row.';
alter table public.api_key_health enable row level security;
revoke all on table public.api_key_health from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_health to service_role;

create policy api_key_health_service_all on public.api_key_health for all to service_role using (true) with check (true);

create function private.make_api_key_health()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.api_key_health (user_api_key_id, reason, reason_since)
  values (
    new.id,
    case when not new.is_active then 'disabled_by_operator' end,
    case when not new.is_active then clock_timestamp() end
  );
  return null;
end;
$$;
comment on function private.make_api_key_health is 'Gives each new key its health row, so that the documented reset always finds it.';
revoke execute on function private.make_api_key_health from public, anon, authenticated, service_role;

create trigger user_api_keys_65_make_health
after insert on public.user_api_keys
for each row execute function private.make_api_key_health();

-- Operators win: a replaced ciphertext or a re-enabled key starts with clean health.
create function private.user_api_keys_after_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.generation > old.generation then
    update public.api_key_health h
    -- guard: a replaced or re-enabled key starts with clean health
    -- without: set
    set blocked_until = null,
      consecutive_failures = 0,
    -- end
      last_failure_at = null,
      reason = case when not new.is_active then h.reason end,
      reason_code = case when not new.is_active then h.reason_code end,
      reason_since = case when not new.is_active then h.reason_since end,
      reason_log_id = case when not new.is_active then h.reason_log_id end
    where h.user_api_key_id = new.id;
  elsif old.is_active and not new.is_active then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
end;
$$;
comment on function private.user_api_keys_after_update is 'Carries an operator''s edit of a key over to its health row.';
revoke execute on function private.user_api_keys_after_update from public, anon, authenticated, service_role;

create function private.api_key_health_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
    if (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id) then
      new.reason := null;
      new.reason_code := null;
      new.reason_since := null;
      new.reason_log_id := null;
    end if;
  elsif new.blocked_until is distinct from old.blocked_until then
    -- Moved by hand: the end of the rate block moves along, never past the block itself.
    -- guard: a block moved by hand moves the rate block
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
    -- end
    if new.blocked_until > coalesce(old.blocked_until, '-infinity') and new.blocked_until > clock_timestamp() then
      new.reason := 'blocked_by_operator';
      new.reason_code := null;
      new.reason_since := clock_timestamp();
      new.reason_log_id := null;
    end if;
  end if;
  return new;
end;
$$;
comment on function private.api_key_health_before_update is 'Keeps what explains a block in step with the block when it is edited by hand.';
revoke execute on function private.api_key_health_before_update from public, anon, authenticated, service_role;

-- A report always moves last_reported_at, so that without it the row was edited by hand.
create trigger api_key_health_before_update
before update of blocked_until, user_api_key_id on public.api_key_health
for each row
when (old.last_reported_at is not distinct from new.last_reported_at)
execute function private.api_key_health_before_update();

-- A block whose end an operator moves into the past is over, and its key ready, without any look at the clock. As with a
-- reset, the tier's row stays locked until the edit is committed.
create function private.copy_block_to_key()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  -- One level deep means an edit of this very row; deeper, the edit of the key has raised it already.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- guard: a block that an operator moves into the past is over at once
    -- without: when true or new.last_reported_at is distinct from old.last_reported_at
    -- guard: a report does not lock the tier of the key that it blocks
    -- without: when new.blocked_until > clock_timestamp()
    when new.blocked_until > clock_timestamp() or new.last_reported_at is distinct from old.last_reported_at
    -- end
    -- end
    then new.blocked_until
  end;
begin
  update public.user_api_keys k
  -- guard: a reset raises the generation
  -- without: set cooling_until = live, generation = k.generation
  set cooling_until = live, generation = k.generation + reset::integer
  -- end
  where k.id = new.user_api_key_id
    and (reset or k.cooling_until is distinct from live);
  return null;
end;
$$;
comment on function private.copy_block_to_key is 'Keeps user_api_keys.cooling_until equal to blocked_until, null when an edit says that it is over; a reset raises the generation.';
revoke execute on function private.copy_block_to_key from public, anon, authenticated, service_role;

-- Also a reset of the count alone, where the block had been cleared before.
create trigger api_key_health_copy_block
after update of blocked_until on public.api_key_health
for each row
when (
  old.blocked_until is distinct from new.blocked_until
  or (new.blocked_until is null and old.consecutive_failures > 0 and new.consecutive_failures = 0
    and old.last_reported_at is not distinct from new.last_reported_at)
)
execute function private.copy_block_to_key();

create function private.restore_api_key_health()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- Deleted by hand while its key lives on: a reset. In a cascade the key is gone already.
  update public.user_api_keys k
  set cooling_until = null, generation = k.generation + 1
  where k.id = old.user_api_key_id;
  if found then
    -- guard: a deleted health row comes back
    insert into public.api_key_health (user_api_key_id) values (old.user_api_key_id);
    -- end
  end if;
  return null;
end;
$$;
comment on function private.restore_api_key_health is 'A key never loses its health row: deleting it resets it.';
revoke execute on function private.restore_api_key_health from public, anon, authenticated, service_role;

create trigger api_key_health_restore_on_delete
after delete on public.api_key_health
for each row execute function private.restore_api_key_health();

-- TRUNCATE fires no row trigger, and is what emptying a table in a dashboard may run.
create function private.restore_all_api_key_health()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- guard: an emptied health table comes back
  insert into public.api_key_health (user_api_key_id)
  select k.id from public.user_api_keys k;
  -- end
  update public.user_api_keys k set cooling_until = null, generation = k.generation + 1;
  return null;
end;
$$;
comment on function private.restore_all_api_key_health is 'Emptying the table resets every key.';
revoke execute on function private.restore_all_api_key_health from public, anon, authenticated, service_role;

create trigger api_key_health_restore_on_truncate
after truncate on public.api_key_health
for each statement execute function private.restore_all_api_key_health();
create trigger user_api_keys_50_after_update
after update of api_key_encrypted, is_active, user_id on public.user_api_keys
for each row execute function private.user_api_keys_after_update();

-- supabase/schemas/keys/12_api_key_agents.sql

-- Who may ask: an agent token is tied to one user's pool. Only its hash is stored.
create table public.api_key_agents (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  name text not null,
  token_hash text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint api_key_agents_pkey primary key (id),
  constraint api_key_agents_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint api_key_agents_token_hash_key unique (token_hash),
  constraint api_key_agents_token_hash_check check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint api_key_agents_name_check check (char_length(name) between 1 and 200)
);
comment on table public.api_key_agents is 'Agents and the SHA-256 (hex) of their tokens. Revoke with: update api_key_agents set revoked_at = now() where id = ...';
comment on column public.api_key_agents.revoked_at is 'From then on the token is refused.';
alter table public.api_key_agents enable row level security;
revoke all on table public.api_key_agents from public, anon, authenticated, service_role;
grant select on table public.api_key_agents to service_role;

create index api_key_agents_user_id_idx on public.api_key_agents (user_id);

create policy api_key_agents_service_select on public.api_key_agents for select to service_role using (true);

create function public.issue_agent_token(user_id uuid, name text)
returns text
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  -- Two random uuids carry 244 bits of the server's strong randomness.
  token constant text := 'kh_agent_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  insert into public.api_key_agents (user_id, name, token_hash)
  values (issue_agent_token.user_id, issue_agent_token.name, encode(sha256(convert_to(token, 'UTF8')), 'hex'));
  return token;
end;
$$;
comment on function public.issue_agent_token is 'Makes an agent of a user''s pool and returns its token, this once. For operators, in the SQL editor.';
revoke execute on function public.issue_agent_token from public, anon, authenticated, service_role;

create function private.key_caller(token_hash text, user_id uuid, out pool_user_id uuid, out agent_id uuid)
language plpgsql
stable
set search_path = ''
as $$
begin
  if key_caller.token_hash is null then
    pool_user_id := key_caller.user_id;
  else
    select a.user_id, a.id into pool_user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      -- guard: revoked tokens are refused
      -- without: ;
      and (a.revoked_at is null or a.revoked_at > clock_timestamp());
      -- end
  end if;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$$;
comment on function private.key_caller is 'Whose pool a caller draws from: the agent''s user, or the signed-in user. Raises PT401 invalid_credential.';
revoke execute on function private.key_caller from public, anon, authenticated, service_role;
grant execute on function private.key_caller to service_role;

-- supabase/schemas/keys/13_api_key_usage_log.sql

-- One row per lease, completed by its report; a report without a lease has a row of its own.
create table public.api_key_usage_log (
  id uuid not null default gen_random_uuid(),
  user_api_key_id uuid not null,
  user_id uuid not null,
  agent_id uuid,
  key_generation integer not null,
  issued_at timestamptz,
  reported_at timestamptz,
  outcome text,
  error_code text,
  effect text,
  state_before text,
  state_after text,
  blocked_until timestamptz,
  consecutive_failures integer,
  hint text,
  constraint api_key_usage_log_pkey primary key (id),
  constraint api_key_usage_log_user_api_key_id_fkey foreign key (user_api_key_id) references public.user_api_keys (id) on delete cascade,
  constraint api_key_usage_log_event_check check (issued_at is not null or reported_at is not null),
  constraint api_key_usage_log_report_check check ((reported_at is null) = (outcome is null) and (reported_at is null) = (effect is null))
)
-- Each report leaves the version behind that the lease wrote. A twentieth of a long log is many rows already.
with (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.1
);
comment on table public.api_key_usage_log is 'Who got which key when, and what was reported. id is the lease id. Never holds a provider''s error text.';
comment on column public.api_key_usage_log.user_id is 'Owner of the pool. No foreign key: every lease of a pool would lock one and the same user row.';
comment on column public.api_key_usage_log.agent_id is 'The agent that holds the lease; null when the user called with an access token. No foreign key, as above.';
comment on column public.api_key_usage_log.issued_at is 'When the key was leased; null for a report without a lease.';
comment on column public.api_key_usage_log.blocked_until is 'The block after the report, as it was answered.';
comment on column public.api_key_usage_log.consecutive_failures is 'The count after the report, as it was answered.';
comment on column public.api_key_usage_log.hint is 'What became of the provider''s hint: used, capped or ignored; null when none was sent.';
alter table public.api_key_usage_log enable row level security;
revoke all on table public.api_key_usage_log from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_usage_log to service_role;

-- The foreign key, and a key's history newest first.
create index api_key_usage_log_key_idx on public.api_key_usage_log (user_api_key_id, issued_at desc);
-- A caller's open leases of a key: what a report without a lease id binds to.
create index api_key_usage_log_open_idx on public.api_key_usage_log (user_api_key_id, (coalesce(agent_id, user_id)), issued_at desc)
where reported_at is null;

create policy api_key_usage_log_service_all on public.api_key_usage_log for all to service_role using (true) with check (true);

-- supabase/schemas/keys/14_api_key_tiers.sql

-- One row per priority that a pool has keys of. The low-water mark (low_water_count, low_water_id) is where the scan of the
-- tier starts: no ready key comes before it. Each lease moves its key's index entry from the front to the back and leaves a
-- dead entry behind; without the mark a scan would read all dead entries until the next vacuum.
create table private.api_key_tiers (
  user_id uuid not null,
  priority integer not null,
  low_water_count bigint not null,
  low_water_id uuid not null,
  next_expiry_check_at timestamptz not null default '-infinity',
  constraint api_key_tiers_pkey primary key (user_id, priority),
  constraint api_key_tiers_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
) with (fillfactor = 50);
comment on table private.api_key_tiers is 'The tiers of each pool, and where the scan for the least used ready key starts. A tier that lost its keys keeps its row.';
comment on column private.api_key_tiers.next_expiry_check_at is 'Until then leases do not look for expired cooldowns. Never after the end of a cooldown that was visible when it was set, and at most half a second ahead.';
alter table private.api_key_tiers enable row level security;
revoke all on table private.api_key_tiers from public, anon, authenticated, service_role;
grant select, insert, update on table private.api_key_tiers to service_role;

create policy api_key_tiers_service_all on private.api_key_tiers for all to service_role using (true) with check (true);

create function private.lower_low_water_mark()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  tier private.api_key_tiers;
begin
  -- Locked even where the mark is low enough already: raise_low_water_mark cannot see this key before it is committed, and
  -- must not move the mark until then.
  loop
    select t.* into tier
    from private.api_key_tiers t
    where t.user_id = new.user_id and t.priority = new.priority
    -- guard: a key that joins keeps the low-water mark from being raised past it
    -- without: ;
    for no key update;
    -- end
    exit when found;
    insert into private.api_key_tiers (user_id, priority, low_water_count, low_water_id)
    values (new.user_id, new.priority, new.usage_count, new.id)
    on conflict do nothing;
  end loop;
  -- guard: a key that joins lowers the low-water mark
  -- without: if false then
  if (new.usage_count, new.id) < (tier.low_water_count, tier.low_water_id) then
  -- end
    update private.api_key_tiers t
    set low_water_count = new.usage_count, low_water_id = new.id
    where t.user_id = new.user_id and t.priority = new.priority;
  end if;
  return null;
end;
$$;
comment on function private.lower_low_water_mark is 'Keeps the low-water mark of a tier at or below every key that becomes ready or gets a lower count.';
revoke execute on function private.lower_low_water_mark from public, anon, authenticated, service_role;

create trigger user_api_keys_55_lower_low_water_mark_insert
after insert on public.user_api_keys
for each row execute function private.lower_low_water_mark();
-- A lease evaluates this condition and does not call the function.
create trigger user_api_keys_60_lower_low_water_mark_update
after update on public.user_api_keys
for each row
when (
  new.usage_count < old.usage_count
  or new.is_ready and not old.is_ready
  or new.priority <> old.priority
  or new.user_id <> old.user_id
)
execute function private.lower_low_water_mark();

create function private.expire_cooldowns(user_id uuid, priority integer, at timestamptz, batch integer)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  expired integer := 0;
begin
  -- One caller at a time per tier, and nobody waits for it: a second caller takes a key that is ready.
  perform from private.api_key_tiers t
  where t.user_id = expire_cooldowns.user_id and t.priority = expire_cooldowns.priority
  for no key update skip locked;
  if found then
    -- Without the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready.
    update public.user_api_keys k
    set cooling_until = null
    where k.id in (
      select over.id
      from public.user_api_keys over
      where over.user_id = expire_cooldowns.user_id
        and over.priority = expire_cooldowns.priority
        and not over.is_ready
        and over.is_active
        and over.unusable_reason is null
        and over.cooling_until <= expire_cooldowns.at
      order by over.cooling_until
      limit expire_cooldowns.batch
      for no key update skip locked
    );
    get diagnostics expired = row_count;
  end if;
  return expired;
end;
$$;
comment on function private.expire_cooldowns is 'Makes keys ready whose cooldown is over, the earliest end first; returns how many. Never waits.';
revoke execute on function private.expire_cooldowns from public, anon, authenticated, service_role;
grant execute on function private.expire_cooldowns to service_role;

create function private.raise_low_water_mark(user_id uuid, priority integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  tier private.api_key_tiers;
  -- Taken before anything is read: a cooldown that is not visible below is newer.
  at constant timestamptz := clock_timestamp();
begin
  -- Whoever makes a key ready holds this lock until the commit, so that the queries below see all ready keys.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_low_water_mark.user_id and t.priority = raise_low_water_mark.priority
  -- guard: postponing the next expiry check never waits for a tier's lock
  -- without: for no key update;
  for no key update skip locked;
  -- end

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = least(
      -- guard: the next expiry check is half a second ahead at most
      -- without: at + interval '1 day',
      at + interval '0.5 s',
      -- end
      (
        select k.cooling_until
        from public.user_api_keys k
        where k.user_id = tier.user_id
          and k.priority = tier.priority
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until is not null
        -- guard: the next expiry check is not after the end of the earliest cooldown
        -- without: order by k.cooling_until desc
        order by k.cooling_until
        -- end
        limit 1
      )
    )
  from (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = tier.user_id
      and k.priority = tier.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where t.user_id = tier.user_id and t.priority = tier.priority;
end;
$$;
comment on function private.raise_low_water_mark is 'Moves the low-water mark up to the first ready key and postpones the next expiry check, unless another transaction holds the tier. Never waits.';
revoke execute on function private.raise_low_water_mark from public, anon, authenticated, service_role;
grant execute on function private.raise_low_water_mark to service_role;

create function private.rebuild_tiers(user_id uuid)
returns void
language sql
volatile
set search_path = ''
as $$
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  select distinct k.user_id, k.priority, 0, '00000000-0000-0000-0000-000000000000'::uuid
  from public.user_api_keys k
  where k.user_id = rebuild_tiers.user_id
  on conflict (user_id, priority) do update set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id;
$$;
comment on function private.rebuild_tiers is 'Rebuilds the tiers of a pool: for rows that came in without their triggers, such as a restored dump.';
revoke execute on function private.rebuild_tiers from public, anon, authenticated, service_role;
grant execute on function private.rebuild_tiers to service_role;

-- supabase/schemas/keys/15_api_key_breaker.sql

-- One bad network must not take a pool: of the keys of one provider, reports disable so many within a minute, and cool the rest.
create table public.api_key_alerts (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  provider text,
  kind text not null,
  user_api_key_id uuid,
  key_name text,
  detail jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint api_key_alerts_pkey primary key (id),
  constraint api_key_alerts_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint api_key_alerts_kind_check check (kind in ('many_at_once')),
  constraint api_key_alerts_detail_check check (jsonb_typeof(detail) = 'object')
);
comment on table public.api_key_alerts is 'What an operator should look at, pool by pool. Pruned with the usage log.';
comment on column public.api_key_alerts.provider is 'Provider of the keys; null for those that serve any.';
comment on column public.api_key_alerts.kind is 'many_at_once: reports would have disabled more keys of the provider within a minute than they may; the rest is cooled.';
comment on column public.api_key_alerts.user_api_key_id is 'The key that it came up with. No foreign key: the alert outlives it.';
alter table public.api_key_alerts enable row level security;
revoke all on table public.api_key_alerts from public, anon, authenticated, service_role;
grant select, insert on table public.api_key_alerts to service_role;

create index api_key_alerts_user_id_idx on public.api_key_alerts (user_id, created_at);
create index api_key_alerts_created_at_idx on public.api_key_alerts (created_at);

create policy api_key_alerts_service_select on public.api_key_alerts for select to service_role using (true);
create policy api_key_alerts_service_insert on public.api_key_alerts for insert to service_role with check (true);

create table private.api_key_breakers (
  user_id uuid not null,
  provider text not null,
  key_ids uuid[] not null default '{}',
  constraint api_key_breakers_pkey primary key (user_id, provider),
  constraint api_key_breakers_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table private.api_key_breakers is 'One row for each pool and provider of which a report has disabled a key. Whoever is about to disable one holds it.';
comment on column private.api_key_breakers.provider is 'Empty for keys that serve any.';
comment on column private.api_key_breakers.key_ids is 'The keys that reports disabled last: all of those that can still count.';
alter table private.api_key_breakers enable row level security;
revoke all on table private.api_key_breakers from public, anon, authenticated, service_role;
grant select, insert, update on table private.api_key_breakers to service_role;

create policy api_key_breakers_service_all on private.api_key_breakers for all to service_role using (true) with check (true);

create function private.lately_disabled(user_id uuid, provider text, window_seconds double precision)
returns uuid[]
language plpgsql
volatile
set search_path = ''
as $$
declare
  listed uuid[];
begin
  -- Held to the end of the transaction, and taken last: who has it waits for nothing any more.
  insert into private.api_key_breakers as b (user_id, provider)
  values (lately_disabled.user_id, coalesce(lately_disabled.provider, ''))
  -- guard: breaker: one report at a time
  -- without: on conflict on constraint api_key_breakers_pkey do nothing;
  -- without: select b.key_ids into listed from private.api_key_breakers b
  -- without: where b.user_id = lately_disabled.user_id and b.provider = coalesce(lately_disabled.provider, '');
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  -- end
  -- What an operator has enabled since does not count, nor what one has disabled.
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- guard: breaker: a key that was given away does not count
      and k.user_id = lately_disabled.user_id
      -- end
      -- guard: breaker: an operator's enabling takes a key out of the count
      and not k.is_active
      -- end
      -- guard: breaker: an operator's disabling does not count
      and h.reason = 'invalid_key'
      -- end
      -- guard: breaker: within a minute
      and h.reason_since > clock_timestamp() - make_interval(secs => lately_disabled.window_seconds)
      -- end
  );
end;
$$;
comment on function private.lately_disabled is 'The keys of a pool and provider that reports have disabled within the window and that still are; holds them at that number until the transaction ends.';
revoke execute on function private.lately_disabled from public, anon, authenticated, service_role;
grant execute on function private.lately_disabled to service_role;

create function private.alert_once(user_id uuid, provider text, kind text, key_id uuid, detail jsonb, quiet_seconds double precision)
returns void
language sql
volatile
set search_path = ''
as $$
  insert into public.api_key_alerts (user_id, provider, kind, user_api_key_id, key_name, detail, created_at)
  select alert_once.user_id, alert_once.provider, alert_once.kind, alert_once.key_id, k.key_name, alert_once.detail, clock_timestamp()
  from public.user_api_keys k
  where k.id = alert_once.key_id
    and not exists (
      select
      from public.api_key_alerts a
      where a.user_id = alert_once.user_id
        -- guard: breaker: one alert for each provider
        and a.provider is not distinct from alert_once.provider
        -- end
        and a.kind = alert_once.kind
        -- guard: breaker: an alert is not repeated
        -- without: and false and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)
        -- guard: breaker: an alert is repeated after a while
        and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)
        -- end
        -- end
    );
$$;
comment on function private.alert_once is 'Writes an alert of a pool and provider unless there is one of that kind from less than quiet_seconds ago. The caller makes sure that no two do so at once.';
revoke execute on function private.alert_once from public, anon, authenticated, service_role;
grant execute on function private.alert_once to service_role;

-- supabase/schemas/keys/20_availability.sql

create function private.eligible_key(
  user_id uuid,
  lowest bigint,
  highest bigint,
  provider text,
  live_kids text[],
  exclude uuid[],
  at timestamptz
)
returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  -- In one look: a key that somebody is waking is either over in it, or not below its tier's mark.
  return (
    select eligible.id
    from private.api_key_tiers t
    cross join lateral (
      (
        select k.id
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_ready
          and (k.usage_count, k.id) >= (t.low_water_count, t.low_water_id)
          and (eligible_key.provider is null or k.provider is null or k.provider = eligible_key.provider)
          and k.sealed_kid = any (eligible_key.live_kids)
          -- guard: exclude: an eligible key that is ready
          and k.id <> all (eligible_key.exclude)
          -- end
        limit 1
      )
      union all
      (
        select k.id
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and not k.is_ready
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= eligible_key.at
          and (eligible_key.provider is null or k.provider is null or k.provider = eligible_key.provider)
          and k.sealed_kid = any (eligible_key.live_kids)
          -- guard: exclude: an eligible key with an expired cooldown
          and k.id <> all (eligible_key.exclude)
          -- end
        order by k.cooling_until
        limit 1
      )
    ) eligible
    where t.user_id = eligible_key.user_id and t.priority between eligible_key.lowest and eligible_key.highest
    limit 1
  );
end;
$$;
comment on function private.eligible_key is 'A key of the tiers from lowest to highest that is ready or has an expired cooldown, and is not excluded, locked or not; null when there is none.';
revoke execute on function private.eligible_key from public, anon, authenticated, service_role;
grant execute on function private.eligible_key to service_role;

create function private.pool_providers(user_id uuid)
returns text[]
language sql
stable
set search_path = ''
as $$
  select (array_agg(distinct k.provider order by k.provider))[1:100]
  from public.user_api_keys k
  where k.user_id = pool_providers.user_id;
$$;
comment on function private.pool_providers is 'The providers of a pool''s keys, the first hundred; null for an empty pool.';
revoke execute on function private.pool_providers from public, anon, authenticated, service_role;
grant execute on function private.pool_providers to service_role;

create function private.pool_availability(user_id uuid, provider text, live_kids text[], exclude uuid[], at timestamptz)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  pool record;
begin
  -- A key sealed to a pair that is not live counts as disabled.
  select
    count(*) filter (
      where k.ready_at <= pool_availability.at
        and k.sealed_kid = any (pool_availability.live_kids)
        -- guard: exclude: not counted as available
        and k.id <> all (pool_availability.exclude)
        -- end
    ) as ready,
    count(*) filter (
      where k.ready_at > pool_availability.at and k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids)
    ) as cooling_down,
    count(*) filter (
      where not k.is_active or k.unusable_reason is not null or not k.sealed_kid = any (pool_availability.live_kids)
    ) as disabled,
    min(k.ready_at) filter (
      where k.ready_at > pool_availability.at and isfinite(k.ready_at) and k.sealed_kid = any (pool_availability.live_kids)
    ) as soonest
  into pool
  from public.user_api_keys k
  where k.user_id = pool_availability.user_id
    and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider);
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'leased', false,
    'retry', false,
    'cooling_down', pool.cooling_down,
    'disabled', pool.disabled,
    'retry_after', case
      when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - pool_availability.at)))
    end,
    'other_providers', case
      -- guard: unknown provider: not where a key is disabled or cools
      -- without: when pool_availability.provider is null
      when pool.cooling_down + pool.disabled = 0 and pool_availability.provider is not null
      -- end
      then private.pool_providers(pool_availability.user_id)
    end
  );
end;
$$;
comment on function private.pool_availability is 'Looks at a whole pool without locks: null when a key is available that is not excluded; otherwise what lease_api_key answers: counts, and when the first key will be ready.';
revoke execute on function private.pool_availability from public, anon, authenticated, service_role;
grant execute on function private.pool_availability to service_role;

-- supabase/schemas/keys/21_lease_steps.sql

-- Steps of lease_api_key that few calls need.
create function private.expired_cooldowns(
  user_id uuid, priority integer, at timestamptz, out low_water_count bigint, out low_water_id uuid, out keys integer
)
language plpgsql
stable
set search_path = ''
as $$
begin
  -- Both in one snapshot: a key made ready meanwhile is either still counted here, or not below this mark.
  select t.low_water_count, t.low_water_id, expired.keys into low_water_count, low_water_id, keys
  from private.api_key_tiers t,
    lateral (
      select count(*) as keys
      from (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= expired_cooldowns.at
        order by k.cooling_until
        limit 65
      ) each_expired
    ) expired
  where t.user_id = expired_cooldowns.user_id and t.priority = expired_cooldowns.priority;
end;
$$;
comment on function private.expired_cooldowns is 'How many keys of a tier have an expired cooldown, 65 at most, and the tier''s low-water mark at that moment.';
revoke execute on function private.expired_cooldowns from public, anon, authenticated, service_role;
grant execute on function private.expired_cooldowns to service_role;

create function private.wait_for_key(
  key_id uuid, user_id uuid, priority integer, provider text, live_kids text[], exclude uuid[]
)
returns integer
language plpgsql
volatile
set search_path = ''
as $$
declare
  generation integer;
  is_ready boolean;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(wait_for_key.key_id, 0));
  select k.generation, k.is_ready into generation, is_ready
  from public.user_api_keys k
  where k.id = wait_for_key.key_id
    -- guard: re-check after waiting: the owner
    and k.user_id = wait_for_key.user_id
    -- end
    -- guard: re-check after waiting: the tier
    and k.priority = wait_for_key.priority
    -- end
    -- guard: re-check after waiting: the provider
    and (wait_for_key.provider is null or k.provider is null or k.provider = wait_for_key.provider)
    -- end
    -- guard: re-check after waiting: the sealed text
    and k.sealed_kid = any (wait_for_key.live_kids)
    -- end
  for no key update;
  if not found
    -- guard: re-check after waiting: the key
    or not is_ready
    -- end
    -- guard: re-check after waiting: a better tier
    -- without: or false and exists (
    or exists (
    -- end
      select
      from private.api_key_tiers t
      where t.user_id = wait_for_key.user_id and t.priority > wait_for_key.priority
    ) and private.eligible_key(
      wait_for_key.user_id, wait_for_key.priority::bigint + 1, 2147483647, wait_for_key.provider, wait_for_key.live_kids,
      wait_for_key.exclude, clock_timestamp()
    ) is not null
  then
    -- Something changed while this call waited, or the key's cooldown has to be expired first.
    return null;
  end if;
  return generation;
end;
$$;
comment on function private.wait_for_key is 'Waits for a key that another transaction has locked, then checks again whether it may be leased: its generation, or null when it may not.';
revoke execute on function private.wait_for_key from public, anon, authenticated, service_role;
grant execute on function private.wait_for_key to service_role;

-- supabase/schemas/keys/22_lease_batch.sql

create function private.lease_batch(
  user_id uuid,
  agent_id uuid,
  priority integer,
  provider text,
  live_kids text[],
  first_id uuid,
  calls integer
)
returns jsonb
language plpgsql
volatile
set search_path = ''
-- In addition to the settings of lease_api_key: a plan from when there were few keys joins their whole index with the few wanted.
-- guard: batch: keys are found by index, one by one
set enable_hashjoin = off
set enable_mergejoin = off
-- end
as $$
declare
  from_count bigint;
  from_id uuid;
  lease_ids uuid[];
  key_ids uuid[];
  times timestamptz[];
  answers jsonb;
begin
  select t.low_water_count, t.low_water_id into from_count, from_id
  from private.api_key_tiers t
  where t.user_id = lease_batch.user_id and t.priority = lease_batch.priority;

  with others as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    -- guard: batch: keys of that pool only
    -- without: where k.priority = lease_batch.priority
    where k.user_id = lease_batch.user_id
      -- guard: batch: keys of that tier only
      and k.priority = lease_batch.priority
      -- end
    -- end
      -- guard: batch: only what is ready
      and k.is_ready
      -- end
      and (k.usage_count, k.id) >= (from_count, from_id)
      -- guard: batch: the provider counts for all
      -- without: and true
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      -- end
      -- guard: batch: a key of a pair that is not live is left out
      and k.sealed_kid = any (lease_batch.live_kids)
      -- end
      -- guard: batch: the first key is counted once
      and k.id <> lease_batch.first_id
      -- end
    order by k.usage_count, k.id
    limit lease_batch.calls - 1
    -- guard: batch: a caller that holds a key waits for no other
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  held as (
    select o.id, o.usage_count, o.generation from others o
    union all
    select k.id, k.usage_count, k.generation from public.user_api_keys k where k.id = lease_batch.first_id
  ),
  -- The same keys that single calls one after the other would get: always the least used, whose count then rises by one.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_batch.calls - 1) more
    -- guard: batch: always the least used
    -- without: order by h.id, more
    order by h.usage_count + more, h.id
    -- end
    limit lease_batch.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp()
    from turns t
    returning id, user_api_key_id, issued_at
  )
  select array_agg(l.id), array_agg(l.user_api_key_id), array_agg(l.issued_at)
  into lease_ids, key_ids, times
  from leases l;

  with counted as (
    update private.key_leases k
    -- guard: batch: a key's count rises by all its leases
    -- without: set usage_count = k.usage_count + 1
    set usage_count = k.usage_count + turns.number
    -- end
    from (select u.key_id, count(*) as number from unnest(key_ids) u (key_id) group by u.key_id) turns
    where k.id = turns.key_id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.at) order by l.place)
  into answers
  from unnest(lease_ids, key_ids, times) with ordinality l (id, key_id, at, place)
  join counted k on k.id = l.key_id;
  return answers;
end;
$$;
comment on function private.lease_batch is
  'Makes so many leases of one tier for a caller that holds the lock of its first key: of that key and of others that are not locked, the least used first.';
revoke execute on function private.lease_batch from public, anon, authenticated, service_role;
grant execute on function private.lease_batch to service_role;

-- supabase/schemas/keys/23_lease.sql

create function public.lease_api_key(
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  release_lease_id uuid default null,
  attempt integer default 0,
  calls integer default 1,
  exclude uuid[] default '{}'
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- After a pool has grown, each call would plan again, which takes longer than the call itself.
set plan_cache_mode = 'force_generic_plan'
-- A plan made while a table was small reads the whole table, or sorts a whole tier, and is kept while the table grows. These
-- settings hold for the functions called from here, too.
-- guard: a lease reads no whole table
set enable_seqscan = off
-- end
-- guard: a lease reads no tier to sort it
set enable_sort = off
-- end
-- Shorter than deadlock_timeout: a call that waits in a cycle ends with 55P03 before the deadlock detector runs.
set lock_timeout = '600ms'
as $$
declare
  agent_id uuid;
  at timestamptz := clock_timestamp();
  above bigint;
  tier_priority integer;
  -- Whether this round looks for expired cooldowns of the tier, and whether there may be any.
  checks_expiry boolean;
  may_be_expired boolean;
  check_anyway boolean := false;
  -- The cooldowns of tiers from this priority up have been expired already.
  expired_from integer;
  expired integer;
  -- Where the search starts, and the tier's low-water mark when the search starts somewhere else.
  start_count bigint;
  start_id uuid;
  low_water_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  misses integer;
  lease_id uuid;
  leased_at timestamptz;
  answer jsonb;
begin
  if lease_api_key.user_id is null or lease_api_key.token_hash is not null or lease_api_key.release_lease_id is not null then
    -- From here on user_id is the owner of the pool.
    if lease_api_key.user_id is null or lease_api_key.token_hash is not null then
      select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
      from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
    end if;
    if lease_api_key.release_lease_id is not null then
      perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
    end if;
  end if;

  <<look>>
  loop
    above := 2147483648;
    loop
      -- Several small statements: starting one large joined statement takes longer than all of them.
      select t.priority, t.low_water_count, t.low_water_id, null::uuid, t.next_expiry_check_at <= at or check_anyway, true
      into tier_priority, start_count, start_id, low_water_id, checks_expiry, may_be_expired
      from private.api_key_tiers t
      where t.user_id = lease_api_key.user_id and t.priority < above
      order by t.priority desc
      limit 1;
      exit when not found;

      -- Expired cooldowns are cleared first. When very many end at once, one caller in eight clears a larger batch and the
      -- others take a key that is ready. Odd attempts skip this step: it may lock rows without changing them, and a call
      -- that holds a lock must not wait for another.
      -- guard: a retry waits for a key with an expired cooldown instead of trying to expire it again
      -- without: if checks_expiry and (expired_from is null or tier_priority < expired_from) then
      if checks_expiry and lease_api_key.attempt % 2 = 0 and (expired_from is null or tier_priority < expired_from) then
      -- end
        -- The mark again, as it was when the keys were counted.
        -- guard: a key whose cooldown is being expired is counted, or not below the mark
        -- without: select start_count, start_id, e.keys into start_count, start_id, expired
        select e.low_water_count, e.low_water_id, e.keys into start_count, start_id, expired
        -- end
        from private.expired_cooldowns(lease_api_key.user_id, tier_priority, at) e;
        if expired = 0 then
          may_be_expired := false;
        -- guard: expired cooldowns are cleared before the choice
        -- without: elsif random() < 0.125 then
        elsif expired < 65 or random() < 0.125 then
        -- end
          expired_from := tier_priority;
          perform private.expire_cooldowns(
            lease_api_key.user_id, tier_priority, at, case when expired < 65 then 64 else 256 end
          );
          continue look;
        end if;
      end if;

      -- The tier's first key in the documented order that is not locked. The first caller of a pool starts at the low-water
      -- mark. Callers that come while it works start at a random place, or each would step over the keys that all others have
      -- locked. A retry starts at the mark, so that it misses no free key.
      -- guard: a retry starts at the low-water mark
      -- without: if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
      if lease_api_key.attempt = 0
        and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
      -- end
      then
        low_water_id := start_id;
        start_id := gen_random_uuid();
        start_count := start_count + (start_id < low_water_id)::integer;
      end if;
      select k.id, k.generation into chosen_id, chosen_generation
      from public.user_api_keys k
      where k.user_id = lease_api_key.user_id
        and k.priority = tier_priority
        and k.is_ready
        and (k.usage_count, k.id) >= (start_count, start_id)
        and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
        -- guard: only texts sealed to a live pair
        and k.sealed_kid = any (lease_api_key.live_kids)
        -- end
        -- guard: exclude: a key that is free
        and k.id <> all (lease_api_key.exclude)
        -- end
      order by k.usage_count, k.id
      limit 1
      -- guard: row lock of a lease
      -- without: ;
      for no key update skip locked;
      -- end
      exit look when found;

      -- All are locked, or there are none. Pick one to wait for, at a random place so that callers spread over the keys; wrap
      -- once to the low-water mark.
      if low_water_id is null then
        low_water_id := start_id;
        start_id := gen_random_uuid();
      end if;
      loop
        select k.id into chosen_id
        from public.user_api_keys k
        where k.user_id = lease_api_key.user_id
          and k.priority = tier_priority
          and k.is_ready
          and (k.usage_count, k.id) >= (start_count, start_id)
          and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
          and k.sealed_kid = any (lease_api_key.live_kids)
          -- guard: exclude: a key that is held
          and k.id <> all (lease_api_key.exclude)
          -- end
        order by k.usage_count, k.id
        limit 1;
        -- guard: a search from a random place wraps to the low-water mark
        -- without: exit;
        exit when found or low_water_id is null;
        -- end
        -- The mark's own count: the random start may have raised it by one. One too low does no harm.
        start_count := start_count - 1;
        start_id := low_water_id;
        low_water_id := null;
      end loop;
      if chosen_id is null and not checks_expiry then
        -- This tier again, with a look for expired cooldowns: a lower tier is never served before that.
        -- guard: a tier without a ready key is checked for expired cooldowns, whenever the next check is
        check_anyway := true;
        continue;
        -- end
      end if;
      -- guard: a key that another caller has just made ready is not passed over
      -- without: if false then
      if chosen_id is null and may_be_expired then
      -- end
        chosen_id := private.eligible_key(
          lease_api_key.user_id, tier_priority, tier_priority, lease_api_key.provider, lease_api_key.live_kids,
          lease_api_key.exclude, at
        );
      end if;
      above := tier_priority;
      -- guard: a locked key is not none
      -- without: return jsonb_build_object('leased', false, 'retry', false, 'cooling_down', 0, 'disabled', 0);
      continue when chosen_id is null;
      -- end

      -- Wait for it: a lower tier is never served instead. A call that holds a row lock (its transaction has an id then) must
      -- not wait for another row, or two of them would wait for each other. It may hold locks without a change of its own: a
      -- row that was ready when found and no longer when locked stays locked.
      -- guard: a caller that holds a row does not wait for another key
      -- without: if false then
      if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      -- end
        return jsonb_build_object('leased', false, 'retry', true);
      end if;
      chosen_generation := private.wait_for_key(
        chosen_id, lease_api_key.user_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude
      );
      if chosen_generation is null then
        return jsonb_build_object('leased', false, 'retry', true);
      end if;
      exit look;
    end loop;

    -- No tier had a key: the answer comes from one look at the whole pool.
    at := clock_timestamp();
    answer := private.pool_availability(
      lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, at
    );
    -- guard: exclude: better than none
    -- without: if false then
    if answer is not null and lease_api_key.exclude <> '{}' then
    -- end
      -- No other key is left: an excluded key is better than none.
      lease_api_key.exclude := '{}';
      continue look;
    elsif answer is not null then
      return answer;
    end if;
    -- A key is ready that no tier led to: it has just become ready, or its row came in without its triggers.
    misses := coalesce(misses, 0) + 1;
    if misses > 1 then
      -- guard: tiers that do not lead to a ready key are rebuilt
      perform private.rebuild_tiers(lease_api_key.user_id);
      -- end
    end if;
    if misses > 100 then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers of the pool keep changing"}';
    end if;
    expired_from := null;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, chosen_id,
      lease_api_key.calls
    );
  else
    -- The log row first: its foreign key finds the key row locked already, and need not lock the next version of it.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp())
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at) into answer;
  end if;

  -- Once in 64 leases the low-water mark is raised and the next expiry check postponed. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.raise_low_water_mark(lease_api_key.user_id, tier_priority);
  end if;
  return answer;
end;
$$;
comment on function public.lease_api_key is
  'Leases one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be one. retry: keys are locked by other calls and this call must not wait for them; call again with attempt raised by one. For the function get-active-key. With calls above 1 an array of so many leases; an answer without a key is for all of them. Keys of exclude are passed over unless nothing else is left; other_providers: those of the pool, when it has none of the one asked for. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was waited for too long: nothing was done, call again.';
revoke execute on function public.lease_api_key from public, anon, authenticated, service_role;
grant execute on function public.lease_api_key to service_role;

-- supabase/schemas/keys/24_release_lease.sql

create function private.release_lease(user_id uuid, lease_id uuid)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  key_id uuid;
  lease public.api_key_usage_log;
begin
  select l.user_api_key_id into key_id
  from public.api_key_usage_log l
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id;

  -- The key row is locked before the log row, as everywhere. The log row decides: a second release finds no lease.
  perform from public.user_api_keys k where k.id = key_id for no key update;
  delete from public.api_key_usage_log l
  -- guard: a release is for the caller's own lease
  -- without: where l.id = release_lease.lease_id and l.outcome is null and l.issued_at is not null
  -- guard: a release does not read all open leases
  -- without: where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.reported_at is null and l.issued_at is not null
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  -- end
  -- end
  returning l.* into lease;
  if not found then
    return;
  end if;

  update public.user_api_keys k
  -- guard: a release gives the count back
  -- without: set usage_count = k.usage_count
  set usage_count = greatest(k.usage_count - 1, 0)
  -- end
  where k.id = key_id;
  -- A ciphertext that was replaced in between is left alone: nobody has tried it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  -- guard: a release flags only the ciphertext that was tried
  -- without: where k.id = key_id and k.unusable_reason is null;
  where k.id = key_id and k.generation = lease.key_generation and k.unusable_reason is null;
  -- end
end;
$$;
comment on function private.release_lease is 'Takes a lease back whose key could not be opened: the count falls, the key is flagged until its ciphertext changes.';
revoke execute on function private.release_lease from public, anon, authenticated, service_role;
grant execute on function private.release_lease to service_role;

-- supabase/schemas/keys/25_next_state.sql

-- What a report does to a key: a pure function. Its caller has locked the rows that the values come from.
create type private.key_report as (
  outcome text, rule text, error_code text,
  base_seconds double precision, cap_seconds double precision, jitter double precision,
  hint_given boolean, hint_seconds double precision, hint_at timestamptz, hint_cap_seconds double precision,
  error_threshold integer, window_seconds double precision, reset_after_seconds double precision,
  breaker_most integer, breaker_window_seconds double precision, breaker_quiet_seconds double precision,
  cause text, issued_at timestamptz, key_generation integer
);
comment on type private.key_report is
  'A report as core reads it: outcome, rule and the rule''s numbers. cause: what explains a block that it sets. issued_at and key_generation are of its lease.';

create type private.key_state as (
  is_active boolean, is_usable boolean, generation integer,
  blocked_until timestamptz, rate_blocked_until timestamptz,
  consecutive_failures integer, last_failure_at timestamptz, recent_server_errors timestamptz[],
  reason text, reason_code text, reason_since timestamptz,
  state_before text, state_after text, effect text, hint text
);
comment on type private.key_state is
  'Of a key and its health row what decides about a report. The last four are of the newest report: the state before and after, its effect, and what became of its hint.';

create function private.next_state(state private.key_state, report private.key_report, at timestamptz)
returns private.key_state
language plpgsql
immutable
set search_path = ''
as $$
declare
  after private.key_state := next_state.state;
  was_blocked constant boolean := coalesce(state.blocked_until > at, false);
  named constant double precision := coalesce(report.hint_seconds, extract(epoch from report.hint_at - at));
  hint constant double precision := case when named > 0 then least(named, report.hint_cap_seconds) end;
begin
  after.hint := case
    when report.hint_given or report.hint_seconds is not null or report.hint_at is not null then 'ignored'
  end;
  after.state_before := case
    when not state.is_active or not state.is_usable then 'disabled'
    when was_blocked then 'cooling_down'
    else 'available'
  end;
  after.effect := case
    -- guard: generation test: leases from before an operator's edit are stale
    -- without: when false then 'stale'
    when report.key_generation < state.generation then 'stale'
    -- end
    when report.rule = 'success' then
      case
        -- guard: stale success: during a block
        -- without: when false then 'stale'
        when was_blocked then 'stale'
        -- end
        -- guard: stale success: on a lease from before the last failure
        -- without: when false then 'stale'
        when report.issued_at <= state.last_failure_at then 'stale'
        -- end
        when not state.is_active and state.consecutive_failures > 0 then 'stale'
        when state.consecutive_failures > 0 then 'recovered'
        else 'none'
      end
    -- guard: a report on a disabled key changes nothing
    -- without: when report.rule = 'ignore' then 'ignored'
    when not state.is_active or report.rule = 'ignore' then 'ignored'
    -- end
  end;
  if after.effect is distinct from 'stale' and state.is_active and report.rule <> 'tolerate' then
    after.recent_server_errors := '{}';
  end if;

  if after.effect = 'recovered' then
    after.consecutive_failures := 0;

  elsif after.effect is not null then
    null;

  elsif report.rule = 'disable' then
    after.is_active := false;
    after.effect := 'disabled';

  elsif report.rule = 'escalate' then
    -- guard: issue-time test: an old lease cannot escalate
    -- without: if false then
    if report.issued_at < state.rate_blocked_until then
    -- end
      -- The same outage: only the provider's own word can lengthen the block.
      -- guard: greatest(): a hint never shortens a block
      -- without: after.blocked_until := coalesce(at + make_interval(secs => hint), state.blocked_until);
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => hint));
      -- end
      after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;
    else
      if state.last_failure_at <= at - make_interval(secs => report.reset_after_seconds) then
        -- guard: failures expire after 24 hours
        -- without: null;
        after.consecutive_failures := 0;
        -- end
      end if;
      after.consecutive_failures := least(after.consecutive_failures + 1, 1000000000);
      after.blocked_until := greatest(
        -- guard: greatest(): a new block never shortens the one there is
        state.blocked_until,
        -- end
        at + make_interval(secs => coalesce(
          hint,
          least(
            -- guard: exponent is bounded
            -- without: report.base_seconds * power(2::double precision, after.consecutive_failures - 1),
            report.base_seconds * power(2::double precision, least(after.consecutive_failures - 1, 64)),
            -- end
            report.cap_seconds
          ) * (1 + coalesce(report.jitter, 0))
        ))
      );
      after.effect := 'cooled';
    end if;
    if after.effect = 'cooled' then
      after.rate_blocked_until := after.blocked_until;
    end if;

  elsif report.rule = 'cool' then
    -- A block of the same cause stays as it is; one of another cause may be lengthened, never shortened.
    -- guard: breaker: a block of the same cause changes nothing
    -- without: if not (was_blocked and state.reason is not distinct from report.outcome) then
    if not (was_blocked and state.reason is not distinct from report.cause) then
    -- end
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => coalesce(hint, report.base_seconds)));
    end if;
    after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;

  elsif report.rule = 'tolerate' then
    after.effect := 'ignored';
    -- guard: server errors inside a block are not counted
    -- without: if true then
    if not was_blocked then
    -- end
      after.recent_server_errors := array(
        select e
        from unnest(state.recent_server_errors) e
        where e > at - make_interval(secs => report.window_seconds)
        order by e
      ) || at;
      if cardinality(after.recent_server_errors) > report.error_threshold then
        after.blocked_until := at + make_interval(secs => coalesce(hint, report.base_seconds));
        after.effect := 'cooled';
        after.recent_server_errors := after.recent_server_errors[cardinality(after.recent_server_errors) - report.error_threshold + 1:];
      end if;
    end if;

  else
    raise exception using errcode = 'PT422', message = 'unknown_rule';
  end if;

  if after.effect in ('cooled', 'disabled') then
    -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- guard: hint: used only where it set the block
    -- without: if hint is not null then
    if after.effect = 'cooled' and after.blocked_until = at + make_interval(secs => hint) then
    -- end
      -- guard: hint: capped
      -- without: after.hint := 'used';
      after.hint := case when named > report.hint_cap_seconds then 'capped' else 'used' end;
      -- end
    end if;
  end if;
  after.state_after := case
    when after.effect = 'disabled' or after.state_before = 'disabled' then 'disabled'
    when after.blocked_until > at then 'cooling_down'
    else 'available'
  end;
  return after;
end;
$$;
comment on function private.next_state is
  'The state of a key after a report at a time, with the report''s effect: all rules of set-key-state, without a look at any table. Raises PT422 unknown_rule.';
revoke execute on function private.next_state from public, anon, authenticated, service_role;
grant execute on function private.next_state to service_role;

-- supabase/schemas/keys/26_apply_report.sql

create function private.report_answer(log public.api_key_usage_log)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  answer constant jsonb := jsonb_build_object(
    'key_id', log.user_api_key_id,
    'state', log.state_after,
    'blocked_until', log.blocked_until,
    'consecutive_failures', log.consecutive_failures,
    'outcome', log.outcome,
    'effect', log.effect
  );
begin
  return case when log.hint is null then answer else answer || jsonb_build_object('hint', log.hint) end;
end;
$$;
comment on function private.report_answer is 'What set-key-state answers to a report, from its row in the log.';
revoke execute on function private.report_answer from public, anon, authenticated, service_role;
grant execute on function private.report_answer to service_role;

create function private.apply_report(
  user_id uuid,
  agent_id uuid,
  key_id uuid,
  lease public.api_key_usage_log,
  report private.key_report
)
returns public.api_key_usage_log
language plpgsql
volatile
set search_path = ''
as $$
declare
  by_key constant boolean := lease.id is null;
  -- Only a failure can block or disable the key. A row that is new in the log locks the key, too, through its foreign key.
  -- guard: a report that adds a log row locks the key first
  -- without: locks_key constant boolean := report.rule not in ('success', 'ignore');
  locks_key constant boolean := report.rule not in ('success', 'ignore') or by_key;
  -- end
  health public.api_key_health;
  has_health boolean;
  key public.user_api_keys;
  at timestamptz;
  state private.key_state;
  after private.key_state;
  -- The keys of this pool and provider that other reports have just disabled.
  disabled_ids uuid[];
  log public.api_key_usage_log;
begin
  if by_key then
    -- A key of another pool is not locked, so that its callers do not wait; below it is not found.
    select k.id into apply_report.key_id
    from public.user_api_keys k
    -- guard: a report never locks a key of another pool
    -- without: where k.id = apply_report.key_id;
    where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
    -- end
  end if;

  -- One caller of a key at a time: see lease_api_key. The key row is locked before the health row, and the health row is never
  -- waited for: an operator's reset locks them in the other order.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(apply_report.key_id, 0));
  if locks_key then
    -- A TRUNCATE of the health table locks the keys next: wait for it here, before this call holds a key.
    -- guard: a report waits for the health table before it locks a key
    perform from public.api_key_health h where h.user_api_key_id = apply_report.key_id;
    -- end
    -- guard: row lock of a report
    perform from public.user_api_keys k where k.id = apply_report.key_id for no key update;
    -- end
  end if;
  select h.* into health
  from public.api_key_health h
  where h.user_api_key_id = apply_report.key_id
  -- guard: an operator who holds the health row is not waited for
  -- without: for no key update;
  for no key update skip locked;
  -- end
  has_health := found;
  -- Read after the lock: an edit that resets or disables a key writes both rows, so that all of it is seen here or nothing.
  select k.* into key
  from public.user_api_keys k
  -- guard: pool test of a report
  -- without: where k.id = apply_report.key_id;
  where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  -- end
  if not found then
    raise exception using errcode = 'PT404', message = case when by_key then 'key_not_found' else 'lease_not_found' end;
  elsif not has_health then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;

  at := clock_timestamp();
  if by_key then
    select l.* into lease
    from public.api_key_usage_log l
    where l.user_api_key_id = apply_report.key_id
      and coalesce(l.agent_id, l.user_id) = coalesce(apply_report.agent_id, apply_report.user_id)
      and l.reported_at is null
    order by l.issued_at desc
    limit 1;
  end if;
  report.issued_at := coalesce(lease.issued_at, at);
  report.key_generation := lease.key_generation;
  report.cause := report.outcome;
  state := row(
    key.is_active, key.unusable_reason is null, key.generation, health.blocked_until, health.rate_blocked_until,
    health.consecutive_failures, health.last_failure_at, health.recent_server_errors, health.reason, health.reason_code,
    health.reason_since, null, null, null, null
  );
  after := private.next_state(state, report, at);

  if after.effect = 'disabled' and report.breaker_most is not null then
    -- Two dead keys within a minute may be two dead keys; a third one more probably means that a network refuses all of them.
    disabled_ids := private.lately_disabled(apply_report.user_id, key.provider, report.breaker_window_seconds);
    at := clock_timestamp();
    -- guard: breaker: a third key is not disabled
    -- without: if false then
    if cardinality(disabled_ids) >= report.breaker_most then
    -- end
      report.rule := 'cool';
      report.cause := 'many_at_once';
    end if;
    after := private.next_state(state, report, at);
  end if;

  update public.api_key_usage_log l
  set (reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, hint) = row(
    at, report.outcome, report.error_code, after.effect, after.state_before, after.state_after,
    case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint
  )
  where l.id = lease.id
    -- Not reported yet. Written like this, the plan cannot read the index of all open leases, which looks cheaper than the
    -- primary key while there are few of them.
    -- guard: duplicate test: one lease, one effect
    -- without: ;
    -- guard: a report does not read all open leases
    -- without: and l.reported_at is null
    and l.outcome is null
    -- end
    -- end
  returning l.* into log;
  if not found then
    -- guard: a lease that was reported, released or pruned meanwhile is looked for again
    -- without: if false then
    if lease.id is not null then
    -- end
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect, state_before,
      state_after, blocked_until, consecutive_failures, hint
    )
    values (
      key.id, apply_report.user_id, apply_report.agent_id, key.generation, at, report.outcome, report.error_code,
      after.effect, after.state_before, after.state_after,
      case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint
    )
    returning * into log;
  end if;

  if after.effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
    update private.api_key_breakers b
    -- guard: breaker: only the last of the disabled are listed, with this one
    -- without: set key_ids = array[key.id]
    set key_ids = disabled_ids || key.id
    -- end
    -- guard: breaker: keys for any provider count among themselves
    -- without: where b.user_id = apply_report.user_id and b.provider = key.provider and disabled_ids is not null;
    where b.user_id = apply_report.user_id and b.provider = coalesce(key.provider, '') and disabled_ids is not null;
    -- end
  end if;
  update public.api_key_health h
  set blocked_until = after.blocked_until,
    rate_blocked_until = after.rate_blocked_until,
    consecutive_failures = after.consecutive_failures,
    recent_server_errors = after.recent_server_errors,
    last_failure_at = after.last_failure_at,
    reason = after.reason,
    reason_code = after.reason_code,
    reason_since = after.reason_since,
    reason_log_id = case when after.effect in ('cooled', 'disabled') then log.id else h.reason_log_id end,
    last_reported_at = at,
    last_outcome = report.outcome,
    last_error_code = report.error_code,
    last_effect = after.effect
  where h.user_api_key_id = key.id;
  if report.cause = 'many_at_once' then
    perform private.alert_once(
      apply_report.user_id,
      key.provider,
      report.cause,
      key.id,
      jsonb_build_object('error_code', report.error_code, 'disabled_key_ids', disabled_ids),
      report.breaker_quiet_seconds
    );
  end if;
  return log;
end;
$$;
comment on function private.apply_report is
  'What report_api_key goes on to when a report may move something: next_state, under the locks of the key. lease: null where the report names a key alone. Returns the row of the log. Raises PT404, and 55P03 where somebody holds the health row or was first: nothing was done, call again.';
revoke execute on function private.apply_report from public, anon, authenticated, service_role;
grant execute on function private.apply_report to service_role;

-- supabase/schemas/keys/27_report.sql

create function public.report_api_key(
  report jsonb,
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- While a table is small each call would plan again.
set plan_cache_mode = 'force_generic_plan'
-- A plan made while a table was small reads the whole table, and a session keeps it while the table grows. The one query
-- with an order, of open leases, has an index for it.
-- guard: a report reads no whole table
set enable_seqscan = off
-- end
-- Shorter than deadlock_timeout: a report that waits in a cycle ends with 55P03 before the deadlock detector runs.
set lock_timeout = '600ms'
as $$
<<this>>
declare
  -- Taken before anything is read: what is not visible below came later.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  agent_id uuid;
  reported_id uuid;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
  lease public.api_key_usage_log;
begin
  -- From here on user_id is the owner of the pool.
  if report_api_key.token_hash is not null or report_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
    from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;
  end if;

  if report_api_key.lease_id is not null then
    -- guard: fast path: a report with a hint is evaluated
    -- without: if this.rule in ('success', 'escalate') then
    if this.rule in ('success', 'escalate') and not report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'] then
    -- end
      -- A report that changes nothing: a success on a key in good health, or one more failure of a known outage. It reads key
      -- and health in one snapshot and locks the row of the log alone, which tells who was first. So it stands before every
      -- failure, reset and edit that it does not see. The pool is the lease's: a key that was given away has risen in
      -- generation, and a condition on its owner would let a plan walk through all of the owner's keys.
      update public.api_key_usage_log l
      set reported_at = at,
        outcome = this.outcome,
        error_code = this.error_code,
        effect = case this.rule when 'success' then 'none' else 'ignored' end,
        state_before = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        state_after = case when h.blocked_until > at then 'cooling_down' else 'available' end,
        blocked_until = case when h.blocked_until > at then h.blocked_until end,
        consecutive_failures = h.consecutive_failures
      from public.user_api_keys k, public.api_key_health h
      where l.id = report_api_key.lease_id
        -- guard: fast path: a lease of the caller's pool
        and l.user_id = report_api_key.user_id
        -- end
        -- guard: fast path: one lease, one effect
        and l.outcome is null
        -- end
        and l.issued_at is not null
        -- guard: fast path: the key that was named
        and (report_api_key.key_id is null or report_api_key.key_id = l.user_api_key_id)
        -- end
        and k.id = l.user_api_key_id
        -- guard: fast path: on a key that is on
        and k.is_active
        -- end
        -- guard: fast path: on a key that can be opened
        and k.unusable_reason is null
        -- end
        -- guard: fast path: not on a lease from before an operator's edit
        and k.generation <= l.key_generation
        -- end
        and h.user_api_key_id = l.user_api_key_id
        -- guard: fast path: no server errors to be forgotten
        and h.recent_server_errors = '{}'
        -- end
        and case this.rule
          when 'success' then
            -- guard: fast path: no success after failures
            -- without: (h.blocked_until is null or h.blocked_until <= at)
            h.consecutive_failures = 0
            -- guard: fast path: no success inside a block
            and (h.blocked_until is null or h.blocked_until <= at)
            -- end
            -- end
            -- guard: fast path: no success on a lease from before the last failure
            and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
            -- end
          -- guard: fast path: a failure of the known outage alone
          -- without: else true
          else l.issued_at < h.rate_blocked_until
          -- end
        end
      returning l.user_api_key_id, h.last_reported_at, h.last_outcome, private.report_answer(l)
      into reported_id, last_at, last_outcome_of_key, answer;
      if found then
        -- The newest outcome for operators, to the second. A locked row is skipped, not waited for.
        -- guard: fast path: the health row is written once a second for a repeated outcome
        -- without: if true then
        if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
        -- end
          update public.api_key_health h
          set last_reported_at = at,
            last_outcome = this.outcome,
            last_error_code = this.error_code,
            last_effect = case this.rule when 'success' then 'none' else 'ignored' end
          where h.user_api_key_id = (
            select free.user_api_key_id
            from public.api_key_health free
            where free.user_api_key_id = reported_id
              -- guard: fast path: what is newer stays
              and (free.last_reported_at is null or free.last_reported_at < at)
              -- end
            -- guard: fast path: who holds the health row is not waited for
            -- without: for no key update
            for no key update skip locked
            -- end
          );
        end if;
        return answer;
      end if;
    end if;

    select l.* into lease
    from public.api_key_usage_log l
    -- guard: pool test of a lease
    -- without: where l.id = report_api_key.lease_id and l.issued_at is not null;
    where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;
    -- end
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    elsif report_api_key.key_id <> lease.user_api_key_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    -- guard: another outcome on a reported lease is refused
    -- without: elsif false then
    elsif lease.outcome <> this.outcome then
    -- end
      raise exception using errcode = 'PT409', message = 'already_reported';
    elsif lease.outcome is not null then
      -- Answered here, before any queue: who came too late above still holds the row of the log.
      lease.effect := 'duplicate';
      return private.report_answer(lease);
    end if;
  end if;

  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    jsonb_populate_record(null::private.key_report, report_api_key.report)
  ));
end;
$$;
comment on function public.report_api_key is 'Takes the outcome of a key''s use. For the function set-key-state; report is what core makes of it: outcome, rule, error_code and the rule''s numbers (private.key_report). hint_given: the provider named a wait, which may be none that can be read. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';
revoke execute on function public.report_api_key from public, anon, authenticated, service_role;
grant execute on function public.report_api_key to service_role;

-- Some answers mean different things at different providers: Google uses OpenAI's sentence of an empty account for every limit.
create function public.api_key_provider(
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns text
language sql
stable
security invoker
set search_path = ''
as $$
  select k.provider
  from private.key_caller(api_key_provider.token_hash, api_key_provider.user_id) c
  join public.user_api_keys k on k.user_id = c.pool_user_id
  where k.id = coalesce(
    api_key_provider.key_id,
    (
      select l.user_api_key_id
      from public.api_key_usage_log l
      where l.id = api_key_provider.lease_id and l.user_id = c.pool_user_id
    )
  );
$$;
comment on function public.api_key_provider is
  'The provider of a key of the caller''s pool, named by itself or by a lease; null for a key of any provider and for none. For set-key-state and get-active-key, where it decides what a report means. Raises PT401 invalid_credential.';
revoke execute on function public.api_key_provider from public, anon, authenticated, service_role;
grant execute on function public.api_key_provider to service_role;

-- supabase/schemas/keys/28_report_successes.sql

create function public.report_successes(lease_ids uuid[], token_hash text default null, user_id uuid default null)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
-- See report_api_key and lease_batch.
set enable_seqscan = off
-- guard: batch: health rows are found by index, one by one
set enable_hashjoin = off
set enable_mergejoin = off
-- end
-- It waits for no row, but it may wait for a TRUNCATE: shorter than deadlock_timeout.
-- guard: batch: a TRUNCATE is not waited for long
set lock_timeout = '600ms'
-- end
as $$
declare
  at constant timestamptz := clock_timestamp();
  answers jsonb;
begin
  if report_successes.token_hash is not null or report_successes.user_id is null then
    select c.pool_user_id into report_successes.user_id
    from private.key_caller(report_successes.token_hash, report_successes.user_id) c;
  end if;

  -- As in report_api_key: reports that change nothing and whose log row is not locked. The caller reports the others one by one.
  with open as materialized (
    select l.id
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- guard: batch: somebody else's lease is left alone
      and l.user_id = report_successes.user_id
      -- end
      -- guard: batch: a lease that was reported is evaluated alone
      and l.outcome is null
      -- end
      and l.issued_at is not null
    -- guard: batch: a lease is not waited for
    -- without: for no key update
    for no key update skip locked
    -- end
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o, public.user_api_keys k, public.api_key_health h
    where l.id = o.id
      and k.id = l.user_api_key_id
      -- guard: batch: a key that is off is evaluated alone
      and k.is_active
      -- end
      -- guard: batch: a key that cannot be opened is evaluated alone
      and k.unusable_reason is null
      -- end
      -- guard: batch: a lease from before an operator's edit is evaluated alone
      and k.generation <= l.key_generation
      -- end
      and h.user_api_key_id = l.user_api_key_id
      -- guard: batch: server errors in a row are evaluated alone
      and h.recent_server_errors = '{}'
      -- end
      -- guard: batch: an expiry of failures is evaluated alone
      and h.consecutive_failures = 0
      -- end
      -- guard: batch: a block is evaluated alone
      and (h.blocked_until is null or h.blocked_until <= at)
      -- end
      -- guard: batch: a failure after the lease is evaluated alone
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- end
    returning l.id, l.user_api_key_id, private.report_answer(l) as answer,
      h.last_reported_at is null or h.last_reported_at < at - interval '1 s' or h.last_outcome <> 'success' as is_due
  ),
  heard as (
    update public.api_key_health h
    set last_reported_at = at, last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select free.user_api_key_id
      from public.api_key_health free
      where free.user_api_key_id in (select r.user_api_key_id from reported r where r.is_due)
        -- guard: batch: what is newer stays
        and (free.last_reported_at is null or free.last_reported_at < at)
        -- end
      -- guard: batch: a health row is not waited for
      -- without: for no key update of free
      for no key update of free skip locked
      -- end
    ))
  )
  select coalesce(jsonb_agg(
    -- guard: batch: the same lease twice is one report
    -- without: coalesce(r.answer, '{"retry": true}')
    case when a.turn = 1 and r.id is not null then r.answer else '{"retry": true}' end
    -- end
    order by a.place
  ), '[]')
  into answers
  from (
    select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
    from unnest(report_successes.lease_ids) with ordinality u (id, place)
  ) a
  left join reported r on r.id = a.id;
  return answers;
end;
$$;
comment on function public.report_successes is
  'Successes of one caller in one transaction: an array of what report_api_key answers, or {"retry": true} for one that is to be asked again, alone, because it may move something, is refused, or would have to wait. Waits for nobody. For the function set-key-state. Raises PT401 invalid_credential.';
revoke execute on function public.report_successes from public, anon, authenticated, service_role;
grant execute on function public.report_successes to service_role;

-- supabase/schemas/keys/29_report_and_lease.sql

-- A report and the next lease in one call, for an agent that goes from one task to the next.
create function public.report_and_lease(
  report jsonb,
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}',
  exclude uuid[] default '{}'
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
-- Shorter than deadlock_timeout: see report_api_key and lease_api_key.
set lock_timeout = '600ms'
as $$
declare
  -- The report first, so that a key it blocks is not leased again.
  reported constant jsonb := public.report_api_key(
    report => report_and_lease.report,
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    lease_id => (report_and_lease.report ->> 'lease_id')::uuid
  );
begin
  -- The report holds locks, so that the lease waits for no key and may answer retry; the report is committed in any case.
  return jsonb_build_object(
    'reported', reported,
    'lease', public.lease_api_key(
      token_hash => report_and_lease.token_hash,
      user_id => report_and_lease.user_id,
      provider => report_and_lease.provider,
      live_kids => report_and_lease.live_kids,
      exclude => report_and_lease.exclude
    )
  );
end;
$$;
comment on function public.report_and_lease is
  'report_api_key and then lease_api_key in one transaction: {reported, lease}. A lease that says retry is asked for by lease_api_key alone. For the function get-active-key. Raises what the two raise; then neither was done.';
revoke execute on function public.report_and_lease from public, anon, authenticated, service_role;
grant execute on function public.report_and_lease to service_role;

-- supabase/schemas/keys/30_api_key_states.sql

-- What an operator looks at first. ready_at is the predicate of the selector too.
create view public.api_key_states
with (security_invoker = true)
as
select
  k.id as user_api_key_id,
  k.user_id,
  k.key_name,
  k.provider,
  k.priority,
  k.usage_count,
  case
    when k.ready_at <= clock_timestamp() then 'available'
    when not k.is_active or k.unusable_reason is not null then 'disabled'
    else 'cooling_down'
  end as state,
  case
    when k.is_active and k.unusable_reason is null and k.ready_at > clock_timestamp() and isfinite(k.ready_at)
    then ceil(extract(epoch from k.ready_at - clock_timestamp()))::bigint
  end as seconds_left,
  h.consecutive_failures,
  case
    when k.ready_at <= clock_timestamp() then null
    when k.is_active and k.unusable_reason is not null then k.unusable_reason
    else concat_ws(' ', h.reason, h.reason_code)
  end as why,
  case
    when k.ready_at <= clock_timestamp() then null
    when k.is_active and k.unusable_reason is not null then k.unusable_since
    else h.reason_since
  end as since,
  case when k.ready_at > clock_timestamp() then h.reason_log_id end as caused_by_log_id,
  h.last_outcome,
  h.last_error_code,
  h.last_effect,
  h.last_reported_at,
  k.sealed_kid
from public.user_api_keys k
join public.api_key_health h on h.user_api_key_id = k.id;
comment on view public.api_key_states is 'For operators: the state of each key, how long it lasts and why. Only the functions know which seal pairs are live: a key whose sealed_kid is of none is passed over though it shows as available.';
revoke all on table public.api_key_states from public, anon, authenticated, service_role;
grant select on table public.api_key_states to service_role;

-- Without this Postgres says that such a view cannot be written, and would say so to clients before it looks at
-- their rights.
create function private.refuse_state_edit()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT422',
    message = 'api_key_states is for reading: edit user_api_keys or api_key_health',
    detail = '{"code": "read_only"}';
end;
$$;
comment on function private.refuse_state_edit is 'Tells an operator where to edit instead.';
revoke execute on function private.refuse_state_edit from public, anon, authenticated, service_role;

create trigger api_key_states_read_only
instead of insert or update or delete on public.api_key_states
for each row execute function private.refuse_state_edit();

-- supabase/schemas/keys/40_reseal.sql

-- What operators and schedules run: moving keys to a new seal pair, and pruning the log.
create function public.reseal_api_key(key_id uuid, expected text, resealed text)
returns boolean
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  replaced boolean;
begin
  -- The same key, sealed again: its block and its leases stay.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
end;
$$;
comment on function public.reseal_api_key is 'Replaces a key''s sealed text by the same key sealed to a newer pair; false when the text changed meanwhile. For operators (npm run reseal).';
revoke execute on function public.reseal_api_key from public, anon, authenticated, service_role;

-- supabase/schemas/keys/41_prune_usage_log.sql

-- Pruning reads the log page by page instead of using an index. A BRIN index fails here: the space of pruned rows is used
-- again, so that every page holds old and new rows. A b-tree on the time would cost all leases of a day more than the reading.
create table private.api_key_log_pruning (
  only_row boolean not null default true,
  next_page bigint not null default 0,
  constraint api_key_log_pruning_pkey primary key (only_row),
  constraint api_key_log_pruning_only_row_check check (only_row)
);
comment on table private.api_key_log_pruning is 'One row: the page of the usage log at which pruning goes on. Only a hint.';
alter table private.api_key_log_pruning enable row level security;
revoke all on table private.api_key_log_pruning from public, anon, authenticated, service_role;

-- Alerts go with the log rows of their time.
create function public.prune_api_key_usage_log(
  keep interval default '30 days',
  batch integer default 10000,
  pages integer default null
)
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  -- One megabyte a statement, so that pruning stops soon after the batch is full.
  slice constant integer := 128;
  size constant bigint := pg_relation_size('public.api_key_usage_log') / current_setting('block_size')::integer;
  unseen bigint := least(size, prune_api_key_usage_log.pages);
  page bigint;
  pruned integer := 0;
  gone integer;
begin
  -- guard: pruning: the least keep
  -- without: if false
  if prune_api_key_usage_log.keep < interval '1 day'
  -- end
    or prune_api_key_usage_log.batch < 1
    or prune_api_key_usage_log.pages < 1
  then
    raise exception using errcode = 'PT422', message = 'keep must be at least 1 day, batch and pages at least 1';
  end if;

  -- Two pruners take turns; leases and reports never lock this row.
  -- guard: pruning: two pruners take turns
  -- without: select p.next_page into page from private.api_key_log_pruning p;
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  -- end
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- guard: pruning: starts again after the last page
      -- without: null;
      page := 0;
      -- end
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- guard: pruning: a recent report keeps its row
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- end
        -- The row that explains a live block or a disabled key stays for as long as it does.
        and not exists (
          select
          from public.api_key_health h
          join public.user_api_keys k on k.id = h.user_api_key_id
          where h.user_api_key_id = old.user_api_key_id
            -- guard: pruning: what explains a block or a disabled key stays
            -- without: and false
            and h.reason_log_id = old.id
            -- end
            -- guard: pruning: a block that is over explains nothing
            and k.ready_at > clock_timestamp()
            -- end
        )
      -- guard: pruning: the batch bound
      limit prune_api_key_usage_log.batch - pruned
      -- end
      -- Never waits for a report, whose row may become the one that explains a block.
      -- guard: pruning: a row that is being reported is not waited for
      -- without: for update
      for update skip locked
      -- end
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  -- guard: pruning: the next call goes on where this one stopped
  update private.api_key_log_pruning p set next_page = page;
  -- end
  -- At most one a pool and provider in five minutes: few enough to delete in one statement.
  -- guard: alerts are pruned
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  -- end
  return pruned;
end;
$$;
comment on function public.prune_api_key_usage_log is 'Deletes at most batch log rows older than keep and returns how many. Goes on where the last call stopped, through the whole log (call it until it returns 0) or so many pages of it. Spares what explains a live block or a disabled key.';
revoke execute on function public.prune_api_key_usage_log from public, anon, authenticated, service_role;

-- supabase/schemas/keys/42_reenable_keys.sql

-- What operators do after an alert: bring back what reports have disabled since a moment.
create function public.reenable_keys(user_id uuid, provider text, since timestamptz)
returns table (user_api_key_id uuid, key_name text, disabled_at timestamptz, reason_code text)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
begin
  -- One by one in a fixed order, each locked before it is looked at: what somebody enables meanwhile is left alone.
  for reenable_keys.user_api_key_id in
    select k.id
    from public.user_api_keys k
    -- guard: reenable: of one pool
    -- without: where true
    where k.user_id = reenable_keys.user_id
    -- end
      -- guard: reenable: of one provider
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      -- end
      and not k.is_active
    order by k.id
  loop
    perform from public.user_api_keys k where k.id = reenable_keys.user_api_key_id for no key update;
    select k.key_name, h.reason_since, h.reason_code
    into reenable_keys.key_name, reenable_keys.disabled_at, reenable_keys.reason_code
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = reenable_keys.user_api_key_id
      -- guard: reenable: what operators disabled stays so
      and h.reason = 'invalid_key'
      -- end
      -- guard: reenable: since a moment
      -- without: ;
      and h.reason_since >= reenable_keys.since;
      -- end
    if found then
      update public.user_api_keys k set is_active = true where k.id = reenable_keys.user_api_key_id;
      return next;
    end if;
  end loop;
end;
$$;
comment on function public.reenable_keys is 'Enables the keys of a pool that reports have disabled since a moment, of one provider or (null) of all, and returns them. What operators disabled stays so. For operators.';
revoke execute on function public.reenable_keys from public, anon, authenticated, service_role;
grant execute on function public.reenable_keys to service_role;
