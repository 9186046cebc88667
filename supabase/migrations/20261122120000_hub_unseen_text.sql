-- One list of what nobody sees, for every text of the hub that others read: titles, names, descriptions, tags. The core package
-- has the same (unseen.ts); a test compares the two for every character there is.

create function private.unseen_characters()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Controls but tab and line breaks, fillers and blanks of some scripts, marks of direction, variation selectors but the two of
  -- emoji, tags, and what is no character at all.
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U00013430-\U00013440\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0003ffff\U0004fffe-\U0004ffff\U0005fffe-\U0005ffff\U0006fffe-\U0006ffff\U0007fffe-\U0007ffff\U0008fffe-\U0008ffff\U0009fffe-\U0009ffff\U000afffe-\U000affff\U000bfffe-\U000bffff\U000cfffe-\U000cffff\U000dfffe-\U000dffff\U000e0000-\U000e0fff\U000efffe-\U000effff\U000ffffe-\U000fffff\U0010fffe-\U0010ffff'::text;
$$;
comment on function private.unseen_characters is 'What is never needed and never seen, as the inside of a bracket expression.';
revoke execute on function private.unseen_characters from public, anon, authenticated, service_role;
grant execute on function private.unseen_characters to authenticated, service_role;

create function private.odd_pattern()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Joiners belong into words of some scripts, the wide one between two emoji as well; a selector behind a sign or in a keycap.
  select '[' || private.unseen_characters() || ']'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f])\u200c'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d'
    || '|(?<=[\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d(?![\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff])'
    || '|(?<![#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]'
    || '|(?<=[#*0-9])[\ufe0e\ufe0f](?!\u20e3)';
$$;
comment on function private.odd_pattern is 'What nobody sees and no script needs where it stands, as a regular expression.';
revoke execute on function private.odd_pattern from public, anon, authenticated, service_role;
grant execute on function private.odd_pattern to authenticated, service_role;

create function private.has_odd_text(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Most texts hold none of them, and are not looked at twice.
  select has_odd_text.value ~ ('[\u200c\u200d\ufe0e\ufe0f' || private.unseen_characters() || ']')
    and has_odd_text.value ~ private.odd_pattern();
$$;
comment on function private.has_odd_text is 'Whether a text of several lines holds characters that nobody sees and that can make it read as another.';
revoke execute on function private.has_odd_text from public, anon, authenticated, service_role;
grant execute on function private.has_odd_text to authenticated, service_role;

create or replace function private.has_odd_characters(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select has_odd_characters.value ~ '[\t\n\r]' or private.has_odd_text(has_odd_characters.value);
$$;
comment on function private.has_odd_characters is 'Whether a text of one line, such as a title or a name, holds a line break or tab or anything else that nobody sees.';

create function private.without_odd(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Twice: what a joiner stood beside may have been one of them.
  select regexp_replace(regexp_replace(without_odd.value, private.odd_pattern(), '', 'g'), private.odd_pattern(), '', 'g');
$$;
comment on function private.without_odd is 'A text without what nobody sees.';
revoke execute on function private.without_odd from public, anon, authenticated, service_role;

create function private.as_one_line(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  select private.clean(private.without_odd(regexp_replace(as_one_line.value, '[\t\n\r\u0085\u2028\u2029]+', ' ', 'g')));
$$;
comment on function private.as_one_line is 'A title or name that has_odd_characters has nothing against; null when nothing is left.';
revoke execute on function private.as_one_line from public, anon, authenticated, service_role;

create or replace function private.clean(value text)
returns text
language sql
immutable
set search_path = ''
as $$
  -- Characters that join or select, and are needed in some scripts, make no text of their own.
  select case
    when clean.value ~ ('[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f' || private.unseen_characters() || ']')
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000')
  end;
$$;

-- What nobody sees must not split a secret in two, and wide letters are letters. Callers bound the size: normalising takes the
-- square of a long run of combining marks.
create function private.readings(value text)
returns table (reading text)
language sql
immutable
set search_path = ''
as $$
  select r.reading
  from (select regexp_replace(readings.value, '[\u200c\u200d\ufe0e\ufe0f' || private.unseen_characters() || ']', '', 'g') as seen) s
  cross join lateral (values (s.seen), (normalize(s.seen, nfkc))) r (reading);
$$;
comment on function private.readings is 'A short text as the eye reads it: without what nobody sees, and in plain letters.';
revoke execute on function private.readings from public, anon, authenticated, service_role;

create or replace function private.looks_secret(value text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  select exists (
    select from private.readings(looks_secret.value) r join private.secret_patterns() p on r.reading ~ p.pattern
  );
$$;
comment on function private.looks_secret is 'Whether a short text holds something that looks like a secret.';

create function private.brings_secret(before text, after text)
returns boolean
language sql
immutable
set search_path = ''
as $$
  -- What could be read before, a placeholder for one, gives nothing away by being there still.
  select private.looks_secret(brings_secret.after) and exists (
    select
    from private.readings(brings_secret.after) r
    cross join private.secret_patterns() p
    cross join lateral regexp_matches(r.reading, '(' || p.pattern || ')', 'g') m (found)
    where not exists (
      select from private.readings(coalesce(brings_secret.before, '')) b
      where strpos(b.reading, regexp_replace(m.found[1], '^[^A-Za-z0-9]|[^A-Za-z0-9]$', '', 'g')) > 0
    )
  );
$$;
comment on function private.brings_secret is 'Whether an edit of a short text brings in something that looks like a secret and was not there before.';
revoke execute on function private.brings_secret from public, anon, authenticated, service_role;

-- What is stored already, so that no later edit of the row meets it.
update public.hub_assets a
set title = coalesce(private.as_one_line(a.title), 'Untitled')
where private.has_odd_characters(a.title);
update public.hub_profiles p
set display_name = private.as_one_line(p.display_name)
where private.has_odd_characters(p.display_name);
update public.prompt_templates t set name = coalesce(private.as_one_line(t.name), 'Untitled') where private.has_odd_characters(t.name);
update public.custom_components c set name = coalesce(private.as_one_line(c.name), 'Untitled') where private.has_odd_characters(c.name);
update public.orchestrator_configs o set name = coalesce(private.as_one_line(o.name), 'Untitled') where private.has_odd_characters(o.name);
update public.ai_model_settings s set name = coalesce(private.as_one_line(s.name), 'Untitled') where private.has_odd_characters(s.name);
