-- Relevance with bounded work. What is ranked is a set that is small however common a word is: all matches where there are
-- few, else the most popular of them. Four lists come one after the other, each in an order of its own that a cursor can go
-- on in:
--   exact   the title is what was typed;
--   ranked  matches at or above the floor, by how well they match;
--   rest    matches below the floor, by popularity;
--   any     where fewer than ten match, what holds two of the words, or one of two.
-- The floor is a place in the order of popularity. It is found once and stands in the cursor, so that no listing changes
-- lists while somebody turns pages, unless its own popularity changes.
create type private.search_set as (ids uuid[], floor_popularity smallint, floor_id uuid);

create function private.search_index(query tsquery, most integer)
returns private.search_set
language plpgsql
stable
security definer
set search_path = ''
-- The index of words, whatever the planner thinks of how many there are.
set enable_seqscan = off
set enable_indexscan = off
set enable_bitmapscan = on
set jit = off
as $$
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
$$;
comment on function private.search_index is 'The most popular matches; without a floor these are all.';
revoke execute on function private.search_index from public, anon, authenticated, service_role;

create function private.search_set(query tsquery, parts tsquery[], floor_popularity smallint, floor_id uuid, is_first boolean)
returns private.search_set
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
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
$$;
comment on function private.search_set is 'The matches that are worth ranking, and the place in the order of popularity below which the others are; without a floor these are all.';
revoke execute on function private.search_set from public, anon, authenticated, service_role;

create function private.search_ranked(
  ids uuid[], plan private.search_plan, by_words boolean, last_score numeric, last_id uuid, wanted integer
)
returns table (id uuid, score numeric)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
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
$$;
comment on function private.search_ranked is 'Some listings by how well they are what was asked for, or, by words, by how many of the words they hold first.';
revoke execute on function private.search_ranked from public, anon, authenticated, service_role;

create function private.search_any(plan private.search_plan, filters tsquery)
returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.search_any is 'Listings that hold at least one word of the query; of common words the popular ones.';
revoke execute on function private.search_any from public, anon, authenticated, service_role;

create function private.search_rest(
  query tsquery, title_key text, last_popularity smallint, last_id uuid, stretch integer, wanted integer
)
returns table (id uuid, popularity smallint)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_sort = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.search_rest is 'Matches below a place in the order of popularity, in that order: those of the next stretch, and then by the index of words.';
revoke execute on function private.search_rest from public, anon, authenticated, service_role;

create function private.search_by_relevance(q text, filters tsquery, place jsonb, wanted integer)
returns table (asset_id uuid, at jsonb)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
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
$$;
comment on function private.search_by_relevance is 'Visible listings by how well they match, each with its place in the list.';
revoke execute on function private.search_by_relevance from public, anon, authenticated, service_role;
