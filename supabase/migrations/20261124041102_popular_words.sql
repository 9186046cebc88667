SET local check_function_bodies = off;

DROP FUNCTION "private"."starting_with"(text);

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
  popular integer;
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
  -- Not enough in that stretch: they are few, and an index of words has them; the popular ones, of which it reads an eighth of a
  -- million, before the others. Subqueries of their own: else the index of popularity is read to its end, because it has the order.
  return query
  select m.asset_id, m.popularity
  from (
    select d.asset_id, d.popularity, d.title_key
    from private.hub_documents d
    where d.document @@ search_rest.query and d.popularity >= 4
    offset 0
  ) m
  where m.title_key <> search_rest.title_key
    and (m.popularity, m.asset_id) < (coalesce(search_rest.popularity, search_rest.last_popularity), coalesce(search_rest.id, search_rest.last_id))
  order by m.popularity desc, m.asset_id desc
  limit search_rest.wanted - given;
  get diagnostics popular = row_count;
  given := given + popular;
  if given = search_rest.wanted then
    return;
  end if;
  return query
  select m.asset_id, m.popularity
  from (
    select d.asset_id, d.popularity, d.title_key
    from private.hub_documents d
    where d.document @@ search_rest.query and d.popularity < 4
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
$function$;

CREATE OR REPLACE FUNCTION private.starting_with (
  lexeme text,
  stem   text DEFAULT NULL::text
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
    return (
      select string_agg(private.quote_lexeme(f.lexeme), ' | ')
      from unnest(found) f (lexeme)
      where private.stem(f.lexeme) is distinct from starting_with.stem
    );
  end if;
  -- end
  return private.quote_lexeme(starting_with.lexeme) || ':*';
end;
$function$;

CREATE INDEX hub_documents_popular_idx ON private.hub_documents USING gin (document)
  WITH (fastupdate=off)
  WHERE (popularity >= 4);

COMMENT ON FUNCTION "private"."starting_with"(text, text) IS 'The text of a tsquery for all lexemes that begin in this way: by their names where they are few, else by the beginning. Null where there is none. Names of this stem are left out: for a search that asks for the stem, too, because a listing that holds a word holds its stem.';

REVOKE ALL ON FUNCTION "private"."starting_with"(text, text) FROM PUBLIC;
