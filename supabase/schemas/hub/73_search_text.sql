-- Splits a text into words, in any script, with the same rules for listings and for queries. It uses no dictionary of a language,
-- so that the result is the same on every Postgres.
create function private.fold(value text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Wide letters become ordinary ones; case, accents and vowel marks of Arabic are dropped. The text is composed again, so that
  -- Hangul and the marks of Japanese stay whole. ae, oe and ue count as umlauts, except before a vowel; with this rule the
  -- beginning of a word, once folded, still begins the folded word.
  return regexp_replace(replace(replace(replace(translate(
    normalize(
      regexp_replace(
        normalize(lower(normalize(fold.value, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        '[\u0300-\u036f\u0640\u064b-\u065f\u200b-\u200f\u00ad\ufe00-\ufe0f]', '', 'g'
      ),
      nfc
    ),
    'øđłıðħŧ’‘ʼ', 'odlidht'''''''
  ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '([aou])e(?![aeiou])', '\1', 'g');
end;
$$;
comment on function private.fold is 'Returns a text without case, accents and width.';
revoke execute on function private.fold from public, anon, authenticated, service_role;
-- The index of display names calls this function with the role of the writer.
grant execute on function private.fold to authenticated, service_role;

create function private.words(value text)
returns table (whole text, parts text[], is_run boolean)
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Characters of scripts without spaces, and of Hangul, where particles directly follow a word.
  run constant text := '\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u30fa\u30fc-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff';
  folded text := private.fold(regexp_replace(words.value, '([a-z])([A-Z])', '\1-\2', 'g'));
  word text;
begin
  -- c++ becomes cpp, c# becomes csharp, .net becomes dotnet. camelCase and gpt-4o are split into their parts and also kept whole.
  folded := regexp_replace(regexp_replace(regexp_replace(folded, '([a-z])\+\+', '\1pp', 'g'), '([a-z])#', '\1sharp', 'g'), '(^|[\s(,/])\.(?=[a-z])', '\1dot', 'g');
  for word in
    select m.found[1]
    from regexp_matches(
      folded collate pg_catalog.pg_c_utf8,
      format('[%1$s]+|[\u2190-\u2bff\U0001f000-\U0001faff]|[^\s[:punct:]%1$s]+(?:[-._''][^\s[:punct:]%1$s]+)*', run), 'g'
    ) m (found)
  loop
    is_run := word ~ format('^[%s]', run);
    whole := left(regexp_replace(word, '[-._'']', '', 'g'), 100);
    if is_run then
      parts := array(select substr(word, i, 2) from generate_series(1, greatest(1, char_length(word) - 1)) i);
    else
      parts := regexp_split_to_array(left(word, 100), '[-._'']');
    end if;
    return next;
  end loop;
end;
$$;
comment on function private.words is 'Returns the words of a text, each whole and in parts (pairs of characters for scripts without spaces).';
revoke execute on function private.words from public, anon, authenticated, service_role;

create function private.title_key(title text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (select coalesce(string_agg(w.whole, ' '), '') from private.words(title_key.title) w);
end;
$$;
comment on function private.title_key is 'Returns a form that is equal for titles that read alike.';
revoke execute on function private.title_key from public, anon, authenticated, service_role;

create function private.lexemes(value text, weight text, behind integer, endings_from integer)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  w record;
  place text;
  part text;
  entries text := '';
begin
  for w in select * from private.words(lexemes.value) with ordinality x (whole, parts, is_run, n) loop
    place := ''':' || least(w.n + lexemes.behind, 16383) || lexemes.weight || ' ''';
    entries := entries || array_to_string(w.parts, place) || place || case when w.is_run then right(w.whole, 1) else w.whole end || place;
    continue when w.is_run;
    -- Stores the endings of a compound word, so that a search for its second part finds it.
    foreach part in array w.parts loop
      continue when char_length(part) not between lexemes.endings_from and 40 or part ~ '[0-9]';
      for i in 4..char_length(part) - 3 loop
        entries := entries || '~' || substr(part, i) || place;
      end loop;
    end loop;
  end loop;
  return case when entries <> '' then '''' || left(entries, -1) end;
end;
$$;
comment on function private.lexemes is 'Returns the search terms of a text, as the text of a tsvector: words, pairs of characters, and, after ~, the endings of words with at least endings_from letters.';
revoke execute on function private.lexemes from public, anon, authenticated, service_role;
