-- What somebody typed, as questions to the index. Nothing of it is read as syntax: each word is taken by the rules by which
-- listings were taken apart, and quoted.
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
  -- Somebody wrote it like this, or a longer word that begins so.
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
comment on function private.spelling_candidates is 'Of a word that no word of a listing begins with: the words that it may be a misspelling of, at most four.';
revoke execute on function private.spelling_candidates from public, anon, authenticated, service_role;

create function private.starting_with(lexeme text)
returns text
language plpgsql
stable
security definer
set search_path = ''
-- In the order of the index, so that a beginning of many words is not read to its end.
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
  -- The index reads a list of listings only as far as it needs to, but all lists of a beginning to their end.
  if cardinality(found) <= most then
    return '''' || nullif(array_to_string(found, ''' | '''), '') || '''';
  end if;
  return '''' || starting_with.lexeme || ''':*';
end;
$$;
comment on function private.starting_with is 'The text of a tsquery for all words that begin in this way: by their names where they are few. Null where there is none.';
revoke execute on function private.starting_with from public, anon, authenticated, service_role;

create index hub_profiles_display_name_idx on public.hub_profiles (private.fold(display_name), created_at) where display_name is not null;

-- Questions to the index. matches: every word in one of its forms, or any listing of creators; likes: every word as it was typed, for the
-- rank; titled and titled_exactly: the same two, in the title alone; parts: a question for each word by itself; creators: whose name this is.
-- title_key is no question: a listing whose title is exactly this comes first.
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
    -- A blank behind a word says that it is finished.
    is_open := w.n = w.words and search_plan.q !~ '[\s\u3000]$';
    core := w.whole;
    if w.is_run then
      -- Particles of Hangul stand behind the word that is meant.
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
          -- What begins with a word without its ending: plurals and inflections of several languages, and a letter doubled before it.
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
  -- Behind every lexeme; none holds a quote.
  plan.titled := replace(regexp_replace(plan.matches::text, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A')::tsquery;
  plan.titled_exactly := regexp_replace(plan.likes::text, '(''[^'']*'')', '\1:A', 'g')::tsquery;
  -- Whose username it is, and who is shown with this name: the oldest profiles, since anybody may take it.
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
comment on function private.search_plan is 'What somebody typed as questions to the index; matches is null when there is no word in it.';
revoke execute on function private.search_plan from public, anon, authenticated, service_role;
