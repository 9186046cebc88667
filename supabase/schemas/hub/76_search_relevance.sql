-- Searches by relevance with bounded work. The result has two parts: a ranked list, then the other matches. The ranked list is short
-- however common a word is. If there are few matches, it has all of them; otherwise it has only the popular ones, down to a floor. The
-- floor is a place in the order of popularity: {walk, popularity, id}, where walk says whether the listings were read in that order or
-- found in an index. The floor is found once and kept in the cursor. So no listing moves between the two parts while a user turns pages,
-- unless its own popularity changes.
create function private.search_candidates(query tsquery, above jsonb, out ids uuid[], out floor jsonb)
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off
-- Reads the order of popularity from its index.
set enable_sort = off set jit = off
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  least_popularity constant smallint := coalesce((search_candidates.above ->> 'popularity')::smallint, -1);
  least_id constant uuid := coalesce((search_candidates.above ->> 'id')::uuid, nobody);
  has_floor constant boolean := coalesce(jsonb_typeof(search_candidates.above) = 'object', false);
  -- How many listings are read in the order of popularity: on the first page until enough matches are found, on later pages down
  -- to the floor that the first page has found.
  walks constant integer[] := case
    when search_candidates.above is null then '{300,1000,3000}' when (search_candidates.above ->> 'walk')::boolean then '{4000}' else '{}'
  end;
  found integer;
  stretch integer;
  popular_alone boolean;
begin
  -- When the word is common, the most popular listings contain enough matches.
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
      -- All listings have been read, so there is no floor.
      floor := null;
      return;
    elsif found >= 60 or (stretch = 3000 and found >= 25) then
      return;
    end if;
    exit when found < stretch / 100;
  end loop;
  -- When the word is rarer, the index of popular listings is searched, then the index of all listings. A later page uses the index
  -- in which the first page found its floor.
  foreach popular_alone in array case
    when search_candidates.above is null then '{true,false}' when has_floor then array[least_popularity >= 4] else '{false}'
  end::boolean[] loop
    stretch := case when popular_alone then 1000 else 5000 end;
    -- OFFSET keeps the planner from using the index of popularity.
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
$$;
comment on function private.search_candidates is 'Returns the matches that are worth ranking: all, or the popular ones down to a floor. above is null on the first page, later the floor of the first page, or a JSON null when the first page had no floor.';
revoke execute on function private.search_candidates from public, anon, authenticated, service_role;

create function private.search_by_relevance(q text, filters tsquery, place jsonb, wanted integer)
returns table (id uuid, at jsonb)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off set jit = off
as $$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  -- Copied to variables, which cost less than the fields of a row when many rows are compared.
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
    -- When fewer than ten listings have all words, also takes listings that have some of the words.
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
        -- The parts of the score, from the greatest weight to the least: the exact title; how many of the words; words in the title
        -- before words in tags before words in the description; the words in their sequence; short titles; popular listings.
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
  -- Reads the other matches in the order of popularity. For common words, it first walks through the next 20,000 listings in that
  -- order; the index of words finds what is still missing.
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
$$;
comment on function private.search_by_relevance is 'Returns visible listings by how well they match: the matches worth ranking by score, then the other matches by popularity. Of the wanted rows, only the last but one has its place in `at`: it is the last row of the page, after which the next page begins.';
revoke execute on function private.search_by_relevance from public, anon, authenticated, service_role;
