SET local check_function_bodies = off;

CREATE TABLE "private"."hub_documents" (
  "asset_id"   uuid     NOT NULL,
  "popularity" smallint NOT NULL,
  "title_key"  text     NOT NULL,
  "document"   tsvector NOT NULL,
  CONSTRAINT "hub_documents_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "private"."hub_documents"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_snapshots" (
  "name"    text                     NOT NULL,
  "value"   jsonb                    NOT NULL,
  "made_at" timestamp with time zone NOT NULL,
  CONSTRAINT "hub_snapshots_pkey" PRIMARY KEY (name)
);

ALTER TABLE "private"."hub_snapshots"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_words" (
  "word"  text   COLLATE pg_catalog."C" NOT NULL,
  "slips" text[] NOT NULL
);

ALTER TABLE "private"."hub_words"
  ENABLE ROW LEVEL SECURITY;

CREATE TYPE "private"."search_plan" AS (
  "title_key"      text,
  "matches"        tsquery,
  "likes"          tsquery,
  "titled"         tsquery,
  "titled_exactly" tsquery,
  "parts"          tsquery[]
);

CREATE TYPE "private"."search_request" AS (
  "q"         text,
  "types"     text[],
  "tags"      text[],
  "license"   text,
  "creator"   text,
  "sort"      text,
  "list"      jsonb,
  "place"     jsonb,
  "page_size" integer
);

CREATE TYPE "private"."search_set" AS (
  "ids"              uuid[],
  "floor_popularity" smallint,
  "floor_id"         uuid
);

CREATE TYPE "private"."search_term" AS (
  "exact"  text,
  "loose"  text,
  "single" boolean
);

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
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  return (
    with listings as materialized (
      select a.*, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where a.is_visible
    )
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', a.id,
        'slug', a.slug,
        'asset_type', a.asset_type,
        'title', a.title,
        'description', a.description,
        'tags', a.tags,
        'thumbnail_url', a.thumbnail_url,
        'license', a.license,
        'creator', n.names -> a.creator_id::text,
        'install_count', a.install_count,
        'star_count', a.star_count,
        'published_at', a.published_at,
        'content_updated_at', a.content_updated_at,
        'remix_depth', a.remix_depth
      )
      order by a.place
    ), '[]')
    from (select private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) as names offset 0) n
    cross join listings a
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(private.snapshot('categories'), private.count_categories());
$function$;

CREATE OR REPLACE FUNCTION private.count_categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Documents are of visible listings only.
  select jsonb_agg(jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', c.listings) order by t.place)
  from private.suggested_tags() t
  cross join lateral (
    select count(*) as listings
    from private.hub_documents d
    where d.document @@ ('''=tag:' || t.tag || '''')::tsquery
  ) c;
$function$;

CREATE OR REPLACE FUNCTION private.count_trending()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with acts as (
    -- The creator's own do not count.
    select s.asset_id, count(*) as stars, 0 as installs, 0 as remixes
    from public.hub_stars s
    join public.hub_assets a on a.id = s.asset_id
    -- guard: search: the creator's own acts do not trend
    -- without: where s.starred_at > now() - interval '7 days'
    where s.starred_at > now() - interval '7 days' and s.user_id is distinct from a.creator_id
    -- end
    group by s.asset_id
    union all
    select i.asset_id, 0, count(distinct i.user_id), 0
    from public.hub_imports i
    join public.hub_assets a on a.id = i.asset_id
    where i.created_at > now() - interval '7 days' and i.user_id is distinct from a.creator_id
    group by i.asset_id
    union all
    select r.parent_asset_id, 0, 0, count(distinct r.creator_id)
    from public.hub_assets r
    join public.hub_assets a on a.id = r.parent_asset_id
    where r.is_visible and r.published_at > now() - interval '7 days' and r.creator_id is distinct from a.creator_id
    group by r.parent_asset_id
  ),
  scored as (
    select a.id, coalesce(a.creator_id, a.id) as creator,
      ln(1 + 3 * sum(c.installs) + 2 * sum(c.stars) + 5 * sum(c.remixes))::float8
        * greatest(0.25, power(2::float8, - extract(epoch from now() - a.published_at)::float8 / 86400 / 14)) as score
    from acts c
    join public.hub_assets a on a.id = c.asset_id
    where a.is_visible
    group by a.id
  ),
  ranked as (
    select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s where s.score > 0
  ),
  -- The first twenty have at most two of one creator; what these push out comes behind them.
  first as (
    select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
  ),
  placed as (
    select r.id, r.score, f.id is not null as is_first
    from ranked r
    left join first f on f.id = r.id
    -- guard: search: two of a creator among the first twenty
    -- without: where true
    where f.id is not null or (select count(*) from first) = 20
    -- end
    order by f.id is not null desc, r.score desc, r.id
    limit 120
  )
  select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p;
$function$;

CREATE OR REPLACE FUNCTION private.creator_totals (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'published_assets', count(*),
    'total_installs', coalesce(sum(a.install_count), 0),
    'total_stars', coalesce(sum(a.star_count), 0)
  )
  from public.hub_assets a
  -- guard: search: a creator's totals are of visible listings
  -- without: where a.creator_id = creator_totals.user_id;
  where a.creator_id = creator_totals.user_id and a.is_visible;
  -- end
$function$;

CREATE OR REPLACE FUNCTION private.creators (
  user_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (
    select coalesce(jsonb_object_agg(p.user_id, jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url)), '{}')
    from public.hub_profiles p
    where p.user_id = any (creators.user_ids)
      and not exists (select from private.hub_bans b where b.user_id = p.user_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.distance (
  first  text,
  second text,
  most   integer
)
  RETURNS integer
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.document (
  asset public.hub_assets
)
  RETURNS tsvector
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  filters text := '''=type:' || (document.asset).asset_type || ''' ''=license:' || (document.asset).license || '''';
begin
  if (document.asset).creator_id is not null then
    filters := filters || ' ''=creator:' || (document.asset).creator_id || '''';
  end if;
  -- No tag holds a quote, a backslash or a blank.
  for i in 1..cardinality((document.asset).tags) loop
    filters := filters || ' ''=tag:' || (document.asset).tags[i] || '''';
  end loop;
  return (
    private.lexemes((document.asset).title, 'A', 8)
    || ' ' || private.lexemes(array_to_string((document.asset).tags, ' '), 'B', 8)
    || ' ' || coalesce(private.lexemes((document.asset).description, 'C', 11), '')
    || ' ' || filters
  )::tsvector;
end;
$function$;

CREATE OR REPLACE FUNCTION private.feature_asset (
  asset_id   uuid,
  "position" integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(feature_asset.asset_id);
begin
  -- guard: search: only what is visible is featured
  -- without: if false then
  if not asset.is_visible then
  -- end
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  insert into public.hub_featured (asset_id, position)
  values (asset.id, coalesce(feature_asset.position, (select 1 + max(f.position) from public.hub_featured f), 1))
  on conflict on constraint hub_featured_pkey do update
  set position = coalesce(feature_asset.position, public.hub_featured.position);
end;
$function$;

CREATE OR REPLACE FUNCTION private.fold (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_index()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  words_changed constant boolean := tg_op = 'INSERT' or not old.is_visible
    or (new.title, new.description, new.tags) is distinct from (old.title, old.description, old.tags);
begin
  if tg_op = 'UPDATE' and not words_changed and new.is_visible
    and (new.creator_id, new.license) is not distinct from (old.creator_id, old.license)
    and private.popularity(new.star_count, new.install_count) = private.popularity(old.star_count, old.install_count)
  then
    return null;
  end if;
  perform private.index_asset(new);
  if words_changed and new.is_visible then
    perform private.add_words(new);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.in_title (
  query text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Behind every lexeme, No lexeme holds a quote.
  return replace(regexp_replace(in_title.query, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A');
end;
$function$;

CREATE OR REPLACE FUNCTION private.index_asset (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- guard: search: what is not visible has no document
  -- without: if false then
  if not (index_asset.asset).is_visible then
  -- end
    delete from private.hub_documents d where d.asset_id = (index_asset.asset).id;
    return;
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  values (
    (index_asset.asset).id,
    private.popularity((index_asset.asset).star_count, (index_asset.asset).install_count),
    private.title_key((index_asset.asset).title),
    private.document(index_asset.asset)
  )
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_search_place (
  place jsonb,
  sort  text
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Only what was given here; anybody can write a text that decodes.
  if not coalesce(pg_input_is_valid(is_search_place.place ->> 'id', 'uuid'), false) then
    return false;
  end if;
  if is_search_place.sort = 'relevance' then
    return coalesce(
      is_search_place.place ->> 'in' in ('exact', 'ranked', 'rest', 'any')
        and jsonb_typeof(is_search_place.place -> 'score') = 'number'
        and pg_input_is_valid(is_search_place.place ->> 'score', 'numeric(12,5)')
        and (is_search_place.place ->> 'in' not in ('exact', 'rest') or pg_input_is_valid(is_search_place.place ->> 'score', 'smallint'))
        and (is_search_place.place ->> 'floor' is null or pg_input_is_valid(is_search_place.place ->> 'floor', 'smallint'))
        and (is_search_place.place ->> 'above' is null or pg_input_is_valid(is_search_place.place ->> 'above', 'uuid'))
        and (is_search_place.place ->> 'above' is null) = (is_search_place.place ->> 'floor' is null)
        and (is_search_place.place ->> 'in' <> 'rest' or is_search_place.place ->> 'floor' is not null),
      false
    );
  end if;
  return coalesce(pg_input_is_valid(
    is_search_place.place ->> 'key',
    case when private.sort_column(is_search_place.sort) like '%\_at' then 'timestamptz' else 'integer' end
  ), false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.judge_page_size (
  page_size integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if judge_page_size.page_size not between 1 and 100 then
    perform private.refuse_faults(private.fault('page_size', 'invalid_value', 'must be from 1 to 100'));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lexemes (
  value        text,
  field        text,
  endings_from integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.meant_words (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.pairs (
  run text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.plain_words (
  value text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.popularity (
  star_count    integer,
  install_count integer
)
  RETURNS smallint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return floor(ln(1 + popularity.star_count + 2 * popularity.install_count::float8) / ln(2::float8) + 1e-9);
end;
$function$;

CREATE OR REPLACE FUNCTION private.quote_lexeme (
  lexeme text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return '''' || translate(quote_lexeme.lexeme, '''\', '') || '''';
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_any (
  plan    private.search_plan,
  filters tsquery
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  part tsquery;
  found private.search_set;
  ids uuid[] := '{}';
begin
  foreach part in array (search_any.plan).parts loop
    found := private.search_set(
      coalesce(search_any.filters && part, part), array_remove(array[part, search_any.filters], null), null, null, true
    );
    ids := ids || found.ids[1:300];
  end loop;
  return array(select distinct unnest(ids));
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer
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
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
declare
  -- Names and types from the closed list of sort_column.
  sort_by constant text := private.sort_column(search_by_column.sort);
  type constant text := case when sort_by like '%\_at' then 'timestamptz' else 'integer' end;
  -- A creator's own index has them in this order.
  own constant boolean := sort_by = 'published_at' and search_by_column.creator_id is not null;
  filters tsquery;
  stretch integer := 2000;
  ids uuid[];
  places text[];
  ended boolean;
begin
  loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text) from (
        select w.id, w.key
        from (
          select a.id, a.%1$I as key, a.asset_type, a.license, a.creator_id, a.tags
          from public.hub_assets a
          where a.is_visible %2$s %3$s
          order by a.%1$I desc, a.id desc
          limit $9
        ) w
        %4$s
        where ($3 is null or w.asset_type = any ($3))
          and ($4 is null or w.license = $4)
          and ($5 is null or w.creator_id = $5)
          and ($6 is null or w.tags @> $6)
        limit $8
      ) f',
      sort_by,
      case when search_by_column.place is null then '' else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', sort_by, type) end,
      case when own then 'and a.creator_id = $5' else '' end,
      case
        when search_by_column.matches is null then ''
        else 'cross join lateral (select from private.hub_documents d where d.asset_id = w.id and d.document @@ $7 offset 0) d'
      end
    )
    into ids, places
    using search_by_column.place ->> 'key', (search_by_column.place ->> 'id')::uuid, search_by_column.types,
      search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches,
      search_by_column.wanted, stretch;
    exit when cardinality(ids) >= search_by_column.wanted or stretch > 2000;
    execute format(
      'select not exists (
        select from public.hub_assets a where a.is_visible %2$s %3$s order by a.%1$I desc, a.id desc offset %4$s limit 1
      )',
      sort_by,
      case when search_by_column.place is null then '' else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', sort_by, type) end,
      case when own then 'and a.creator_id = $3' else '' end,
      stretch
    )
    into ended
    using search_by_column.place ->> 'key', (search_by_column.place ->> 'id')::uuid, search_by_column.creator_id;
    exit when ended or coalesce(cardinality(ids), 0) < 3;
    -- Some, but not enough: a longer stretch is still less than all that match.
    stretch := 20000;
  end loop;

  if coalesce(cardinality(ids), 0) < search_by_column.wanted and not ended then
    filters := private.search_filters(
      search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags
    );
    select f.ids, f.places into ids, places
    from private.search_few(
      sort_by, type, coalesce(filters && search_by_column.matches, filters, search_by_column.matches), search_by_column.place,
      search_by_column.wanted
    ) f;
  end if;
  return query
  select i.id, jsonb_build_object('key', i.key, 'id', i.id)
  from unnest(ids, places) with ordinality i (id, key, n)
  order by i.n;
end;
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
  AS $function$
  -- Of the first thousand of the result, so that the work is bounded; `complete` tells whether that is all of it.
  with page as materialized (
    select p.asset_id
    from private.search_page(search_facets.request, null, 1001) p
  ),
  listings as materialized (
    select a.asset_type, a.license, a.tags
    from (select p.asset_id from page p limit 1000) p
    join public.hub_assets a on a.id = p.asset_id
    where a.is_visible
  ),
  tags as (
    select t.tag, count(*) as listings, t.tag ~ '^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)' as is_model
    from listings l cross join lateral unnest(l.tags) t (tag)
    group by t.tag
  )
  select jsonb_build_object(
    'complete', (select count(*) from page) <= 1000,
    'types', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.value, 'count', c.listings) order by c.listings desc, c.value), '[]')
      from (select l.asset_type as value, count(*) as listings from listings l group by 1) c
    ),
    'licenses', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.value, 'count', c.listings) order by c.listings desc, c.value), '[]')
      from (select l.license as value, count(*) as listings from listings l group by 1) c
    ),
    'tags', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.tag, 'count', c.listings) order by c.listings desc, c.tag), '[]')
      from (select t.* from tags t where not t.is_model order by t.listings desc, t.tag limit 20) c
    ),
    'models', (
      select coalesce(jsonb_agg(jsonb_build_object('value', c.tag, 'count', c.listings) order by c.listings desc, c.tag), '[]')
      from (select t.* from tags t where t.is_model order by t.listings desc, t.tag limit 20) c
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.search_faults (
  q           text,
  types       text[],
  tags        text[],
  model       text,
  cardinality text,
  license     text,
  creator     text,
  sort        text,
  page_size   integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
begin
  if search_faults.q is not null and char_length(search_faults.q) > 500 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 500 characters');
  end if;
  if search_faults.types is not null and not search_faults.types <@ '{orchestration,template,component,ai_preset}'::text[] or cardinality(search_faults.types) > 4 then
    faults := faults || private.fault('types', 'invalid_value', 'must be some of orchestration, template, component, ai_preset');
  end if;
  if search_faults.tags is not null and not private.tags_are_valid(search_faults.tags) then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if search_faults.model is not null and not private.tags_are_valid(array[search_faults.model]) then
    faults := faults || private.fault('model', 'invalid_format', 'must be the tag of a model');
  end if;
  if search_faults.cardinality not in ('1to1', '1ton', 'batch') then
    faults := faults || private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch');
  end if;
  if search_faults.license not in ('cc0', 'cc-by', 'platform-free', 'paid') then
    faults := faults || private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid');
  end if;
  if char_length(search_faults.creator) > 100 then
    faults := faults || private.fault('creator', 'invalid_format', 'must be the username of a creator');
  end if;
  if search_faults.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance');
  elsif search_faults.sort = 'relevance' and search_faults.q is null then
    faults := faults || private.fault('sort', 'invalid_value', 'relevance needs q');
  end if;
  if search_faults.page_size not between 1 and 100 then
    faults := faults || private.fault('page_size', 'invalid_value', 'must be from 1 to 100');
  end if;
  return faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_few (
  sort_by text,
  type    text,
  query   tsquery,
  place   jsonb,
  wanted  integer,
  OUT     ids uuid[],
  OUT     places text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'on'
  AS $function$
begin
  execute format(
    'select array_agg(f.id), array_agg(f.key::text) from (
      select a.id, a.%1$I as key
      from (select d.asset_id from private.hub_documents d where d.document @@ $3 offset 0) m
      join public.hub_assets a on a.id = m.asset_id
      where a.is_visible %2$s
      order by a.%1$I desc, a.id desc
      limit $4
    ) f',
    search_few.sort_by,
    case
      when search_few.place is null then ''
      else format('and (a.%1$I, a.id) < ($1::%2$s, $2)', search_few.sort_by, search_few.type)
    end
  )
  into search_few.ids, search_few.places
  using search_few.place ->> 'key', (search_few.place ->> 'id')::uuid, search_few.query, search_few.wanted;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_filters (
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[]
)
  RETURNS tsquery
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  filters text[] := '{}';
begin
  if search_filters.types is not null then
    filters := filters || ('(' || (select string_agg('''=type:' || t.type || '''', ' | ') from unnest(search_filters.types) t (type)) || ')');
  end if;
  if search_filters.license is not null then
    filters := filters || ('''=license:' || search_filters.license || '''');
  end if;
  if search_filters.creator_id is not null then
    filters := filters || ('''=creator:' || search_filters.creator_id || '''');
  end if;
  if search_filters.tags is not null then
    filters := filters || array(select '''=tag:' || translate(t.tag, '''\', '') || '''' from unnest(search_filters.tags) t (tag));
  end if;
  return nullif(array_to_string(filters, ' & '), '')::tsquery;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_index (
  query tsquery,
  most  integer
)
  RETURNS private.search_set
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_indexscan TO 'off'
  SET enable_bitmapscan TO 'on'
  AS $function$
declare
  result private.search_set;
begin
  select array_agg(m.asset_id), (array_agg(m.popularity order by m.popularity, m.asset_id))[1],
    (array_agg(m.asset_id order by m.popularity, m.asset_id))[1]
  into result.ids, result.floor_popularity, result.floor_id
  from (
    select d.asset_id, d.popularity
    from private.hub_documents d
    where d.document @@ search_index.query
    order by d.popularity desc, d.asset_id desc
    limit search_index.most
  ) m;
  if coalesce(cardinality(result.ids), 0) < search_index.most then
    result := (coalesce(result.ids, '{}'), null, null)::private.search_set;
  end if;
  return result;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_page (
  request private.search_request,
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
  AS $function$
declare
  creator_id uuid;
  matches tsquery;
begin
  if (search_page.request).creator is not null then
    select p.user_id into creator_id
    from public.hub_profiles p
    where private.username_key(p.username) = private.username_key((search_page.request).creator)
      and lower(p.username) = lower((search_page.request).creator)
      and not private.is_banned(p.user_id);
    if not found then
      return;
    end if;
  end if;
  if (search_page.request).sort = 'relevance' then
    return query
    select r.asset_id, r.at
    from private.search_by_relevance(
      (search_page.request).q, private.search_filters((search_page.request).types, (search_page.request).license, creator_id, (search_page.request).tags),
      search_page.place, search_page.wanted
    ) r;
  else
    if (search_page.request).q is not null then
      matches := (private.search_plan((search_page.request).q)).matches;
      -- What has no word in it is found nowhere.
      if matches is null then
        return;
      end if;
    end if;
    return query
    select r.asset_id, r.at
    from private.search_by_column(
      (search_page.request).sort, matches, (search_page.request).types, (search_page.request).license, creator_id,
      (search_page.request).tags, search_page.place, search_page.wanted
    ) r;
  end if;
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
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.search_ranked (
  ids        uuid[],
  plan       private.search_plan,
  by_words   boolean,
  last_score numeric,
  last_id    uuid,
  wanted     integer
)
  RETURNS TABLE (
    id    uuid,
    score numeric
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  -- As variables, which cost less than fields in a row by row comparison.
  key constant text := (search_ranked.plan).title_key;
  likes constant tsquery := (search_ranked.plan).likes;
  titled constant tsquery := (search_ranked.plan).titled;
  titled_exactly constant tsquery := (search_ranked.plan).titled_exactly;
  parts constant tsquery[] := case when search_ranked.by_words then (search_ranked.plan).parts else '{}' end;
  least_held constant integer := case when search_ranked.by_words then least(2, (cardinality(parts) + 1) / 2) else 0 end;
begin
  return query
  select s.asset_id, s.score
  from (
    -- Title before tags before description; the words in their order before the same words apart; short titles before long
    -- ones; and among equals the popular.
    select d.asset_id,
      round((
        20.0 * h.held / greatest(1, cardinality(parts))
        + 3 * ts_rank('{0, 0.15, 0.5, 1}', d.document, likes)
        + case when not d.document @@ titled then 0 when d.document @@ titled_exactly then 6 else 4 end
        + case
          when strpos(d.title_key, key) = 0 then 0
          when strpos(' ' || d.title_key || ' ', ' ' || key || ' ') = 1 then 3
          when strpos(d.title_key, key) = 1 then 2
          when strpos(' ' || d.title_key || ' ', ' ' || key || ' ') > 0 then 1.5
          when true then 1
        end
        - 0.02 * least(char_length(d.title_key) + 2, 60)
        + 0.06 * d.popularity
      )::numeric, 5) as score
    from private.hub_documents d
    cross join lateral (select count(*) filter (where d.document @@ part) as held from unnest(parts) part) h
    where d.asset_id = any (search_ranked.ids) and d.title_key <> key and h.held >= least_held
  ) s
  where search_ranked.last_id is null or (s.score, s.asset_id) < (search_ranked.last_score, search_ranked.last_id)
  order by s.score desc, s.asset_id desc
  limit search_ranked.wanted;
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
  IMMUTABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
begin
  -- Sizes first: normalising takes the square of a long run of combining marks.
  perform private.refuse_faults(
    case
      when octet_length(search_request.q) > 2000 then private.fault('q', 'too_big', 'must be at most 500 characters')
      else '[]'
    end
    || case
      when pg_catalog.cardinality(search_request.tags) > 20 or octet_length(array_to_string(search_request.tags, '')) > 6000
      then private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')
      else '[]'
    end
    || case
      when octet_length(search_request.model) > 300 then private.fault('model', 'invalid_format', 'must be the tag of a model')
      else '[]'
    end
  );
  -- A blank behind a word says that it is finished.
  if search_request.q ~ '[^\s\u3000]' then
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  if pg_catalog.cardinality(search_request.types) > 0 then
    request.types := search_request.types;
  end if;
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  request.page_size := coalesce(search_request.page_size, 24);
  if search_request.tags is not null or search_request.model is not null or search_request.cardinality is not null then
    request.tags := private.normalize_tags(search_request.tags || search_request.model || search_request.cardinality);
  end if;
  -- guard: search: filters are judged
  perform private.refuse_faults(private.search_faults(
    request.q, request.types, case when search_request.tags is not null then private.normalize_tags(search_request.tags) end,
    case when search_request.model is not null then (private.normalize_tags(array[search_request.model]))[1] end,
    lower(ltrim(search_request.cardinality, '#')), request.license, request.creator, request.sort, request.page_size
  ));
  -- end
  -- Of those who left out a model or a cardinality there are nulls.
  request.tags := array_remove(array_remove(request.tags, null), '');
  if pg_catalog.cardinality(request.tags) = 0 then
    request.tags := null;
  end if;
  -- guard: search: a cursor belongs to its query
  -- without: request.list := to_jsonb('search'::text);
  request.list := to_jsonb('search ' || md5(jsonb_build_array(
    request.q, request.types, request.tags, request.license, request.creator, request.sort
  )::text));
  -- end
  if search_request.cursor is not null then
    if octet_length(search_request.cursor) > 2000 then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
    request.place := private.from_cursor(search_request.cursor, request.list);
    -- guard: search: a cursor is what was given here
    -- without: if false then
    if not private.is_search_place(request.place, request.sort) then
    -- end
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_rest (
  query           tsquery,
  title_key       text,
  last_popularity smallint,
  last_id         uuid,
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
      limit 20000
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
  -- Not enough in a long stretch: they are few, and the index has them.
  return query
  select d.asset_id, d.popularity
  from private.hub_documents d
  where d.document @@ search_rest.query
    and d.title_key <> search_rest.title_key
    and (d.popularity, d.asset_id) < (coalesce(search_rest.popularity, search_rest.last_popularity), coalesce(search_rest.id, search_rest.last_id))
  order by d.popularity desc, d.asset_id desc
  limit search_rest.wanted - given;
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
    select array_agg(w.asset_id) filter (where w.matches), count(*),
      (array_agg(w.popularity order by w.popularity, w.asset_id))[1], (array_agg(w.asset_id order by w.popularity, w.asset_id))[1]
    into more, step_seen, last_popularity, last_id
    from (
      select d.asset_id, d.popularity, d.document @@ search_set.query as matches
      from private.hub_documents d
      where (d.popularity, d.asset_id) < (last_popularity, last_id)
      order by d.popularity desc, d.asset_id desc
      limit walked
    ) w;
    result.ids := result.ids || coalesce(more, '{}');
    if step_seen < walked then
      -- These are all there are.
      return (result.ids, null, null)::private.search_set;
    end if;
    exit when cardinality(result.ids) >= 150 or walked = 2000;
    seen := seen + walked;
    if cardinality(result.ids) <= seen / 100 - 3 then
      rarest := cardinality(result.ids);
      if cardinality(search_set.parts) > 1 then
        select min(p.holding) into rarest
        from (
          select count(*) filter (where d.document @@ part) as holding
          from unnest(search_set.parts) part
          cross join lateral (
            select d.document from private.hub_documents d order by d.popularity desc, d.asset_id desc limit seen
          ) d
          group by part
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

  loose := private.quote_lexeme(plain);
  if search_term.is_last or char_length(plain) >= 4 then
    loose := loose || ':*';
  end if;
  if char_length(plain) >= 4 then
    loose := loose || ' | ' || private.quote_lexeme('~' || plain) || ':*';
    variant := private.stem(plain);
    if variant <> plain then
      loose := loose || ' | ' || private.quote_lexeme(variant) || case when char_length(variant) >= 6 then ':*' else '' end;
    end if;
  end if;
  foreach variant in array private.meant_words(plain) loop
    loose := loose || ' | ' || private.quote_lexeme(variant);
  end loop;
  return (private.quote_lexeme(plain), loose, true)::private.search_term;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_words (
  folded text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.signs_as_letters (
  word text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- cpp, csharp, dotnet.
  return regexp_replace(
    replace(replace(regexp_replace(signs_as_letters.word, '^[.]', 'dot'), '+', 'p'), '#', 'sharp'), '[._''-]', '', 'g'
  );
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
  beginning constant text := left(slips.word, 7);
  rest text;
  found text[] := array[beginning];
begin
  -- One letter taken out, of words of eight and more two; the first seven letters tell enough.
  for i in 1..char_length(beginning) loop
    rest := overlay(beginning placing '' from i for 1);
    found := found || rest;
    if char_length(slips.word) >= 8 then
      for j in i..char_length(rest) loop
        found := found || overlay(rest placing '' from j for 1);
      end loop;
    end if;
  end loop;
  return array(select distinct unnest(found));
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot (
  name text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select s.value
  from private.hub_snapshots s
  -- guard: search: an old snapshot is none
  -- without: where s.name = snapshot.name;
  where s.name = snapshot.name and s.made_at > now() - interval '30 minutes';
  -- end
$function$;

CREATE OR REPLACE FUNCTION private.sort_column (
  sort text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case sort_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.stem (
  word text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
  return left(stem.word, greatest(3, char_length(regexp_replace(rest, '(.)\1$', '\1'))));
end;
$function$;

CREATE OR REPLACE FUNCTION private.suggested_tags()
  RETURNS TABLE (
    tag   text,
    kind  text,
    place integer
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select t.tag, k.kind, (k.place * 100 + t.place)::integer
  from (
    values
      (1, 'use-case', '{education,marketing,data-extraction,summarization,code-generation,content-creation,qa,translation,classification}'::text[]),
      (2, 'domain', '{healthcare,legal,ecommerce,research}')
  ) k (place, kind, tags)
  cross join lateral unnest(k.tags) with ordinality t (tag, place);
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
  return btrim(regexp_replace(private.fold(title_key.title), '[\s!-"$-*,/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u3004\u3008-\u3020]+', ' ', 'g'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.trending (
  wanted integer
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ids constant jsonb := coalesce(private.snapshot('trending'), private.count_trending());
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A snapshot may be older than what hid it.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.umlauts_as_letters (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Müller is also Mueller. Null for what has none.
  if umlauts_as_letters.value !~ '[äöüÄÖÜ]' then
    return null;
  end if;
  return replace(replace(replace(lower(umlauts_as_letters.value collate pg_catalog.pg_c_utf8), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue');
end;
$function$;

CREATE OR REPLACE FUNCTION private.unfeature_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  delete from public.hub_featured f where f.asset_id = unfeature_asset.asset_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.word_kind (
  word text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.word_parts (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if word_parts.word ~ '^[.]|[+#]' then
    return array[private.signs_as_letters(word_parts.word)];
  end if;
  return array_remove(regexp_split_to_array(word_parts.word, '[._''-]+'), '') || private.signs_as_letters(word_parts.word);
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('items', private.categories());
$function$;

CREATE OR REPLACE FUNCTION public.hub_creator (
  username text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  profile record;
begin
  select p.user_id, p.username, p.display_name, p.avatar_url, p.created_at into profile
  from public.hub_profiles p
  where lower(p.username) = lower(hub_creator.username)
    -- What the index is over.
    and private.username_key(p.username) = private.username_key(hub_creator.username)
    -- guard: search: a banned creator has no page
    -- without: ;
    and not private.is_banned(p.user_id);
    -- end
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  return jsonb_build_object(
    'username', profile.username,
    'display_name', profile.display_name,
    'avatar_url', profile.avatar_url,
    'member_since', profile.created_at
  ) || private.creator_totals(profile.user_id) || public.hub_search(creator => profile.username);
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_feature_asset (
  asset_id   uuid,
  "position" integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.feature_asset(hub_feature_asset.asset_id, hub_feature_asset.position);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_featured_assets()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('items', private.asset_cards(array(
    select f.asset_id from public.hub_featured f order by f.position, f.created_at, f.asset_id limit 100
  )));
$function$;

CREATE OR REPLACE FUNCTION public.hub_refresh_discovery()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.hub_snapshots (name, value, made_at)
  values
    ('trending', private.count_trending(), clock_timestamp()),
    ('categories', private.count_categories(), clock_timestamp())
  on conflict (name) do update set value = excluded.value, made_at = excluded.made_at;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_refresh_discovery"() FROM PUBLIC, "anon", "authenticated", "service_role";

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
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  request constant private.search_request := private.search_request(
    hub_search.q, hub_search.types, hub_search.tags, hub_search.model, hub_search.cardinality, hub_search.license,
    hub_search.creator, hub_search.sort, hub_search.cursor, hub_search.page_size
  );
  ids uuid[];
  places jsonb[];
begin
  select array_agg(p.asset_id), array_agg(p.at)
  into ids, places
  from private.search_page(request, request.place, request.page_size + 1) p;
  return jsonb_build_object(
    'items', private.asset_cards(ids[:request.page_size]),
    'next_cursor', case
      when pg_catalog.cardinality(ids) > request.page_size
      then private.to_cursor(jsonb_build_object('list', request.list) || places[request.page_size])
    end
  ) || case
    when hub_search.facets then jsonb_build_object('facets', private.search_facets(request))
    else '{}'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_trending (
  page_size integer DEFAULT 20
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.judge_page_size(hub_trending.page_size);
  return jsonb_build_object('items', private.asset_cards(private.trending(coalesce(hub_trending.page_size, 20))));
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_unfeature_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unfeature_asset(hub_unfeature_asset.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unfeature_asset"(uuid) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."hub_documents"
  ADD CONSTRAINT "hub_documents_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

CREATE VIEW "public"."hub_listings" WITH (security_invoker=true) AS  SELECT a.id,
    a.slug,
    a.asset_type,
    a.title,
    a.description,
    a.tags,
    a.thumbnail_url,
    a.license,
        CASE
            WHEN (p.user_id IS NOT NULL) THEN jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url)
            ELSE NULL::jsonb
        END AS creator,
    a.install_count,
    a.star_count,
    a.published_at,
    a.content_updated_at,
    a.remix_depth,
    a.current_version AS version
   FROM (public.hub_assets a
     LEFT JOIN public.hub_profiles p ON ((p.user_id = a.creator_id)))
  WHERE a.is_visible;

CREATE INDEX hub_documents_document_idx ON private.hub_documents USING gin (document);

CREATE INDEX hub_documents_popularity_idx ON private.hub_documents USING btree (popularity DESC, asset_id DESC);

CREATE INDEX hub_documents_title_key_idx ON private.hub_documents USING btree (title_key, popularity DESC, asset_id DESC);

CREATE INDEX hub_words_slips_idx ON private.hub_words USING gin (slips);

CREATE INDEX hub_words_word_idx ON private.hub_words USING btree (word);

CREATE INDEX hub_assets_creator_newest_idx ON public.hub_assets USING btree (creator_id, published_at DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_most_installed_idx ON public.hub_assets USING btree (install_count DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_most_starred_idx ON public.hub_assets USING btree (star_count DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_recently_updated_idx ON public.hub_assets USING btree (content_updated_at DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_imports_created_at_idx ON public.hub_imports USING btree (created_at);

CREATE INDEX hub_stars_starred_at_idx ON public.hub_stars USING btree (starred_at);

CREATE TRIGGER hub_assets_82_index_insert
  AFTER INSERT ON public.hub_assets
  FOR EACH ROW
  WHEN (new.is_visible)
  EXECUTE FUNCTION private.hub_assets_index();

CREATE TRIGGER hub_assets_83_index_update
  AFTER UPDATE ON public.hub_assets
  FOR EACH ROW
  WHEN ((old.is_visible OR new.is_visible))
  EXECUTE FUNCTION private.hub_assets_index();

CREATE POLICY "hub_documents_service_select" ON "private"."hub_documents"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_snapshots_service_select" ON "private"."hub_snapshots"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_words_service_select" ON "private"."hub_words"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "private"."hub_documents"."document" IS 'Words of title (A), tags (B) and description (C); =type:, =license:, =creator: and =tag: for filters.';

COMMENT ON COLUMN "private"."hub_documents"."popularity" IS 'The power of two of its stars and installs: it moves seldom, and so does the row.';

COMMENT ON COLUMN "private"."hub_documents"."title_key" IS 'The title, folded: what is exactly this is found first.';

COMMENT ON FUNCTION "private"."add_words"(public.hub_assets) IS 'Remembers the words of a listing that were not known yet.';

COMMENT ON FUNCTION "private"."asset_cards"(uuid[]) IS 'The cards of visible listings in the order of their ids.';

COMMENT ON FUNCTION "private"."categories"() IS 'The work of hub_categories.';

COMMENT ON FUNCTION "private"."count_categories"() IS 'How many visible listings have each of the suggested tags.';

COMMENT ON FUNCTION "private"."count_trending"() IS 'The ids of what trends, best first.';

COMMENT ON FUNCTION "private"."creator_totals"(uuid) IS 'What a creator has published, and how often it was installed and starred.';

COMMENT ON FUNCTION "private"."creators"(uuid[]) IS 'Creators as cards name them, by their ids; without those who are gone or banned.';

COMMENT ON FUNCTION "private"."distance"(text, text, integer) IS 'How many letters were left out, added, exchanged or swapped between two words; null for more than so many.';

COMMENT ON FUNCTION "private"."document"(public.hub_assets) IS 'The words and filters by which a listing is found.';

COMMENT ON FUNCTION "private"."feature_asset"(uuid, integer) IS 'The work of hub_feature_asset.';

COMMENT ON FUNCTION "private"."fold"(text) IS 'A text without case, accents and width.';

COMMENT ON FUNCTION "private"."hub_assets_index"() IS 'Search sees a listing from the moment it is visible, as it is, and no longer.';

COMMENT ON FUNCTION "private"."in_title"(text) IS 'The text of a tsquery of which everything has to stand in the title.';

COMMENT ON FUNCTION "private"."index_asset"(public.hub_assets) IS 'Brings the document of a listing in step with it.';

COMMENT ON FUNCTION "private"."is_search_place"(jsonb, text) IS 'Whether a cursor holds a place in a list of this sort.';

COMMENT ON FUNCTION "private"."judge_page_size"(integer) IS 'Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."lexemes"(text, text, integer) IS 'What a text is found by, as the text of a tsvector: words, their stems, pairs of characters, and behind ~ the endings of words of so many letters.';

COMMENT ON FUNCTION "private"."meant_words"(text) IS 'Words of listings that a word which none of them holds may have been meant for.';

COMMENT ON FUNCTION "private"."pairs"(text) IS 'Each two neighbours of a run of characters.';

COMMENT ON FUNCTION "private"."plain_words"(text) IS 'The words of a text that somebody may mistype: those of letters.';

COMMENT ON FUNCTION "private"."popularity"(integer, integer) IS 'The power of two of stars and installs, of which an install counts twice.';

COMMENT ON FUNCTION "private"."quote_lexeme"(text) IS 'A lexeme as it stands in the text of a tsvector or tsquery. None holds a quote or a backslash.';

COMMENT ON FUNCTION "private"."search_any"(private.search_plan, tsquery) IS 'Listings that hold at least one word of the query; of common words the popular ones.';

COMMENT ON FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer) IS 'Visible listings in the order of a column, each with its place in the list.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Visible listings by how well they match, each with its place in the list.';

COMMENT ON FUNCTION "private"."search_facets"(private.search_request) IS 'How many listings of a result are of which type and license, and its most used tags and models.';

COMMENT ON FUNCTION "private"."search_faults"(text, text[], text[], text, text, text, text, text, integer) IS 'What is wrong with a search, all at once.';

COMMENT ON FUNCTION "private"."search_few"(text, text, tsquery, jsonb, integer) IS 'Listings in the order of a column, where few match.';

COMMENT ON FUNCTION "private"."search_filters"(text[], text, uuid, text[]) IS 'Filters as a question to the index of documents; null without any. Types, license and tags have been judged before.';

COMMENT ON FUNCTION "private"."search_index"(tsquery, integer) IS 'The most popular matches; without a floor these are all.';

COMMENT ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) IS 'The visible listings of one page and one more, each with its place in the list.';

COMMENT ON FUNCTION "private"."search_plan"(text) IS 'What somebody typed as questions to the index; matches is null when there is no word in it.';

COMMENT ON FUNCTION "private"."search_ranked"(uuid[], private.search_plan, boolean, numeric, uuid, integer) IS 'Some listings by how well they are what was asked for, or, by words, by how many of the words they hold first.';

COMMENT ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer) IS 'A search that has been judged. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';

COMMENT ON FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer) IS 'Matches below a place in the order of popularity, in that order.';

COMMENT ON FUNCTION "private"."search_set"(tsquery, tsquery[], smallint, uuid, boolean) IS 'The matches that are worth ranking, and the place in the order of popularity below which the others are; without a floor these are all.';

COMMENT ON FUNCTION "private"."search_term"(text, boolean) IS 'A word of a query: as it stands, and with its beginnings, endings, forms and what it may be a slip for.';

COMMENT ON FUNCTION "private"."search_words"(text) IS 'The words of a folded text in their order; what is written without spaces is one of them.';

COMMENT ON FUNCTION "private"."signs_as_letters"(text) IS 'A word with signs as it is written without them.';

COMMENT ON FUNCTION "private"."slips"(text) IS 'What is left of the beginning of a word when one letter is taken out, or two of a long word.';

COMMENT ON FUNCTION "private"."snapshot"(text) IS 'A snapshot of the last half hour; null without one.';

COMMENT ON FUNCTION "private"."sort_column"(text) IS 'The column that a sort goes by.';

COMMENT ON FUNCTION "private"."stem"(text) IS 'What forms of one word have in common, roughly. A match by it counts less than one of the word.';

COMMENT ON FUNCTION "private"."suggested_tags"() IS 'The tags that the hub is browsed by: use cases and domains.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'What two titles that read alike have in common; also the form in which a query is compared with titles.';

COMMENT ON FUNCTION "private"."trending"(integer) IS 'The ids of the visible listings that trend, best first.';

COMMENT ON FUNCTION "private"."umlauts_as_letters"(text) IS 'A text with ae, oe, ue for umlauts; null for one without.';

COMMENT ON FUNCTION "private"."unfeature_asset"(uuid) IS 'The work of hub_unfeature_asset.';

COMMENT ON FUNCTION "private"."word_kind"(text) IS 'Whether a word is of letters (word), with signs (signs), of Hangul (hangul), or of a script without spaces (run).';

COMMENT ON FUNCTION "private"."word_parts"(text) IS 'A word with signs as words of letters: its parts, and all of them as one.';

COMMENT ON FUNCTION "public"."hub_categories"() IS 'The suggested use-case and domain tags with the number of listings that have them: {items: [{tag, kind, count}]}.';

COMMENT ON FUNCTION "public"."hub_creator"(text) IS 'A creator''s page: profile, totals, and the first page of their listings as hub_search(creator => …) goes on with. Raises PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: takes a visible listing into the curated collection, at the end or at a position, or moves it there. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_featured_assets"() IS 'The curated collection in its order: {items}.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: works out trending and the counts of categories for the next half hour.';

COMMENT ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) IS 'Visible listings by words and filters: {items, next_cursor, facets?}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_trending"(integer) IS 'What was installed, starred and remixed most in the last seven days: {items}. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_unfeature_asset"(uuid) IS 'For admins: takes a listing out of the curated collection; one that is not in it is no fault. Raises 42501.';

COMMENT ON TABLE "private"."hub_documents" IS 'What search finds a visible listing by. Kept by trigger.';

COMMENT ON TABLE "private"."hub_snapshots" IS 'What trending and the counts of categories were at a moment. Written by hub_refresh_discovery.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of listings, to find what somebody meant who mistyped. Words are added and never taken away.';

COMMENT ON VIEW "public"."hub_listings" IS 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';

REVOKE ALL ON FUNCTION "private"."add_words"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."asset_cards"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_cards"(uuid[]) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."categories"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."categories"() TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."count_categories"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_trending"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."creator_totals"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creator_totals"(uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creators"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creators"(uuid[]) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."distance"(text, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."document"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."feature_asset"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."feature_asset"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."fold"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_index"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."in_title"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."index_asset"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_banned"(uuid) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."is_banned"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_search_place"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_page_size"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."judge_page_size"(integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."lexemes"(text, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."meant_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pairs"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plain_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."popularity"(integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."quote_lexeme"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_any"(private.search_plan, tsquery) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_column"(text, tsquery, text[], text, uuid, text[], jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_facets"(private.search_request) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_facets"(private.search_request) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."search_faults"(text, text[], text[], text, text, text, text, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_few"(text, text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_filters"(text[], text, uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_index"(tsquery, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."search_plan"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_ranked"(uuid[], private.search_plan, boolean, numeric, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."search_rest"(tsquery, text, smallint, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_set"(tsquery, tsquery[], smallint, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_term"(text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."signs_as_letters"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."slips"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sort_column"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."stem"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suggested_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."title_key"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."to_cursor"(jsonb) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."to_cursor"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."trending"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."trending"(integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."umlauts_as_letters"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unfeature_asset"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unfeature_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."username_key"(text) FROM "anon";

GRANT EXECUTE ON FUNCTION "private"."username_key"(text) TO "anon";

REVOKE ALL ON FUNCTION "private"."word_kind"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."word_parts"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "public"."hub_categories"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_categories"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_refresh_discovery"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_refresh_discovery"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_unfeature_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unfeature_asset"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unfeature_asset"(uuid) TO "postgres";

GRANT SELECT ON TABLE "private"."hub_documents" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_snapshots" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_words" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_listings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_listings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_listings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_listings" TO "service_role";
