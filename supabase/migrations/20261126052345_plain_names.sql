SET local check_function_bodies = off;

DROP FUNCTION "private"."meant_words"(text);

CREATE OR REPLACE FUNCTION private.search_by_relevance (
  q       text,
  filters tsquery,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id uuid,
    at jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  -- As variables, which cost less than fields in a row by row comparison.
  key constant text := plan.title_key;
  likes tsquery := plan.likes;
  titled constant tsquery := plan.titled;
  titled_exactly constant tsquery := plan.titled_exactly;
  parts tsquery[] := '{}';
  exact uuid[];
  last_popularity smallint;
  popularity smallint;
  score numeric;
  last_id uuid;
  by_walk boolean;
  ids uuid[];
  floor jsonb := search_by_relevance.place -> 'floor';
  given integer := 0;
begin
  if plan.matches is null then
    return;
  end if;
  exact := array(
    select d.asset_id from private.hub_documents d
    where d.title_key = key and (search_by_relevance.filters is null or d.document @@ search_by_relevance.filters)
    order by d.popularity desc, d.asset_id desc limit 200
  );
  if coalesce(search_by_relevance.place ->> 'in', 'ranked') = 'ranked' then
    select c.ids, c.floor into ids, floor from private.search_candidates(query, floor) c;
    -- Few hold all words: what holds some of them.
    if floor is null and coalesce(cardinality(ids), 0) < 10 and cardinality(plan.parts) > 1 and plan.creators is null then
      parts := plan.parts;
      likes := replace(likes::text, '&', '|')::tsquery;
      ids := ids || array(
        select unnest(f.ids[1:100])
        from unnest(parts) p (part)
        cross join lateral private.search_candidates(coalesce(search_by_relevance.filters && p.part, p.part), null) f
      );
    end if;
    for id, score in
      select s.asset_id, s.score
      from (
        -- The exact title; all words; title before tags before description; the words in their order; short titles; the popular.
        select d.asset_id,
          round((
            case when d.asset_id = any (exact) then 1000 else 0 end
            + 20.0 * h.held / greatest(1, cardinality(parts))
            + 3 * ts_rank('{0, 0.15, 0.5, 1}', d.document, likes)
            + case when not d.document @@ titled then 0 when d.document @@ titled_exactly then 6 else 4 end
            + case strpos(' ' || d.title_key, ' ' || key)
              when 0 then case when strpos(d.title_key, key) > 0 then 1 else 0 end
              when 1 then case when starts_with(d.title_key || ' ', key || ' ') then 3 else 2 end
              else 1.5
            end
            - 0.02 * least(char_length(d.title_key), 60)
            + 0.06 * d.popularity
          )::numeric, 5) as score
        from (select distinct i.id from unnest(exact || ids) i (id)) i
        join private.hub_documents d on d.asset_id = i.id
        cross join lateral (select count(*) filter (where d.document @@ p.part) as held from unnest(parts) p (part)) h
        where h.held >= least(2, (cardinality(parts) + 1) / 2)
      ) s
      where search_by_relevance.place is null
        or (s.score, s.asset_id) < ((search_by_relevance.place ->> 'score')::numeric, (search_by_relevance.place ->> 'id')::uuid)
      order by s.score desc, s.asset_id desc limit search_by_relevance.wanted
    loop
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'ranked', 'score', score, 'id', id, 'floor', floor) end;
      return next;
    end loop;
  end if;
  if given = search_by_relevance.wanted or floor is null then
    return;
  end if;
  -- The rest by popularity: from a stretch of that list where the words are common, else by the index of words.
  last_popularity := coalesce(
    case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place -> 'score' end, floor -> 'popularity'
  )::smallint;
  last_id := coalesce(case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place ->> 'id' end, floor ->> 'id');
  foreach by_walk in array case when (floor -> 'walk')::boolean then '{true,false}' else '{false}' end::boolean[] loop
    for id, popularity in execute format(
      'select m.asset_id, m.popularity
       from (select d.asset_id, d.popularity, d.document from private.hub_documents d where %s) m
       where m.document @@ $1 and (m.popularity, m.asset_id) < ($2, $3) and not m.asset_id = any ($4)
       order by m.popularity desc, m.asset_id desc limit $5',
      case when by_walk then '(d.popularity, d.asset_id) < ($2, $3) order by d.popularity desc, d.asset_id desc limit 20000' else 'd.document @@ $1 offset 0' end
    ) using query, last_popularity, last_id, exact, search_by_relevance.wanted - given
    loop
      last_popularity := popularity;
      last_id := id;
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'rest', 'score', popularity, 'id', id, 'floor', floor) end;
      return next;
    end loop;
    exit when given = search_by_relevance.wanted;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_candidates (
  query tsquery,
  above jsonb,
  OUT   ids uuid[],
  OUT   floor jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  least_popularity constant smallint := coalesce((search_candidates.above ->> 'popularity')::smallint, -1);
  least_id constant uuid := coalesce((search_candidates.above ->> 'id')::uuid, nobody);
  has_floor constant boolean := coalesce(jsonb_typeof(search_candidates.above) = 'object', false);
  -- How far the order of popularity is read: on a first page until enough is found, on the others down to the floor of the first.
  walks constant integer[] := case
    when search_candidates.above is null then '{300,1000,3000}' when (search_candidates.above ->> 'walk')::boolean then '{4000}' else '{}'
  end;
  found integer;
  stretch integer;
  popular_alone boolean;
begin
  -- A common word: the most popular listings hold enough of it.
  foreach stretch in array walks loop
    select array_agg(w.asset_id) filter (where w.fits), count(*) filter (where w.fits),
      jsonb_build_object('walk', true, 'popularity', (array_agg(w.popularity))[stretch], 'id', (array_agg(w.asset_id))[stretch])
    into ids, found, floor
    from (
      select d.asset_id, d.popularity, d.document @@ search_candidates.query as fits from private.hub_documents d
      where (d.popularity, d.asset_id) >= (least_popularity, least_id)
      order by d.popularity desc, d.asset_id desc limit stretch
    ) w;
    if has_floor then
      floor := search_candidates.above;
      return;
    elsif floor ->> 'id' is null then
      -- These are all there are.
      floor := null;
      return;
    elsif found >= 60 or (stretch = 3000 and found >= 25) then
      return;
    end if;
    exit when found < stretch / 100;
  end loop;
  -- A rarer one: the index of the popular ones, and then of all. A later page asks the one in which the first found its floor.
  foreach popular_alone in array case
    when search_candidates.above is null then '{true,false}' when has_floor then array[least_popularity >= 4] else '{false}'
  end::boolean[] loop
    stretch := case when popular_alone then 1000 else 5000 end;
    -- OFFSET keeps the planner off the index of popularity.
    execute format(
      'select array_agg(m.asset_id), jsonb_build_object(''walk'', false, ''popularity'', (array_agg(m.popularity))[$4], ''id'', (array_agg(m.asset_id))[$4])
       from (
         select f.asset_id, f.popularity
         from (select d.asset_id, d.popularity from private.hub_documents d where d.document @@ $1 %s offset 0) f
         where (f.popularity, f.asset_id) >= ($2, $3)
         order by f.popularity desc, f.asset_id desc limit $4
       ) m', case when popular_alone then 'and d.popularity >= 4' end
    ) into ids, floor using search_candidates.query, least_popularity, least_id, stretch;
    exit when has_floor or cardinality(ids) >= 60;
  end loop;
  floor := case
    when has_floor then search_candidates.above
    when floor ->> 'id' is not null then floor
    when popular_alone then jsonb_build_object('walk', false, 'popularity', 4, 'id', nobody)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_plan (
  q text
)
  RETURNS private.search_plan
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.spelling_candidates (
  word text
)
  RETURNS SETOF text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
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
$function$;

COMMENT ON FUNCTION "private"."search_candidates"(tsquery, jsonb) IS 'Matches that are worth ranking: all, or the popular ones down to a floor. above is null on a first page, later the floor of the first, a JSON null where it had none.';

COMMENT ON FUNCTION "private"."spelling_candidates"(text) IS 'Of a word that no word of a listing begins with: the words that it may be a misspelling of, at most four.';

REVOKE ALL ON FUNCTION "private"."spelling_candidates"(text) FROM PUBLIC;
