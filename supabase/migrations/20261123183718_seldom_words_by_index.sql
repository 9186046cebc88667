SET local check_function_bodies = off;

DROP FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer);

CREATE OR REPLACE FUNCTION private.search_by_relevance (
  q       text,
  filters tsquery,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    asset_id uuid,
    at       jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  list text := coalesce(search_by_relevance.place ->> 'in', 'exact');
  last_score numeric := (search_by_relevance.place ->> 'score')::numeric;
  last_id uuid := (search_by_relevance.place ->> 'id')::uuid;
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  found private.search_set;
  here jsonb;
  given integer := 0;
  row record;
begin
  if plan.matches is null and plan.title_key = '' then
    return;
  end if;
  if list = 'exact' then
    for row in
      select d.asset_id as id, d.popularity
      from private.hub_documents d
      where d.title_key = plan.title_key
        and (search_by_relevance.filters is null or d.document @@ search_by_relevance.filters)
        and (last_id is null or (d.popularity, d.asset_id) < (last_score::smallint, last_id))
      order by d.popularity desc, d.asset_id desc
      limit search_by_relevance.wanted
    loop
      asset_id := row.id;
      at := jsonb_build_object('in', 'exact', 'score', row.popularity, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    last_id := null;
    last_score := null;
  end if;
  if plan.matches is null or given >= search_by_relevance.wanted then
    return;
  end if;

  found := private.search_set(
    query, array_remove(plan.parts || search_by_relevance.filters, null), (search_by_relevance.place ->> 'floor')::smallint,
    (search_by_relevance.place ->> 'above')::uuid, list = 'exact'
  );
  here := jsonb_build_object('floor', found.floor_popularity, 'above', found.floor_id);
  if list in ('exact', 'ranked') then
    for row in
      select r.id, r.score
      from private.search_ranked(found.ids, plan, false, last_score, last_id, search_by_relevance.wanted - given) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'ranked', 'score', row.score, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    last_id := null;
    last_score := null;
  end if;

  if given < search_by_relevance.wanted and list <> 'any' and found.floor_id is not null then
    for row in
      select r.id, r.popularity
      from private.search_rest(
        query, plan.title_key, coalesce(last_score::smallint, found.floor_popularity), coalesce(last_id, found.floor_id),
        -- Where the first three thousand hold hardly any, twenty thousand do not hold a page.
        case when cardinality(found.ids) < 3 then 0 else 20000 end,
        search_by_relevance.wanted - given
      ) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'rest', 'score', row.popularity, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    return;
  end if;

  if given < search_by_relevance.wanted and cardinality(found.ids) < 10 and cardinality(plan.parts) > 1 then
    for row in
      select r.id, r.score
      from private.search_ranked(
        array(select unnest(private.search_any(plan, search_by_relevance.filters)) except select unnest(found.ids)),
        plan, true, last_score, last_id, search_by_relevance.wanted - given
      ) r
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'any', 'score', row.score, 'id', row.id);
      return next;
    end loop;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_rest (
  query           tsquery,
  title_key       text,
  last_popularity smallint,
  last_id         uuid,
  stretch         integer,
  wanted          integer
)
  RETURNS TABLE (
    id         uuid,
    popularity smallint
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  given integer := 0;
begin
  for id, popularity in
    select w.asset_id, w.popularity
    from (
      select d.asset_id, d.popularity, d.document, d.title_key
      from private.hub_documents d
      where (d.popularity, d.asset_id) < (search_rest.last_popularity, search_rest.last_id)
      order by d.popularity desc, d.asset_id desc
      limit search_rest.stretch
    ) w
    where w.document @@ search_rest.query and w.title_key <> search_rest.title_key
    limit search_rest.wanted
  loop
    given := given + 1;
    return next;
  end loop;
  if given = search_rest.wanted then
    return;
  end if;
  -- Not enough in that stretch: they are few, and the index has them.
  return query
  select m.asset_id, m.popularity
  from (
    select d.asset_id, d.popularity, d.title_key
    from private.hub_documents d
    where d.document @@ search_rest.query
    -- A subquery of its own: else the index of popularity is read to its end, because it has the order.
    -- guard: search: words that are hardly ever together are found by the index of words
    offset 0
    -- end
  ) m
  where m.title_key <> search_rest.title_key
    and (m.popularity, m.asset_id) < (coalesce(search_rest.popularity, search_rest.last_popularity), coalesce(search_rest.id, search_rest.last_id))
  order by m.popularity desc, m.asset_id desc
  limit search_rest.wanted - given;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_term (
  word    text,
  is_last boolean
)
  RETURNS private.search_term
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  kind constant text := private.word_kind(search_term.word);
  plain text := search_term.word;
  loose text;
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

  loose := private.quote_lexeme(plain);
  if search_term.is_last or char_length(plain) >= 4 then
    loose := loose || ':*';
  end if;
  if char_length(plain) >= 4 then
    variant := private.stem(plain);
    if char_length(variant) >= 6 and starts_with(plain, variant) then
      -- What begins with the word begins with its stem, too: one look into the index less.
      loose := private.quote_lexeme(variant) || ':*';
    elsif variant <> plain then
      loose := loose || ' | ' || private.quote_lexeme(variant) || case when char_length(variant) >= 6 then ':*' else '' end;
    end if;
    loose := loose || ' | ' || private.quote_lexeme('~' || plain) || ':*';
  end if;
  foreach variant in array private.meant_words(plain) loop
    loose := loose || ' | ' || private.quote_lexeme(variant);
  end loop;
  return (private.quote_lexeme(plain), loose, true)::private.search_term;
end;
$function$;

COMMENT ON FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer, integer) IS 'Matches below a place in the order of popularity, in that order: those of the next stretch, and then by the index of words.';

REVOKE ALL ON FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer, integer) FROM PUBLIC;
