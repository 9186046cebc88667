SET local check_function_bodies = off;

CREATE TABLE "private"."hub_lexemes" (
  "lexeme" text COLLATE pg_catalog."C" NOT NULL
);

ALTER TABLE "private"."hub_lexemes"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.add_words (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.hub_words (word, slips)
  select w.word, private.slips(w.word)
  from (
    select distinct p.word
    from unnest(private.plain_words(
      concat_ws(' ', (add_words.asset).title, array_to_string((add_words.asset).tags, ' '), (add_words.asset).description)
    )) p (word)
    where char_length(p.word) between 4 and 40 and p.word !~ '[0-9]'
  ) w
  where not exists (select from private.hub_words k where k.word = w.word collate pg_catalog."C");

  insert into private.hub_lexemes (lexeme)
  select l.lexeme
  from private.hub_documents d
  cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
  where d.asset_id = (add_words.asset).id
    and l.lexeme not like '=%'
    and not exists (select from private.hub_lexemes k where k.lexeme = l.lexeme collate pg_catalog."C");
$function$;

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
        -- Where the first three thousand hold hardly any, twenty thousand do not hold a page. The index is the cheaper way to a
        -- few more where no beginning has to be read to its end.
        case when cardinality(found.ids) < case when query::text like '%:*%' then 3 else 8 end then 0 else 20000 end,
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

CREATE OR REPLACE FUNCTION private.search_set (
  query            tsquery,
  parts            tsquery[],
  floor_popularity smallint,
  floor_id         uuid,
  is_first         boolean
)
  RETURNS private.search_set
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  result private.search_set;
  walked integer;
  last_popularity smallint := 32767;
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  more uuid[];
  walked_ids uuid[];
  walked_popularities smallint[];
  seen integer := 0;
  step_seen integer;
  rarest integer;
begin
  if not search_set.is_first and search_set.floor_id is null then
    return private.search_index(search_set.query, 5000);
  end if;
  if not search_set.is_first then
    result := (null, search_set.floor_popularity, search_set.floor_id)::private.search_set;
    -- Planned with the values: which index tells more depends on them.
    execute
      'select array_agg(m.asset_id) from (
         select d.asset_id from private.hub_documents d
         where d.document @@ $1 and (d.popularity, d.asset_id) >= ($2, $3) limit 5000
       ) m'
    into result.ids
    using search_set.query, result.floor_popularity, result.floor_id;
    result.ids := coalesce(result.ids, '{}');
    return result;
  end if;

  -- The most popular tell how common the words are; of words that are neither common nor rare the first three thousand hold
  -- enough to rank.
  result.ids := '{}';
  foreach walked in array '{300,700,2000}'::integer[] loop
    -- In the order of the walk: the last one is where the next step begins.
    select array_agg(w.asset_id) filter (where w.matches), array_agg(w.asset_id), array_agg(w.popularity)
    into more, walked_ids, walked_popularities
    from (
      select d.asset_id, d.popularity, d.document @@ search_set.query as matches
      from private.hub_documents d
      where (d.popularity, d.asset_id) < (last_popularity, last_id)
      order by d.popularity desc, d.asset_id desc
      limit walked
    ) w;
    result.ids := result.ids || coalesce(more, '{}');
    step_seen := coalesce(cardinality(walked_ids), 0);
    last_id := walked_ids[step_seen];
    last_popularity := walked_popularities[step_seen];
    if step_seen < walked then
      -- These are all there are.
      return (result.ids, null, null)::private.search_set;
    end if;
    exit when cardinality(result.ids) >= 100 or walked = 2000;
    seen := seen + walked;
    if cardinality(result.ids) <= seen / 100 - 3 then
      rarest := cardinality(result.ids);
      if cardinality(search_set.parts) > 1 then
        select min(p.holding) into rarest
        from (
          select count(*) filter (where d.document @@ part.query) as holding
          from (
            select d.document from private.hub_documents d order by d.popularity desc, d.asset_id desc limit seen
          ) d
          cross join unnest(search_set.parts) with ordinality part (query, place)
          group by part.place
        ) p;
      end if;
      -- The index costs what the rarest of the words costs.
      if rarest <= seen / 100 - 3 then
        return private.search_index(search_set.query, 500);
      end if;
    end if;
  end loop;
  result.floor_popularity := last_popularity;
  result.floor_id := last_id;
  return result;
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

  loose := case
    when search_term.is_last or char_length(plain) >= 4 then private.starting_with(plain)
    else private.quote_lexeme(plain)
  end;
  if char_length(plain) >= 4 then
    variant := private.stem(plain);
    if char_length(variant) >= 6 and starts_with(plain, variant) then
      -- What begins with the word begins with its stem, too: one look into the index less.
      loose := private.starting_with(variant);
    elsif variant <> plain then
      loose := loose || ' | '
        || case when char_length(variant) >= 6 then private.starting_with(variant) else private.quote_lexeme(variant) end;
    end if;
    loose := loose || ' | ' || private.starting_with('~' || plain);
  end if;
  foreach variant in array private.meant_words(plain) loop
    loose := loose || ' | ' || private.quote_lexeme(variant);
  end loop;
  return (private.quote_lexeme(plain), loose, true)::private.search_term;
end;
$function$;

CREATE OR REPLACE FUNCTION private.starting_with (
  lexeme text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashagg TO 'off'
  AS $function$
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
    return coalesce(
      (select string_agg(private.quote_lexeme(f.lexeme), ' | ') from unnest(found) f (lexeme)),
      private.quote_lexeme(starting_with.lexeme)
    );
  end if;
  -- end
  return private.quote_lexeme(starting_with.lexeme) || ':*';
end;
$function$;

CREATE INDEX hub_lexemes_lexeme_idx ON private.hub_lexemes USING btree (lexeme);

CREATE POLICY "hub_lexemes_service_select" ON "private"."hub_lexemes"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON FUNCTION "private"."add_words"(public.hub_assets) IS 'Adds the words and lexemes of a listing that were not known yet.';

COMMENT ON FUNCTION "private"."starting_with"(text) IS 'The text of a tsquery for all lexemes that begin in this way: by their names where they are few, else by the beginning.';

COMMENT ON TABLE "private"."hub_lexemes" IS 'The lexemes of all documents, to find which ones begin in some way. Lexemes are added and never taken away.';

REVOKE ALL ON FUNCTION "private"."starting_with"(text) FROM PUBLIC;

GRANT SELECT ON TABLE "private"."hub_lexemes" TO "service_role";

-- Written by hand: the lexemes of the documents that are there already.
insert into private.hub_lexemes (lexeme)
select distinct l.lexeme
from private.hub_documents d
cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
where l.lexeme not like '=%';
