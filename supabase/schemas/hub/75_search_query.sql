-- What somebody typed, as questions to the index. Nothing of it is read as syntax: each word is taken by the rules by which
-- listings were taken apart, and quoted.
create function private.distance(first text, second text, most integer)
returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  width constant integer := char_length(distance.second);
  a constant text[] := string_to_array(distance.first, null);
  b constant text[] := string_to_array(distance.second, null);
  two_before integer[];
  before integer[];
  line integer[];
  cost integer;
  least_of_line integer;
begin
  if abs(cardinality(a) - width) > distance.most then
    return null;
  end if;
  for j in 0..width loop
    before[j] := j;
  end loop;
  for i in 1..cardinality(a) loop
    line[0] := i;
    least_of_line := i;
    for j in 1..width loop
      cost := least(before[j] + 1, line[j - 1] + 1, before[j - 1] + case when a[i] = b[j] then 0 else 1 end);
      if i > 1 and j > 1 and a[i] = b[j - 1] and a[i - 1] = b[j] then
        cost := least(cost, two_before[j - 2] + 1);
      end if;
      line[j] := cost;
      least_of_line := least(least_of_line, cost);
    end loop;
    if least_of_line > distance.most then
      return null;
    end if;
    two_before := before;
    before := line;
  end loop;
  return nullif(least(before[width], distance.most + 1), distance.most + 1);
end;
$$;
comment on function private.distance is 'How many letters were left out, added, exchanged or swapped between two words; null for more than so many.';
revoke execute on function private.distance from public, anon, authenticated, service_role;

create function private.meant_words(word text)
returns text[]
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
declare
  most constant integer := case when char_length(meant_words.word) < 8 then 1 else 2 end;
  left_over constant text[] := private.slips(meant_words.word);
begin
  -- Somebody wrote it like this, or a longer word that begins so.
  if char_length(meant_words.word) not between 4 and 40 or meant_words.word ~ '[0-9]' or exists (
    select from private.hub_words k
    where k.word >= meant_words.word collate pg_catalog."C" and k.word < (meant_words.word || U&'\+10FFFD') collate pg_catalog."C"
  ) then
    return '{}';
  end if;
  return array(
    select n.word
    from (
      select c.word, private.distance(meant_words.word, c.word, most) as apart
      from (
        -- The more of what is left they share, the nearer they are.
        select k.word
        from private.hub_words k
        where k.slips && left_over
          and char_length(k.word) between char_length(meant_words.word) - most and char_length(meant_words.word) + most
        group by k.word, k.slips
        order by (select count(*) from unnest(k.slips) s where s = any (left_over)) desc, k.word
        limit 12
      ) c
    ) n
    where n.apart is not null
    order by n.apart, left(n.word, 1) <> left(meant_words.word, 1), n.word
    limit 4
  );
end;
$$;
comment on function private.meant_words is 'Words of listings that a word which none of them holds may have been meant for.';
revoke execute on function private.meant_words from public, anon, authenticated, service_role;

create function private.starting_with(lexeme text, stem text default null)
returns text
language plpgsql
stable
security definer
set search_path = ''
-- In the order of the index, so that a beginning of many lexemes is not read to its end.
set enable_seqscan = off
set enable_hashagg = off
set jit = off
as $$
declare
  most constant integer := 16;
  found constant text[] := array(
    select distinct k.lexeme
    from private.hub_lexemes k
    where k.lexeme >= starting_with.lexeme collate pg_catalog."C"
      and k.lexeme < (starting_with.lexeme || U&'\+10FFFD') collate pg_catalog."C"
    limit most + 1
  );
begin
  -- guard: search: a beginning of few lexemes is asked for by their names
  if cardinality(found) <= most then
    return (
      select string_agg(private.quote_lexeme(f.lexeme), ' | ')
      from unnest(found) f (lexeme)
      where private.stem(f.lexeme) is distinct from starting_with.stem
    );
  end if;
  -- end
  return private.quote_lexeme(starting_with.lexeme) || ':*';
end;
$$;
comment on function private.starting_with is 'The text of a tsquery for all lexemes that begin in this way: by their names where they are few, else by the beginning. Null where there is none. Names of this stem are left out: for a search that asks for the stem, too, because a listing that holds a word holds its stem.';
revoke execute on function private.starting_with from public, anon, authenticated, service_role;

-- A word as it is searched for: exactly, or as what it may stand for.
create type private.search_term as (exact text, loose text, single boolean);

create function private.search_term(word text, is_last boolean)
returns private.search_term
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  kind constant text := private.word_kind(search_term.word);
  plain text := search_term.word;
  loose text;
  forms text[];
  variant text;
begin
  if kind = 'hangul' then
    -- Particles stand behind the word that is meant.
    if char_length(plain) >= 3 then
      plain := regexp_replace(plain, '(?:에서는|으로|에서|에게|까지|부터|처럼|보다|이랑|하고|을|를|이|가|은|는|의|에|로|와|과|도|만|용)$', '');
    end if;
    if char_length(plain) < 2 then
      plain := search_term.word;
    end if;
  end if;
  if kind in ('hangul', 'run') then
    loose := case
      when char_length(plain) = 1 then private.quote_lexeme(plain) || ':*'
      else (select string_agg(private.quote_lexeme(p.pair), ' & ') from unnest(private.pairs(plain)) p (pair))
    end;
    return (loose, loose, false)::private.search_term;
  end if;

  if kind = 'signs' then
    plain := private.signs_as_letters(search_term.word);
    loose := private.quote_lexeme(plain) || case when search_term.is_last and plain ~ '^[a-z0-9]{3,}$' then ':*' else '' end;
    if search_term.word !~ '^[.]|[+#]' then
      loose := loose || ' | ('
        || (select string_agg(private.quote_lexeme(p.part), ' & ') from unnest(private.word_parts(search_term.word)) p (part) where p.part <> plain)
        || case when search_term.is_last then ':*' else '' end || ')';
    end if;
    return (private.quote_lexeme(plain), loose, true)::private.search_term;
  end if;

  -- A form that no listing has is null.
  if char_length(plain) < 4 then
    forms := array[case when search_term.is_last then private.starting_with(plain) else private.quote_lexeme(plain) end];
  else
    variant := private.stem(plain);
    if char_length(variant) >= 6 and starts_with(plain, variant) then
      -- What begins with the word begins with its stem, too: one look into the index less.
      forms := array[private.starting_with(variant)];
    elsif variant = plain then
      forms := array[private.starting_with(plain)];
    else
      forms := array[
        private.starting_with(plain, variant),
        case when char_length(variant) >= 6 then private.starting_with(variant) else private.quote_lexeme(variant) end
      ];
    end if;
    forms := forms || private.starting_with('~' || plain);
  end if;
  foreach variant in array private.meant_words(plain) loop
    forms := forms || private.quote_lexeme(variant);
  end loop;
  loose := coalesce(nullif(array_to_string(forms, ' | '), ''), private.quote_lexeme(plain));
  return (private.quote_lexeme(plain), loose, true)::private.search_term;
end;
$$;
comment on function private.search_term is 'A word of a query: as it stands, and with its beginnings, endings, forms and what it may be a slip for.';
revoke execute on function private.search_term from public, anon, authenticated, service_role;

create function private.in_title(query text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Behind every lexeme, No lexeme holds a quote.
  return replace(regexp_replace(in_title.query, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A');
end;
$$;
comment on function private.in_title is 'The text of a tsquery of which everything has to stand in the title.';
revoke execute on function private.in_title from public, anon, authenticated, service_role;

-- title_key is what an exact title is; matches what every word has to meet; likes what ranks; titled what stands in the title;
-- parts are the words one by one.
create type private.search_plan as (
  title_key text,
  matches tsquery,
  likes tsquery,
  titled tsquery,
  titled_exactly tsquery,
  parts tsquery[]
);

create function private.search_plan(q text)
returns private.search_plan
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  folded constant text := private.fold(search_plan.q);
  words constant text[] := (private.search_words(folded))[1:12];
  ends_open constant boolean := search_plan.q !~ '[\s\u3000]$';
  term private.search_term;
  plan private.search_plan;
begin
  plan.title_key := private.title_key(search_plan.q);
  plan.parts := '{}';
  for i in 1..cardinality(words) loop
    term := private.search_term(words[i], ends_open and i = cardinality(words));
    plan.matches := coalesce(plan.matches && term.loose::tsquery, term.loose::tsquery);
    plan.likes := coalesce(plan.likes || replace(term.exact, ' & ', ' | ')::tsquery, replace(term.exact, ' & ', ' | ')::tsquery);
    plan.titled := coalesce(plan.titled && private.in_title(term.loose)::tsquery, private.in_title(term.loose)::tsquery);
    plan.titled_exactly := coalesce(plan.titled_exactly && private.in_title(term.exact)::tsquery, private.in_title(term.exact)::tsquery);
    plan.parts := plan.parts || case
      when term.single then array[term.loose::tsquery]
      else array(select p.part::tsquery from unnest(string_to_array(term.loose, ' & ')) p (part))
    end;
  end loop;
  plan.parts := plan.parts[1:12];
  return plan;
end;
$$;
comment on function private.search_plan is 'What somebody typed as questions to the index; matches is null when there is no word in it.';
revoke execute on function private.search_plan from public, anon, authenticated, service_role;
