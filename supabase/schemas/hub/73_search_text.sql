-- How the words of a text are found again, in any script and by one and the same rules for listings and for what people type.
-- No extension and no dictionary of a language: what is the same on every Postgres.
create function private.fold(value text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Wide letters are letters; case, accents and vowel marks of Arabic do not count. Composed again, so that Hangul and the
  -- marks of Japanese stay whole.
  return replace(replace(replace(translate(
    normalize(
      regexp_replace(
        normalize(lower(normalize(fold.value, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        '[\u0300-\u036f\u0640\u064b-\u065f\u200b-\u200f\u00ad\ufe00-\ufe0f]', '', 'g'
      ),
      nfc
    ),
    'øđłıðħŧ’‘ʼ', 'odlidht'''''''
  ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
end;
$$;
comment on function private.fold is 'A text without case, accents and width.';
revoke execute on function private.fold from public, anon, authenticated, service_role;

create function private.title_key(title text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return btrim(regexp_replace(private.fold(title_key.title), '[\s!-"$-*,/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u3004\u3008-\u3020]+', ' ', 'g'));
end;
$$;
comment on function private.title_key is 'What two titles that read alike have in common; also the form in which a query is compared with titles.';
revoke execute on function private.title_key from public, anon, authenticated, service_role;

create function private.stem(word text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  rest text;
begin
  -- Not of one language: endings of plurals and inflections of several, taken off as long as three letters stay.
  if stem.word ~ '^[a-z]{4,}$' then
    rest := rtrim(stem.word, 'aeinorsxy');
    if rest like '%ing' then
      rest := rtrim(left(rest, -3), 'aeinorsxy');
    elsif rest like '%ment' then
      rest := rtrim(left(rest, -4), 'aeinorsxy');
    elsif rest like '%ed' then
      rest := rtrim(left(rest, -2), 'aeinorsxy');
    end if;
  elsif stem.word ~ '^[\u0400-\u04ff]{4,}$' then
    rest := rtrim(stem.word, 'авеиймоухыьэюяё');
  else
    return stem.word;
  end if;
  -- quizzes, setting: the letter that was doubled before the ending.
  return left(stem.word, greatest(3, char_length(rest) - case when right(rest, 2) = repeat(right(rest, 1), 2) and char_length(rest) > 1 then 1 else 0 end));
end;
$$;
comment on function private.stem is 'What forms of one word have in common, roughly. A match by it counts less than one of the word.';
revoke execute on function private.stem from public, anon, authenticated, service_role;

create function private.search_words(folded text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  words text[] := '{}';
  word text;
begin
  -- Runs of scripts without spaces, runs of Hangul, and what stands between blanks and signs of any other script. Signs inside a
  -- word bind it (gpt-4o), + and # behind it and a dot before it belong to it (c++, c#, .net).
  for word in
    select m.found[1]
    from regexp_matches(
      search_words.folded collate pg_catalog.pg_c_utf8,
      '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u30ff\u3100-\u312f\u31a0-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+'
        || '|[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+'
        || '|[^\s\u0001-\u0022\u0024-\u0026\u0028-\u002a\u002c\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u00bf\u00d7\u00f7\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2000-\u206f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+)',
      'g'
    ) m (found)
  loop
    if word ~ '[.+#_''-]' then
      word := ltrim(rtrim(word, '._''-'), '+#_''-');
      if word !~ '^[.][a-z]' then
        word := ltrim(word, '.');
      end if;
      continue when word !~ '[^.+#_''-]';
    end if;
    words := words || left(word, 200);
  end loop;
  return words;
end;
$$;
comment on function private.search_words is 'The words of a folded text in their order; what is written without spaces is one of them.';
revoke execute on function private.search_words from public, anon, authenticated, service_role;

create function private.word_kind(word text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  if word_kind.word ~ '^[a-z0-9]+$' then
    return 'word';
  end if;
  if word_kind.word ~ '^[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]' then
    return 'hangul';
  end if;
  if word_kind.word ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]' then
    return 'run';
  end if;
  return case when word_kind.word ~ '[.+#_''-]' then 'signs' else 'word' end;
end;
$$;
comment on function private.word_kind is 'Whether a word is of letters (word), with signs (signs), of Hangul (hangul), or of a script without spaces (run).';
revoke execute on function private.word_kind from public, anon, authenticated, service_role;

create function private.pairs(run text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  found text[] := '{}';
begin
  if char_length(pairs.run) < 2 then
    return array[pairs.run];
  end if;
  for i in 1..char_length(pairs.run) - 1 loop
    found := found || substr(pairs.run, i, 2);
  end loop;
  return found;
end;
$$;
comment on function private.pairs is 'Each two neighbours of a run of characters.';
revoke execute on function private.pairs from public, anon, authenticated, service_role;

create function private.signs_as_letters(word text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- cpp, csharp, dotnet.
  return regexp_replace(
    replace(replace(regexp_replace(signs_as_letters.word, '^[.]', 'dot'), '+', 'p'), '#', 'sharp'), '[._''-]', '', 'g'
  );
end;
$$;
comment on function private.signs_as_letters is 'A word with signs as it is written without them.';
revoke execute on function private.signs_as_letters from public, anon, authenticated, service_role;

create function private.word_parts(word text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
begin
  if word_parts.word ~ '^[.]|[+#]' then
    return array[private.signs_as_letters(word_parts.word)];
  end if;
  return array_remove(regexp_split_to_array(word_parts.word, '[._''-]+'), '') || private.signs_as_letters(word_parts.word);
end;
$$;
comment on function private.word_parts is 'A word with signs as words of letters: its parts, and all of them as one.';
revoke execute on function private.word_parts from public, anon, authenticated, service_role;

create function private.umlauts_as_letters(value text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Müller is also Mueller. Null for what has none.
  if umlauts_as_letters.value !~ '[äöüÄÖÜ]' then
    return null;
  end if;
  return replace(replace(replace(lower(umlauts_as_letters.value collate pg_catalog.pg_c_utf8), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue');
end;
$$;
comment on function private.umlauts_as_letters is 'A text with ae, oe, ue for umlauts; null for one without.';
revoke execute on function private.umlauts_as_letters from public, anon, authenticated, service_role;

create function private.lexemes(value text, field text, endings_from integer)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  form text;
  word text;
  part text;
  place text;
  stem text;
  parts text[];
  entries text := '';
begin
  foreach form in array array[lexemes.value, private.umlauts_as_letters(lexemes.value)] loop
    continue when form is null;
    parts := private.search_words(private.fold(form));
    for i in 1..cardinality(parts) loop
      word := parts[i];
      place := ''':' || i + case lexemes.field when 'A' then 0 when 'B' then 500 else 1000 end || lexemes.field || ' ''';
      case private.word_kind(word)
        when 'run' then
          entries := entries || array_to_string(private.pairs(word), place) || place || right(word, 1) || place;
          continue;
        when 'hangul' then
          entries := entries || array_to_string(private.pairs(word), place) || place || right(word, 1) || place || word || place;
          continue;
        when 'signs' then
          -- No lexeme holds a quote: don't is dont.
          if word ~ '^[.]|[+#]' and word !~ '''' then
            entries := entries || word || place;
          end if;
          foreach part in array private.word_parts(word) loop
            entries := entries || part || place;
            stem := private.stem(part);
            if stem <> part then
              entries := entries || stem || place;
            end if;
          end loop;
          continue;
        else
          null;
      end case;
      entries := entries || word || place;
      stem := private.stem(word);
      if stem <> word then
        entries := entries || stem || place;
      end if;
      -- What a compound ends with is found as what another word begins with.
      if char_length(word) between lexemes.endings_from and 40 and word !~ '[0-9]' then
        for j in 4..char_length(word) - 3 loop
          entries := entries || '~' || substr(word, j) || place;
        end loop;
      end if;
    end loop;
  end loop;
  return case when entries = '' then '' else '''' || left(entries, -1) end;
end;
$$;
comment on function private.lexemes is 'What a text is found by, as the text of a tsvector: words, their stems, pairs of characters, and behind ~ the endings of words of so many letters.';
revoke execute on function private.lexemes from public, anon, authenticated, service_role;

create function private.plain_words(value text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  word text;
  found text[] := '{}';
begin
  foreach word in array private.search_words(private.fold(plain_words.value)) loop
    case private.word_kind(word)
      when 'word' then found := found || word;
      when 'signs' then found := found || private.word_parts(word);
      else null;
    end case;
  end loop;
  return found;
end;
$$;
comment on function private.plain_words is 'The words of a text that somebody may mistype: those of letters.';
revoke execute on function private.plain_words from public, anon, authenticated, service_role;

create function private.quote_lexeme(lexeme text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return '''' || translate(quote_lexeme.lexeme, '''\', '') || '''';
end;
$$;
comment on function private.quote_lexeme is 'A lexeme as it stands in the text of a tsvector or tsquery. None holds a quote or a backslash.';
revoke execute on function private.quote_lexeme from public, anon, authenticated, service_role;
