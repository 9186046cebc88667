-- What text of the hub may look like, as far as the database has to say it itself: a client edits four columns of a
-- listing and three of a profile without passing a function.

create function private.secret_patterns()
returns table (rule text, pattern text)
language sql
immutable
set search_path = ''
as $$
  -- Coarse on purpose: only what can hardly be anything else. The same list as the core package's secretPatterns.
  values
    ('openai', 'sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{20,}'),
    ('openai-legacy', 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}'),
    ('sk-hex', '(^|[^A-Za-z0-9])sk-[0-9a-f]{32}'),
    ('anthropic', 'sk-ant-[A-Za-z0-9_-]{20,}'),
    ('openrouter', 'sk-or-v1-[0-9a-f]{32,}'),
    ('google-api-key', 'AIza[A-Za-z0-9_-]{33,}'),
    ('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
    ('aws-access-key-id', '(^|[^A-Za-z0-9])(AKIA|ASIA)[A-Z2-7]{16}([^A-Za-z0-9]|$)'),
    ('github', '(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}'),
    ('gitlab', 'glpat-[A-Za-z0-9_-]{20,}'),
    ('slack', 'xox[abprs]-[A-Za-z0-9-]{16,}|hooks\.slack\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}'),
    ('discord-webhook', 'discord(app)?\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}'),
    ('telegram', '(^|[^0-9A-Za-z])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'),
    ('stripe', '(sk|rk)_(live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}'),
    ('huggingface', '(^|[^A-Za-z0-9])hf_[A-Za-z0-9]{30,}'),
    ('groq', 'gsk_[A-Za-z0-9]{40,}'),
    ('replicate', '(^|[^A-Za-z0-9])r8_[A-Za-z0-9]{30,}'),
    ('sendgrid', 'SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}'),
    ('supabase', 'sb_secret_[A-Za-z0-9_-]{16,}|sbp_[0-9a-f]{40}'),
    ('keyhub', 'kh_(agent|scan)_[A-Za-z0-9_-]{16,}'),
    ('jwt', 'eyJ[A-Za-z0-9_-]{10,255}\.eyJ[A-Za-z0-9_-]{10,}'),
    ('private-key', '-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\ \n\r]{40,}'),
    ('npm', '(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{36}'),
    ('url-password', '[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]'),
    ('sk', '(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}'),
    ('bearer', '[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}'),
    ('url-user-info', '[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]'),
    ('url-token', '[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}')
$$;
comment on function private.secret_patterns is 'The coarse patterns of what looks like a secret, one a row.';
revoke execute on function private.secret_patterns from public, anon, authenticated, service_role;

create function private.looks_secret(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- What nobody sees must not split a secret in two.
  select exists (
    select from private.secret_patterns() p
    where regexp_replace(looks_secret.value, '[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f\ufeff]', '', 'g') ~ p.pattern
  );
$$;
comment on function private.looks_secret is 'Whether a text holds something that looks like a secret.';
revoke execute on function private.looks_secret from public, anon, authenticated, service_role;

create function private.clean(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Characters that join, fill or select, and are needed in some scripts, make no text of their own.
  select case
    when clean.value ~ '[^\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]'
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u2028\u2029\u3000')
  end;
$$;
comment on function private.clean is 'Without white space around it; what shows nothing is null.';
revoke execute on function private.clean from public, anon, authenticated, service_role;

create function private.has_odd_characters(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Control characters but tab and line breaks, and what is invisible or turns the direction of what follows.
  select has_odd_characters.value ~ '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]';
$$;
comment on function private.has_odd_characters is 'Whether a text holds characters that nobody sees and that can make it read as another.';
revoke execute on function private.has_odd_characters from public, anon, authenticated, service_role;
-- Check constraints run as whoever writes.
grant execute on function private.has_odd_characters to authenticated, service_role;

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
-- Check constraints run as whoever writes.
grant execute on function private.is_https_url to authenticated, service_role;

create function private.normalize_tags(tags text[])
returns text[]
language sql
immutable
set search_path = ''
as $$
  -- In the order in which they came, each once.
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
-- Check constraints run as whoever writes.
grant execute on function private.tags_are_valid to authenticated, service_role;

create function private.fault(path text, code text, message text)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_array(jsonb_build_object('path', fault.path, 'code', fault.code, 'message', fault.message));
$$;
comment on function private.fault is 'One fault of a row, as a list of one.';
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
comment on function private.refuse_faults is 'Raises PT422 validation_failed with every fault at once, or nothing when there is none.';
revoke execute on function private.refuse_faults from public, anon, authenticated, service_role;
