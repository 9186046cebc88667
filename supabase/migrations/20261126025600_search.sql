SET local check_function_bodies = off;

CREATE EXTENSION IF NOT EXISTS fuzzystrmatch WITH SCHEMA extensions;

DROP TRIGGER "hub_assets_84_list_tags_insert" ON "public"."hub_assets";

DROP TRIGGER "hub_assets_85_list_tags_update" ON "public"."hub_assets";

DROP FUNCTION "private"."add_words"(public.hub_assets);

DROP FUNCTION "private"."distance"(text, text, integer);

DROP FUNCTION "private"."document"(public.hub_assets);

DROP FUNCTION "private"."hub_assets_list_tags"();

DROP FUNCTION "private"."in_title"(text);

DROP FUNCTION "private"."is_search_place"(jsonb, text);

DROP FUNCTION "private"."lexemes"(text, text, integer);

DROP FUNCTION "private"."make_document"(public.hub_assets);

DROP FUNCTION "private"."meant_words"(text);

DROP FUNCTION "private"."pairs"(text);

DROP FUNCTION "private"."plain_words"(text);

DROP FUNCTION "private"."popularity"(integer, integer);

DROP FUNCTION "private"."quote_lexeme"(text);

DROP FUNCTION "private"."rarest_first"(text[]);

DROP FUNCTION "private"."search_any"(private.search_plan, tsquery);

DROP FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer);

DROP FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer);

DROP FUNCTION "private"."search_faults"(text, text[], text[], text, text, text, text, text, integer);

DROP FUNCTION "private"."search_few"(text, tsquery, timestamp WITH time zone, integer, uuid, integer, integer);

DROP FUNCTION "private"."search_filters"(text[], text, uuid, text[]);

DROP FUNCTION "private"."search_index"(tsquery, integer);

DROP FUNCTION "private"."search_ranked"(uuid[], private.search_plan, boolean, numeric, uuid, integer);

DROP FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer, integer);

DROP FUNCTION "private"."search_set"(tsquery, tsquery[], smallint, uuid, boolean);

DROP FUNCTION "private"."search_term"(text, boolean);

DROP FUNCTION "private"."search_walk"(text, text, tsquery, text[], text, uuid, text[], timestamp WITH time zone, integer, uuid, integer, integer);

DROP FUNCTION "private"."search_words"(text);

DROP FUNCTION "private"."signs_as_letters"(text);

DROP FUNCTION "private"."sort_column"(text);

DROP FUNCTION "private"."starting_with"(text, text);

DROP FUNCTION "private"."stem"(text);

DROP FUNCTION "private"."umlauts_as_letters"(text);

DROP FUNCTION "private"."word_kind"(text);

DROP FUNCTION "private"."word_parts"(text);

DROP TYPE "private"."search_set";

DROP TYPE "private"."search_term";

DROP TABLE "private"."hub_lexemes";

ALTER TABLE "private"."hub_words"
  ADD COLUMN "added_by" uuid;

ALTER TYPE "private"."search_plan" ADD ATTRIBUTE "creators" tsquery CASCADE;

CREATE OR REPLACE FUNCTION private.fold (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Wide letters are letters; case, accents and vowel marks of Arabic do not count. Composed again, so that Hangul and the marks of
  -- Japanese stay whole. ae, oe, ue are umlauts, except before a vowel: then what begins a word begins it folded, too.
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
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_index()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not new.is_visible then
    delete from private.hub_documents d where d.asset_id = new.id;
    delete from private.hub_listing_tags t where t.asset_id = new.id;
  elsif tg_op = 'UPDATE' and old.is_visible and (new.title, new.description, new.tags, new.creator_id, new.license)
    is not distinct from (old.title, old.description, old.tags, old.creator_id, old.license)
  then
    update private.hub_documents d set popularity = private.popularity(new)
    where d.asset_id = new.id and d.popularity <> private.popularity(new);
    update private.hub_listing_tags t
    set published_at = new.published_at, content_updated_at = new.content_updated_at, install_count = new.install_count, star_count = new.star_count
    where t.asset_id = new.id and (t.published_at, t.content_updated_at, t.install_count, t.star_count)
      is distinct from (new.published_at, new.content_updated_at, new.install_count, new.star_count);
  else
    perform private.index_asset(new);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.index_asset (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 5000;
  made private.hub_documents := private.make_document(index_asset.asset);
  -- Pairs of characters are asked for as they are.
  unknown constant text[] := array(
    select l.lexeme
    from unnest(tsvector_to_array(made.document)) l (lexeme)
    where l.lexeme ~ '^[^=~].{2}' and not exists (select from private.hub_words k where k.word = l.lexeme collate pg_catalog."C")
  );
  room integer := cardinality(unknown);
  new_word text;
begin
  if room > 0 and (index_asset.asset).creator_id is not null then
    room := most - (select count(*) from (select from private.hub_words k where k.added_by = (index_asset.asset).creator_id limit most) k);
  end if;
  foreach new_word in array unknown[:room] loop
    insert into private.hub_words (word, slips, added_by)
    select new_word, array(
      select s.slip
      from unnest(private.slips(new_word)) s (slip)
      -- What many words share tells nothing, and would be read for each word that somebody mistypes.
      where (select count(*) from (select from private.hub_words k where k.slips @> array[s.slip] limit 64) k) < 64
    ), (index_asset.asset).creator_id;
  end loop;
  if cardinality(unknown) > room then
    -- An index of words keeps each word that it ever held: what nobody else has and this account may not add stays out of it.
    made.document := ts_delete(made.document, unknown[room + 1:] || array(select l.lexeme from unnest(made.document) l where l.lexeme like '~%'));
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  values (made.asset_id, made.popularity, made.title_key, made.document)
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
  delete from private.hub_listing_tags t where t.asset_id = made.asset_id;
  insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
  select distinct made.asset_id, t.tag, (index_asset.asset).published_at, (index_asset.asset).content_updated_at,
    (index_asset.asset).install_count, (index_asset.asset).star_count, private.tag_bits((index_asset.asset).tags)
  from unnest((index_asset.asset).tags) t (tag);
end;
$function$;

CREATE OR REPLACE FUNCTION private.lexemes (
  value        text,
  weight       text,
  behind       integer,
  endings_from integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
    -- What a compound ends with is found as what another word begins with.
    foreach part in array w.parts loop
      continue when char_length(part) not between lexemes.endings_from and 40 or part ~ '[0-9]';
      for i in 4..char_length(part) - 3 loop
        entries := entries || '~' || substr(part, i) || place;
      end loop;
    end loop;
  end loop;
  return case when entries <> '' then '''' || left(entries, -1) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_document (
  asset public.hub_assets
)
  RETURNS private.hub_documents
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return row(
    (make_document.asset).id,
    private.popularity(make_document.asset),
    private.title_key((make_document.asset).title),
    concat_ws(' ',
      private.lexemes((make_document.asset).title, 'A', 0, 8),
      private.lexemes(array_to_string((make_document.asset).tags, ' '), 'B', 500, 8),
      private.lexemes((make_document.asset).description, 'C', 1000, 11),
      '''=type:' || (make_document.asset).asset_type || ''' ''=license:' || (make_document.asset).license || '''',
      '''=creator:' || (make_document.asset).creator_id || '''',
      '''=tag:' || nullif(array_to_string((make_document.asset).tags, ''' ''=tag:'), '') || ''''
    )::tsvector
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.meant_words (
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
  left_over constant text[] := private.slips(meant_words.word);
begin
  -- Somebody wrote it like this, or a longer word that begins so.
  if left_over = '{}' or exists (
    select from private.hub_words k where k.word >= meant_words.word and k.word < meant_words.word || U&'\+10FFFD'
  ) then
    return;
  end if;
  return query
  select c.word
  from (select k.word from private.hub_words k where k.slips && left_over limit 500) c
  where extensions.levenshtein_less_equal(c.word, meant_words.word, 2) <= 2
  group by c.word
  order by extensions.levenshtein_less_equal(c.word, meant_words.word, 2), left(c.word, 1) <> left(meant_words.word, 1), c.word
  limit 4;
end;
$function$;

CREATE OR REPLACE FUNCTION private.popularity (
  asset public.hub_assets
)
  RETURNS smallint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return floor(ln(1 + (popularity.asset).star_count + 2 * (popularity.asset).install_count::float8) / ln(2::float8) + 1e-9);
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  filters    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer,
  OUT        ids uuid[],
  OUT        keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  col constant text := case search_by_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
  query constant tsquery := coalesce(search_by_column.filters && search_by_column.matches, search_by_column.filters, search_by_column.matches);
  of_tag constant boolean := search_by_column.tags is not null;
  id_col constant text := case when of_tag then 'asset_id' else 'id' end;
  -- A tag has a list of its own in each order; a creator has one by date.
  list constant text := case
    when of_tag then format('private.hub_listing_tags l where l.tag = %L', (
      -- Of several tags that of the shortest list: the rarer a tag, the further back its hundredth listing.
      select t.tag from unnest(search_by_column.tags) t (tag)
      order by (
        select h.published_at from private.hub_listing_tags h where h.tag = t.tag order by h.published_at desc, h.asset_id desc offset 99 limit 1
      ) nulls first limit 1
    ))
    when search_by_column.creator_id is not null and search_by_column.sort = 'newest' then
      format('public.hub_assets l where l.is_visible and l.creator_id = %L', search_by_column.creator_id)
    else 'public.hub_assets l where l.is_visible'
  end;
  after_place constant text := case when search_by_column.place is not null then format(
    ' and (l.%I, l.%I) < (%L, %L)', col, id_col, search_by_column.place ->> 'key', search_by_column.place ->> 'id'
  ) end;
  fits constant text := concat_ws(' and ', 'a.is_visible',
    case when search_by_column.types is not null then 'a.asset_type = any ($1)' end,
    case when search_by_column.license is not null then 'a.license = $2' end,
    case when search_by_column.creator_id is not null then 'a.creator_id = $3' end,
    case when of_tag then 'a.tags @> $4' end,
    -- What cannot have all tags is not read.
    case when of_tag then format('l.tag_bits & %1$s = %1$s', private.tag_bits(search_by_column.tags)) end,
    case when search_by_column.matches is not null then '(select d.document from private.hub_documents d where d.asset_id = a.id) @@ $5' end
  );
  stretch integer;
begin
  -- The first rows of the list hold a page, or a longer stretch does; else what is asked for is rare.
  foreach stretch in array '{300,20000}'::integer[] loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text)
       from (
         select l.id, l.key
         from (select l.%1$I as id, l.%2$I as key%3$s from %4$s%5$s order by l.%2$I desc, l.%1$I desc limit %6$s) l
         join public.hub_assets a on a.id = l.id
         where %7$s
         order by l.key desc, l.id desc
         limit %8$s
       ) f',
      id_col, col, case when of_tag then ', l.tag_bits' end, list, after_place, stretch, fits, search_by_column.wanted
    ) into ids, keys using search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches;
    -- Of a tag alone, or of nothing, the whole list fits.
    if cardinality(ids) = search_by_column.wanted or query is null or (of_tag and numnode(query) = 1) then
      return;
    end if;
    exit when coalesce(cardinality(ids), 0) < 3;
  end loop;
  select r.ids, r.keys into ids, keys from private.search_rare(col, query, search_by_column.place, search_by_column.wanted) r;
end;
$function$;

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
  candidates record;
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
  candidates := private.search_candidates(query, search_by_relevance.place -> 'floor');
  -- Few hold all words: what holds some of them.
  if candidates.floor is null and coalesce(cardinality(candidates.ids), 0) < 10 and cardinality(plan.parts) > 1 and plan.creators is null then
    parts := plan.parts;
    likes := replace(likes::text, '&', '|')::tsquery;
    candidates.ids := candidates.ids || array(
      select unnest(f.ids[1:100])
      from unnest(parts) p (part)
      cross join lateral private.search_candidates(coalesce(search_by_relevance.filters && p.part, p.part), null) f
    );
  end if;
  if coalesce(search_by_relevance.place ->> 'in', 'ranked') = 'ranked' then
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
        from (select distinct i.id from unnest(exact || candidates.ids) i (id)) i
        join private.hub_documents d on d.asset_id = i.id
        cross join lateral (select count(*) filter (where d.document @@ p.part) as held from unnest(parts) p (part)) h
        where h.held >= least(2, (cardinality(parts) + 1) / 2)
      ) s
      where search_by_relevance.place is null
        or (s.score, s.asset_id) < ((search_by_relevance.place ->> 'score')::numeric, (search_by_relevance.place ->> 'id')::uuid)
      order by s.score desc, s.asset_id desc limit search_by_relevance.wanted
    loop
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'ranked', 'score', score, 'id', id, 'floor', candidates.floor) end;
      return next;
    end loop;
  end if;
  if given = search_by_relevance.wanted or candidates.floor is null then
    return;
  end if;
  -- The rest by popularity: from a stretch of that list where the words are common, else by the index of words.
  last_popularity := coalesce(
    case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place -> 'score' end, candidates.floor -> 'popularity'
  )::smallint;
  last_id := coalesce(case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place ->> 'id' end, candidates.floor ->> 'id');
  foreach by_walk in array case when (candidates.floor -> 'walk')::boolean then '{true,false}' else '{false}' end::boolean[] loop
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
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'rest', 'score', popularity, 'id', id, 'floor', candidates.floor) end;
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
  seen integer;
begin
  -- A common word: the most popular listings hold enough of it.
  foreach seen in array walks loop
    select array_agg(w.asset_id) filter (where w.fits), count(*) filter (where w.fits),
      jsonb_build_object('walk', true, 'popularity', (array_agg(w.popularity))[seen], 'id', (array_agg(w.asset_id))[seen])
    into ids, found, floor
    from (
      select d.asset_id, d.popularity, d.document @@ search_candidates.query as fits from private.hub_documents d
      where (d.popularity, d.asset_id) >= (least_popularity, least_id)
      order by d.popularity desc, d.asset_id desc limit seen
    ) w;
    if has_floor then
      floor := search_candidates.above;
      return;
    elsif floor ->> 'id' is null then
      -- These are all there are.
      floor := null;
      return;
    elsif found >= 60 or (seen = 3000 and found >= 25) then
      return;
    end if;
    exit when found < seen / 100;
  end loop;
  -- A rarer one: the index of the popular ones, and then of all. OFFSET keeps the planner off the index of popularity.
  foreach seen in array case when search_candidates.above is null then '{1000,5000}' when has_floor then '{1000}' else '{5000}' end::integer[] loop
    execute format(
      'select array_agg(m.asset_id), jsonb_build_object(''walk'', false, ''popularity'', (array_agg(m.popularity))[$4], ''id'', (array_agg(m.asset_id))[$4])
       from (
         select f.asset_id, f.popularity
         from (select d.asset_id, d.popularity from private.hub_documents d where d.document @@ $1 %s offset 0) f
         where (f.popularity, f.asset_id) >= ($2, $3)
         order by f.popularity desc, f.asset_id desc limit $4
       ) m', case when seen = 1000 then 'and d.popularity >= 4' end
    ) into ids, floor using search_candidates.query, least_popularity, least_id, seen;
    exit when has_floor or cardinality(ids) >= 60;
  end loop;
  floor := case
    when has_floor then search_candidates.above
    when floor ->> 'id' is not null then floor
    when seen = 1000 then jsonb_build_object('walk', false, 'popularity', 4, 'id', nobody)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_facets (
  request private.search_request
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
  -- Of the first thousand of the result, so that the work is bounded; `complete` tells whether that is all of it.
  with page as materialized (select p.ids from private.search_page(search_facets.request, null, 1001) p),
  counted as (
    select f.facet, f.value, count(*) as listings
    from page p
    cross join lateral unnest(p.ids[:1000]) i (id)
    join public.hub_assets a on a.id = i.id and a.is_visible
    cross join lateral (
      select 'types', a.asset_type
      union all select 'licenses', a.license
      union all select 'tags', t.tag from unnest(a.tags) t (tag)
    ) f (facet, value)
    group by f.facet, f.value
  ),
  facets as (
    select k.facet, c.value, c.listings, row_number() over (partition by k.facet order by c.listings desc, c.value) as place
    from counted c
    cross join lateral (
      select case when c.facet = 'tags' and c.value ~ '^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)' then 'models' else c.facet end as facet
    ) k
  )
  select '{"types": [], "licenses": [], "tags": [], "models": []}'
    || jsonb_build_object('complete', coalesce((select cardinality(p.ids) from page p), 0) <= 1000)
    || coalesce((
      select jsonb_object_agg(l.facet, l.list)
      from (
        select f.facet, jsonb_agg(jsonb_build_object('value', f.value, 'count', f.listings) order by f.place) as list
        from facets f where f.place <= 20 group by f.facet
      ) l
    ), '{}');
$function$;

CREATE OR REPLACE FUNCTION private.search_page (
  request private.search_request,
  place   jsonb,
  wanted  integer,
  OUT     ids uuid[],
  OUT     next_place jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  creator_id constant uuid := case when (search_page.request).creator is not null then private.creator_by_name((search_page.request).creator) end;
  matches tsquery;
  filters constant tsquery := (
    select string_agg('(' || f.filter || ')', ' & ')::tsquery
    from (
      select string_agg('''=type:' || t.type || '''', ' | ') from unnest((search_page.request).types) t (type)
      union all select '''=license:' || (search_page.request).license || ''''
      union all select '''=creator:' || creator_id || ''''
      union all select '''=tag:' || t.tag || '''' from unnest((search_page.request).tags) t (tag)
    ) f (filter)
  );
begin
  if (search_page.request).creator is not null and creator_id is null then
    return;
  end if;
  if (search_page.request).sort = 'relevance' then
    select array_agg(r.id), (array_agg(r.at))[search_page.wanted - 1] into ids, next_place
    from private.search_by_relevance((search_page.request).q, filters, search_page.place, search_page.wanted) r;
    return;
  end if;
  if (search_page.request).q is not null then
    matches := (private.search_plan((search_page.request).q)).matches;
    if matches is null then
      return;
    end if;
  end if;
  select r.ids, jsonb_build_object('key', r.keys[search_page.wanted - 1], 'id', r.ids[search_page.wanted - 1]) into ids, next_place
  from private.search_by_column(
    (search_page.request).sort, matches, filters, (search_page.request).types, (search_page.request).license, creator_id, (search_page.request).tags,
    search_page.place, search_page.wanted
  ) r;
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
        case when cardinality(w.parts) = 1 then (select string_agg('''' || m.word || '''', ' | ') from private.meant_words(core) m (word)) end
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

CREATE OR REPLACE FUNCTION private.search_rare (
  col    text,
  query  tsquery,
  place  jsonb,
  wanted integer,
  OUT    ids uuid[],
  OUT    keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_bitmapscan TO 'on'
  SET enable_sort TO 'on'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, a.%1$I as key
       from public.hub_assets a
       where a.is_visible and a.id = any (array(select d.asset_id from private.hub_documents d where d.document @@ $1)) %2$s
       order by a.%1$I desc, a.id desc
       limit %3$s
     ) f',
    search_rare.col,
    case when search_rare.place is not null then format('and (a.%I, a.id) < (%L, %L)', search_rare.col, search_rare.place ->> 'key', search_rare.place ->> 'id') end,
    search_rare.wanted
  ) into ids, keys using search_rare.query;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_request (
  q           text,
  types       text[],
  tags        text[],
  model       text,
  cardinality text,
  license     text,
  creator     text,
  sort        text,
  cursor      text,
  page_size   integer
)
  RETURNS private.search_request
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
  model text[];
  faults jsonb;
begin
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.page_size := coalesce(search_request.page_size, 24);
  request.types := nullif(search_request.types, '{}');
  if octet_length(search_request.q) <= 2000 and search_request.q ~ '[^\s\u3000]' then
    -- A blank behind a word says that it is finished.
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  if octet_length(search_request.model) <= 300 then
    model := private.normalize_tags(array[search_request.model]);
  end if;
  if pg_catalog.cardinality(search_request.tags) <= 20 and octet_length(array_to_string(search_request.tags, '')) <= 6000 then
    request.tags := private.normalize_tags(search_request.tags);
  end if;
  select jsonb_agg(f.fault -> 0) into faults from (values
    (octet_length(search_request.q) > 2000 or char_length(request.q) > 500, private.fault('q', 'too_big', 'must be at most 500 characters')),
    (not request.types <@ private.asset_types() or pg_catalog.cardinality(request.types) > pg_catalog.cardinality(private.asset_types()), private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '))),
    (search_request.tags is not null and request.tags is null or not private.tags_are_valid(request.tags), private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')),
    (search_request.model is not null and (model is null or not private.tags_are_valid(model) or pg_catalog.cardinality(model) <> 1), private.fault('model', 'invalid_format', 'must be the tag of a model')),
    (lower(ltrim(search_request.cardinality, '#')) not in ('1to1', '1ton', 'batch'), private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch')),
    (request.license not in ('cc0', 'cc-by', 'platform-free', 'paid'), private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid')),
    (char_length(request.creator) > 100, private.fault('creator', 'invalid_format', 'must be the username of a creator')),
    (request.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance'), private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance')),
    (request.sort = 'relevance' and request.q is null, private.fault('sort', 'invalid_value', 'relevance needs q')),
    (request.page_size not between 1 and 100, private.fault('page_size', 'invalid_value', 'must be from 1 to 100'))
  ) f (is_wrong, fault) where f.is_wrong;
  perform private.refuse_faults(coalesce(faults, '[]'));
  request.tags := nullif(private.normalize_tags(array_remove(request.tags || model || lower(ltrim(search_request.cardinality, '#')), null)), '{}');
  -- A cursor belongs to its query.
  request.list := to_jsonb('search ' || md5(jsonb_build_array(request.q, request.types, request.tags, request.license, request.creator, request.sort)::text));
  if search_request.cursor is not null then
    request.place := private.from_cursor(left(search_request.cursor, 2001), request.list);
    -- Only what was given here; anybody can write a text that decodes.
    if not coalesce(
      pg_input_is_valid(request.place ->> 'id', 'uuid') and case
        when request.sort in ('newest', 'recently_updated') then pg_input_is_valid(request.place ->> 'key', 'timestamptz')
        when request.sort <> 'relevance' then pg_input_is_valid(request.place ->> 'key', 'integer')
        else request.place ->> 'in' in ('ranked', 'rest') and jsonb_typeof(request.place -> 'score') = 'number'
          and pg_input_is_valid(request.place ->> 'score', case request.place ->> 'in' when 'rest' then 'smallint' else 'numeric(12,5)' end)
          and coalesce(
            pg_input_is_valid(request.place -> 'floor' ->> 'popularity', 'smallint') and pg_input_is_valid(request.place -> 'floor' ->> 'id', 'uuid')
              and jsonb_typeof(request.place -> 'floor' -> 'walk') = 'boolean',
            request.place ->> 'in' = 'ranked' and request.place ->> 'floor' is null
          )
      end, false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;

CREATE OR REPLACE FUNCTION private.slips (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  head constant text := left(slips.word, 7);
  ends constant integer := char_length(head) + 1;
begin
  if slips.word !~ '^[^0-9]{4,40}$' then
    return '{}';
  end if;
  -- One letter taken out of the first seven or none, of words of eight and more two. Behind the end there is none to take.
  return array(
    select distinct overlay(overlay(head placing '' from j for 1) placing '' from i for 1)
    from generate_series(1, ends) i
    cross join generate_series(case when char_length(slips.word) >= 8 then 1 else ends end, ends) j
    where i < j or i = ends
  );
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
  SET jit TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.tag_bits (
  tags text[]
)
  RETURNS bigint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (select coalesce(bit_or(1::bigint << (get_byte(decode(md5(t.tag), 'hex'), 0) % 64)), 0) from unnest(tag_bits.tags) t (tag));
end;
$function$;

CREATE OR REPLACE FUNCTION private.title_key (
  title text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (select coalesce(string_agg(w.whole, ' '), '') from private.words(title_key.title) w);
end;
$function$;

CREATE OR REPLACE FUNCTION private.words (
  value text
)
  RETURNS TABLE (
    whole  text,
    parts  text[],
    is_run boolean
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Scripts without spaces, and Hangul, where particles stand behind a word.
  run constant text := '\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u30fa\u30fc-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff';
  folded text := private.fold(regexp_replace(words.value, '([a-z])([A-Z])', '\1-\2', 'g'));
  word text;
begin
  -- c++ is cpp, c# is csharp, .net is dotnet; camelCase and gpt-4o are their parts, and all of them as one.
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
$function$;

CREATE OR REPLACE FUNCTION public.hub_prune()
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  unused_words integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  -- guard: publish: expired calls are pruned
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  -- end
  get diagnostics expired_calls = row_count;
  -- Nobody waits: a listing that is published at this moment with a word that no other one has is found by the whole of it.
  -- guard: search: a word goes with its last listing
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  -- end
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + unused_words;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_search (
  q           text    DEFAULT NULL::text,
  types       text[]  DEFAULT NULL::text[],
  tags        text[]  DEFAULT NULL::text[],
  model       text    DEFAULT NULL::text,
  cardinality text    DEFAULT NULL::text,
  license     text    DEFAULT NULL::text,
  creator     text    DEFAULT NULL::text,
  sort        text    DEFAULT NULL::text,
  cursor      text    DEFAULT NULL::text,
  page_size   integer DEFAULT 24,
  facets      boolean DEFAULT false
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  request constant private.search_request := private.search_request(
    hub_search.q, hub_search.types, hub_search.tags, hub_search.model, hub_search.cardinality, hub_search.license, hub_search.creator, hub_search.sort,
    hub_search.cursor, hub_search.page_size
  );
  page constant record := private.search_page(request, request.place, request.page_size + 1);
  next_cursor text;
  items constant json := private.asset_cards(page.ids[:request.page_size]);
begin
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object('list', request.list) || page.next_place);
  end if;
  if hub_search.facets then
    return json_build_object('items', items, 'next_cursor', next_cursor, 'facets', private.search_facets(request));
  end if;
  return json_build_object('items', items, 'next_cursor', next_cursor);
end;
$function$;

ALTER TABLE "private"."hub_words"
  ADD CONSTRAINT "hub_words_added_by_fkey" FOREIGN KEY (added_by) REFERENCES auth.users(id) ON DELETE SET NULL;

CREATE INDEX hub_words_added_by_idx ON private.hub_words USING btree (added_by);

COMMENT ON COLUMN "private"."hub_documents"."document" IS 'Words of title (A), tags (B) and description (C); endings of words (~); =type:, =license:, =creator: and =tag: for filters.';

COMMENT ON COLUMN "private"."hub_words"."added_by" IS 'Whose listing had it first; an account adds at most 5,000.';

COMMENT ON COLUMN "private"."hub_words"."slips" IS 'What is left when letters are taken out: words that differ by a slip have one of these in common, and at most 64 words share one.';

COMMENT ON FUNCTION "private"."index_asset"(public.hub_assets) IS 'Makes what search reads of a visible listing, and adds its words as far as its creator may add more.';

COMMENT ON FUNCTION "private"."lexemes"(text, text, integer, integer) IS 'What a text is found by, as the text of a tsvector: words, pairs of characters, and behind ~ the endings of words of so many letters.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'The row by which a listing is found. No word and no tag holds a quote, a backslash or a blank.';

COMMENT ON FUNCTION "private"."meant_words"(text) IS 'Words of listings that a word which none of them begins with may have been meant for.';

COMMENT ON FUNCTION "private"."popularity"(public.hub_assets) IS 'The power of two of stars and installs, of which an install counts twice.';

COMMENT ON FUNCTION "private"."search_by_column"(text, tsquery, tsquery, text[], text, uuid, text[], jsonb, integer) IS 'Visible listings in the order of a column, each with its value there.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Visible listings by how well they match, the last but one with its place: what is worth ranking by score, then the rest by popularity.';

COMMENT ON FUNCTION "private"."search_candidates"(tsquery, jsonb) IS 'Matches that are worth ranking: all, or the popular ones down to a floor; above is the floor of the first page, a JSON null where it had none.';

COMMENT ON FUNCTION "private"."search_rare"(text, tsquery, jsonb, integer) IS 'Listings in the order of a column, where few match: by the index of documents.';

COMMENT ON FUNCTION "private"."slips"(text) IS 'What is left of the beginning of a word when one letter is taken out, or two of a long word; nothing of what nobody mistypes.';

COMMENT ON FUNCTION "private"."starting_with"(text) IS 'The text of a tsquery for all words that begin in this way: by their names where they are few. Null where there is none.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'What titles that read alike have in common.';

COMMENT ON FUNCTION "private"."words"(text) IS 'The words of a text: each as one, and in parts (pairs of characters for scripts without spaces).';

COMMENT ON FUNCTION "public"."hub_prune"() IS 'For operators: deletes answers older than 24 hours, expired scan tokens, calls older than one hour, and words that no visible listing has any more; returns the number of rows.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of documents: which ones begin in some way, and which one somebody meant. hub_prune takes away what no document holds.';

REVOKE ALL ON FUNCTION "private"."fold"(text) FROM "authenticated";

GRANT EXECUTE ON FUNCTION "private"."fold"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."fold"(text) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."fold"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lexemes"(text, text, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_document"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."meant_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."popularity"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_column"(text, tsquery, tsquery, text[], text, uuid, text[], jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_candidates"(tsquery, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_rare"(text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."starting_with"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words"(text) FROM PUBLIC;

CREATE INDEX hub_profiles_display_name_idx ON public.hub_profiles USING btree (private.fold(display_name), created_at)
  WHERE (display_name IS NOT NULL);
