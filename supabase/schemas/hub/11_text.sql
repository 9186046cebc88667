-- Rules for the texts of the hub that other users read: titles, names, descriptions, tags. The core package has the same list of
-- invisible characters (invisible.ts); a test compares the two for every code point.
create function private.invisible_characters()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Control characters except tab and line breaks, invisible format characters, characters that are shown as nothing where they
  -- are not supported, private use, noncharacters, planes without characters, unassigned jamo, and blank letters.
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
$$;
comment on function private.invisible_characters is 'Returns the invisible characters that no writing system needs, as the text between the brackets of a regular expression.';
revoke execute on function private.invisible_characters from public, anon, authenticated, service_role;
grant execute on function private.invisible_characters to authenticated, service_role;

create function private.invisible_pattern()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Invisible characters are allowed in these places: a joiner within words of some scripts, a zero width joiner also between two
  -- emoji, and a variation selector after a symbol or in a keycap.
  select '[' || private.invisible_characters() || ']'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f])\u200c'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d'
    || '|(?<=[\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d(?![\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff])'
    || '|(?<![#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]'
    || '|(?<=[#*0-9])[\ufe0e\ufe0f](?!\u20e3)';
$$;
comment on function private.invisible_pattern is 'Returns a regular expression that matches invisible characters, and also joiners and variation selectors in places where no writing system needs them.';
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
comment on function private.has_invisible_characters is 'Returns whether a text that may have several lines contains invisible characters, which can make it look like another text.';
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
comment on function private.has_breaks_or_invisible is 'Returns whether a text of one line, such as a title or a name, has a line break, a tab or invisible characters.';
revoke execute on function private.has_breaks_or_invisible from public, anon, authenticated, service_role;
-- A check constraint calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.has_breaks_or_invisible to authenticated, service_role;

create function private.remove_invisible(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Replaces twice, because a joiner may be out of place only after the first pass has removed the character beside it.
  select regexp_replace(regexp_replace(remove_invisible.value, private.invisible_pattern(), '', 'g'), private.invisible_pattern(), '', 'g');
$$;
comment on function private.remove_invisible is 'Returns a text without its invisible characters.';
revoke execute on function private.remove_invisible from public, anon, authenticated, service_role;

create function private.clean(value text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- A text of joiners and variation selectors alone counts as empty.
  return case
    when clean.value ~ ('[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000')
  end;
end;
$$;
comment on function private.clean is 'Returns a text without the white space around it; null when the text has no visible character.';
revoke execute on function private.clean from public, anon, authenticated, service_role;

create function private.as_one_line(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  select private.clean(private.remove_invisible(regexp_replace(as_one_line.value, '[\t\n\r\u0085\u2028\u2029]+', ' ', 'g')));
$$;
comment on function private.as_one_line is 'Returns a title or name as one line, without the characters that has_breaks_or_invisible refuses; null when nothing is left.';
revoke execute on function private.as_one_line from public, anon, authenticated, service_role;

-- Returns the forms of a text in which secrets are searched: a secret must be found although invisible characters split it or
-- although it is written in full-width letters. Callers limit the size first: normalising a long run of combining marks takes
-- quadratic time.
create function private.searched_forms(value text)
returns table (form text)
language sql
immutable
set search_path = ''
as $$
  select r.form
  from (select regexp_replace(searched_forms.value, '[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']', '', 'g') as visible) s
  cross join lateral (values (s.visible), (normalize(s.visible, nfkc))) r (form);
$$;
comment on function private.searched_forms is 'Returns the two forms of a short text in which secrets are searched: the text without invisible characters, and that form normalised (NFKC).';
revoke execute on function private.searched_forms from public, anon, authenticated, service_role;

-- Lists the patterns of secrets. The database looks for secrets itself, because clients edit four columns of a listing and three
-- of a profile directly, without an edge function in between.
create function private.secret_patterns()
returns table (rule text, pattern text)
language sql
immutable
set search_path = ''
as $$
  -- Written by `npm run generate` from the formats of the core package (redact/secret-formats).
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
comment on function private.secret_patterns is 'Returns regular expressions that match what looks like a secret, one per row; they work in Postgres and in JavaScript.';
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
comment on function private.looks_secret is 'Returns whether a short text contains something that looks like a secret.';
revoke execute on function private.looks_secret from public, anon, authenticated, service_role;

create function private.adds_secret(before text, after text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- A match that was already in the text, such as a placeholder, discloses nothing new.
  select private.looks_secret(adds_secret.after) and exists (
    select
    from private.searched_forms(adds_secret.after) r
    cross join private.secret_patterns() p
    cross join lateral regexp_matches(r.form, '(' || p.pattern || ')', 'g') m (found)
    where not exists (
      select from private.searched_forms(coalesce(adds_secret.before, '')) b
      where strpos(b.form, regexp_replace(m.found[1], '^[^A-Za-z0-9]|[^A-Za-z0-9]$', '', 'g')) > 0
    )
  );
$$;
comment on function private.adds_secret is 'Returns whether an edit of a short text adds something that looks like a secret and was not there before.';
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
comment on function private.is_https_url is 'Returns whether a text is an https address of at most 2048 ASCII characters, without user name or password.';
revoke execute on function private.is_https_url from public, anon, authenticated, service_role;
-- A check constraint calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.is_https_url to authenticated, service_role;

create function private.normalize_tags(tags text[])
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Keeps the order in which the tags were sent.
  return (
    select coalesce(array_agg(t.tag order by t.first), '{}')
    from (
      select n.tag, min(n.position) as first
      from (
        select lower(ltrim(coalesce(private.clean(normalize(u.tag, nfkc)), ''), '#')) as tag, u.position
        from unnest(normalize_tags.tags) with ordinality as u (tag, position)
      ) n
      group by n.tag
    ) t
  );
end;
$$;
comment on function private.normalize_tags is 'Normalises tags: NFKC, lower case, without a leading #, each tag once.';
revoke execute on function private.normalize_tags from public, anon, authenticated, service_role;

create function private.tags_are_valid(tags text[])
returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return cardinality(tags_are_valid.tags) <= 20
    and coalesce(array_ndims(tags_are_valid.tags), 1) = 1
    and not exists (
      select from unnest(tags_are_valid.tags) u (tag)
      where u.tag is null
        or char_length(u.tag) not between 1 and 64
        or translate(u.tag, '+._:/-', '') ~ '[[:punct:][:space:][:cntrl:]]'
        or u.tag ~ '[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffd]'
    );
end;
$$;
comment on function private.tags_are_valid is 'Returns whether these are at most 20 tags of 1 to 64 letters, digits and + . _ : / -, in any script.';
revoke execute on function private.tags_are_valid from public, anon, authenticated, service_role;
-- A check constraint calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.tags_are_valid to authenticated, service_role;

create function private.fault(path text, code text, message text)
returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_array(jsonb_build_object('path', fault.path, 'code', fault.code, 'message', fault.message));
$$;
comment on function private.fault is 'Returns one validation fault as a JSON array of one element, so that callers can append it to other faults.';
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
comment on function private.refuse_faults is 'Raises PT422 validation_failed with all the given faults; does nothing when the array is empty.';
revoke execute on function private.refuse_faults from public, anon, authenticated, service_role;
