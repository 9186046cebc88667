-- Turns the typed text into queries to the index. No part of the text is read as syntax: each word is split by the same rules as
-- the words of listings, and quoted.
create extension if not exists fuzzystrmatch with schema extensions;

create function private.spelling_candidates(word text)
returns setof text
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off set jit = off
as $$
declare
  left_over constant text[] := private.slips(spelling_candidates.word);
begin
  -- Corrects neither a word without slips (with digits, too short or too long) nor a word that occurs in listings as it was typed
  -- or as the beginning of a longer word.
  if left_over = '{}' or exists (
    select from private.hub_words k where k.word >= spelling_candidates.word and k.word < spelling_candidates.word || U&'\+10FFFD'
  ) then
    return;
  end if;
  return query
  select c.word
  from (select k.word from private.hub_words k where k.slips && left_over limit 500) c
  where extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2) <= 2
  group by c.word
  order by extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2), left(c.word, 1) <> left(spelling_candidates.word, 1), c.word
  limit 4;
end;
$$;
comment on function private.spelling_candidates is 'Returns at most four words of which the given word may be a misspelling; none when a word of a listing begins with the given word.';
revoke execute on function private.spelling_candidates from public, anon, authenticated, service_role;

create function private.starting_with(lexeme text)
returns text
language plpgsql
stable
security definer
set search_path = ''
-- Reads the words in the order of the index, so that the query stops early when many words begin with the argument lexeme.
set enable_seqscan = off set enable_hashagg = off set jit = off
as $$
declare
  most constant integer := 16;
  found constant text[] := array(
    select distinct k.word
    from private.hub_words k
    where k.word >= starting_with.lexeme and k.word < starting_with.lexeme || U&'\+10FFFD'
    limit most + 1
  );
begin
  -- For a whole word, a GIN scan reads the posting list of the word only as far as needed; for a beginning, it reads the posting
  -- lists of all words with this beginning to the end. The query therefore lists the words themselves when they are few.
  if cardinality(found) <= most then
    return '''' || nullif(array_to_string(found, ''' | '''), '') || '''';
  end if;
  return '''' || starting_with.lexeme || ''':*';
end;
$$;
comment on function private.starting_with is 'Returns the text of a tsquery for all words with this beginning; when there are at most 16 such words, the query lists them. Null when there is no such word.';
revoke execute on function private.starting_with from public, anon, authenticated, service_role;

create index hub_profiles_display_name_idx on public.hub_profiles (private.fold(display_name), created_at) where display_name is not null;

-- The queries of a search. matches finds listings that have every typed word in one of its forms, and all listings of the
-- creators. likes finds listings that have every word as it was typed; it is used for the rank. titled is like matches, but looks
-- only in titles and leaves out the creators; titled_exactly is like likes, but looks only in titles. parts has one query for each
-- word. creators finds the listings of creators whose name was typed. title_key is not a query: a listing with this title_key
-- comes first.
create type private.search_plan as (
  title_key text, matches tsquery, likes tsquery, titled tsquery, titled_exactly tsquery, parts tsquery[], creators tsquery
);

create function private.search_plan(q text)
returns private.search_plan
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off set jit = off
as $$
declare
  plan private.search_plan;
  w record;
  is_open boolean;
  core text;
  loose text;
  exact text;
begin
  plan.title_key := private.title_key(search_plan.q);
  for w in select *, count(*) over () as words from private.words(search_plan.q) with ordinality x (whole, parts, is_run, n) limit 12 loop
    -- The last word may be unfinished, unless a blank follows it.
    is_open := w.n = w.words and search_plan.q !~ '[\s\u3000]$';
    core := w.whole;
    if w.is_run then
      -- In Hangul, particles directly follow the typed word and are removed.
      if core ~ '^[\uac00-\ud7af]{3}' then
        core := regexp_replace(core, '(?:에서는|으로|에서|에게|까지|부터|처럼|보다|이랑|하고|을|를|이|가|은|는|의|에|로|와|과|도|만|용)$', '');
      end if;
      exact := (select string_agg('''' || substr(core, i, 2) || '''', ' & ') from generate_series(1, greatest(1, char_length(core) - 1)) i);
      loose := case when char_length(core) = 1 then exact || ':*' else exact end;
    else
      exact := '''' || core || '''';
      loose := concat_ws(' | ',
        exact,
        case
          -- Words that begin like this word without its ending: plurals and inflections of several languages, also with a doubled
          -- letter before the ending.
          when char_length(core) >= 5 then private.starting_with(regexp_replace(
            regexp_replace(core, '^(.{4,}?)(?:ies|ing|ed|er|es|[aeinosyавеийоуыьюя]{1,2}|[авеийоуыьюямх]{3})?$', '\1'),
            '^(.{3,}([^0-9]))\2$', '\1'
          ))
          when is_open or char_length(core) = 4 then private.starting_with(core)
        end,
        case when char_length(core) >= 4 then '''~' || core || ''':*' end,
        case when cardinality(w.parts) > 1 then '(''' || array_to_string(w.parts, ''' & ''') || '''' || case when is_open then ':*' else '' end || ')' end,
        case when cardinality(w.parts) = 1 then (select string_agg('''' || c.word || '''', ' | ') from private.spelling_candidates(core) c (word)) end
      );
    end if;
    plan.matches := coalesce(plan.matches && loose::tsquery, loose::tsquery);
    plan.likes := coalesce(plan.likes && exact::tsquery, exact::tsquery);
    plan.parts := plan.parts || loose::tsquery;
  end loop;
  -- Adds the weight A to every lexeme, so that it is searched in titles only. The pattern needs no escaping: no lexeme holds a
  -- quote.
  plan.titled := replace(regexp_replace(plan.matches::text, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A')::tsquery;
  plan.titled_exactly := regexp_replace(plan.likes::text, '(''[^'']*'')', '\1:A', 'g')::tsquery;
  -- The creator with this username, and the four oldest profiles with this display name: only the oldest, because anybody may take
  -- a display name.
  plan.creators := (
    select string_agg('''=creator:' || c.id || '''', ' | ')::tsquery
    from (
      select private.creator_by_name(btrim(search_plan.q)) as id
      union (
        select p.user_id from public.hub_profiles p
        where p.display_name is not null and private.fold(p.display_name) = private.fold(btrim(search_plan.q))
        order by p.created_at limit 4
      )
    ) c
  );
  plan.matches := coalesce(plan.matches || plan.creators, plan.matches);
  return plan;
end;
$$;
comment on function private.search_plan is 'Returns the queries for a typed text; matches is null when the text has no word.';
revoke execute on function private.search_plan from public, anon, authenticated, service_role;
