-- Relevance with bounded work. What is ranked is a set that is small however common a word is: all matches where there are
-- few, else those among the most popular listings. Four lists come one after the other, each in an order of its own that a
-- cursor can go on in:
--   exact   the title is what was typed;
--   ranked  matches at or above the floor, by how well they match;
--   rest    matches below the floor, by popularity;
--   any     where fewer than ten match, what holds two of the words, or one of two.
-- The floor is a place in the order of popularity; it is found once and stands in the cursor, so that no listing changes
-- lists while somebody turns pages, unless its own popularity changes.
create type private.search_set as (ids uuid[], floor_popularity smallint, floor_id uuid);

create function private.search_set(query tsquery, floor_popularity smallint, floor_id uuid, has_floor boolean)
returns private.search_set
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- How many of the most popular are looked at one by one; and how many matches among them are enough to rank.
  walked constant integer := 1000;
  enough constant integer := 200;
  seen integer;
  result private.search_set;
begin
  if search_set.has_floor then
    result.floor_popularity := search_set.floor_popularity;
    result.floor_id := search_set.floor_id;
    if result.floor_id is null and coalesce(result.floor_popularity, 0) = 0 then
      result.ids := array(select d.asset_id from private.hub_documents d where d.document @@ search_set.query);
    elsif result.floor_id is null then
      result.ids := array(
        select d.asset_id from private.hub_documents d
        where d.document @@ (search_set.query && ('^' || result.floor_popularity)::tsquery)
      );
    else
      result.ids := array(
        select d.asset_id from private.hub_documents d
        where (d.popularity, d.asset_id) >= (result.floor_popularity, result.floor_id) and d.document @@ search_set.query
        limit 5000
      );
    end if;
    return result;
  end if;

  select array_agg(w.asset_id) filter (where w.matches), count(*), min(w.popularity)
  into result.ids, seen, result.floor_popularity
  from (
    select d.asset_id, d.popularity, d.document @@ search_set.query as matches
    from private.hub_documents d
    order by d.popularity desc, d.asset_id desc
    limit walked
  ) w;
  result.ids := coalesce(result.ids, '{}');
  if seen < walked then
    result.floor_popularity := null;
    return result;
  end if;
  if cardinality(result.ids) >= enough then
    select d.asset_id into result.floor_id
    from private.hub_documents d order by d.popularity desc, d.asset_id desc offset walked - 1 limit 1;
    return result;
  end if;
  if cardinality(result.ids) <= 2 then
    result.floor_popularity := null;
  else
    -- A step less popular, twice as many listings, roughly: so many steps until some hundreds match.
    result.floor_popularity := result.floor_popularity - ceil(log(2, 2.0 * enough / cardinality(result.ids)))::integer;
    if result.floor_popularity <= 0 then
      result.floor_popularity := null;
    end if;
  end if;
  return private.search_set(search_set.query, result.floor_popularity, null, true);
end;
$$;
comment on function private.search_set is 'The matches that are worth ranking, and the place in the order of popularity below which the others are; without a floor these are all.';
revoke execute on function private.search_set from public, anon, authenticated, service_role;

create function private.search_score(document private.hub_documents, plan private.search_plan)
returns numeric
language plpgsql
immutable
set search_path = ''
as $$
declare
  title constant text := ' ' || (search_score.document).title_key || ' ';
  score float8;
begin
  -- Title before tags before description; the words in their order before the same words apart; short titles before long ones;
  -- and among equals the popular.
  score := 3 * ts_rank('{0, 0.15, 0.5, 1}', (search_score.document).document, (search_score.plan).likes)
    + case
      when (search_score.document).document @@ (search_score.plan).titled_exactly then 6
      when (search_score.document).document @@ (search_score.plan).titled then 4
      else 0
    end
    + case
      when strpos(title, ' ' || (search_score.plan).title_key || ' ') = 1 then 3
      when strpos(title, ' ' || (search_score.plan).title_key) = 1 then 2
      when strpos(title, ' ' || (search_score.plan).title_key || ' ') > 0 then 1.5
      when strpos(title, (search_score.plan).title_key) > 0 then 1
      else 0
    end
    - 0.02 * least(char_length(title), 60)
    + 0.06 * (search_score.document).popularity;
  return round(score::numeric, 5);
end;
$$;
comment on function private.search_score is 'How well a match is what was asked for.';
revoke execute on function private.search_score from public, anon, authenticated, service_role;

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
    found := private.search_set(coalesce(search_any.filters && part, part), null, null, false);
    ids := ids || found.ids[1:500];
  end loop;
  return array(select distinct unnest(ids));
end;
$$;
comment on function private.search_any is 'Listings that hold at least one word of the query; of common words the popular ones.';
revoke execute on function private.search_any from public, anon, authenticated, service_role;

create function private.search_rest(query tsquery, title_key text, last_popularity smallint, last_id uuid, wanted integer)
returns table (id uuid, popularity smallint)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.search_rest is 'Matches below a place in the order of popularity, in that order.';
revoke execute on function private.search_rest from public, anon, authenticated, service_role;

create function private.search_by_relevance(q text, filters tsquery, place jsonb, wanted integer)
returns table (asset_id uuid, at jsonb)
language plpgsql
stable
security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  list text := coalesce(search_by_relevance.place ->> 'in', 'exact');
  last_score numeric := (search_by_relevance.place ->> 'score')::numeric;
  last_id uuid := (search_by_relevance.place ->> 'id')::uuid;
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  found private.search_set;
  candidates uuid[];
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
    query, (search_by_relevance.place ->> 'floor')::smallint, (search_by_relevance.place ->> 'above')::uuid,
    list <> 'exact'
  );
  here := jsonb_build_object('floor', found.floor_popularity, 'above', found.floor_id);
  if list in ('exact', 'ranked') then
    for row in
      select s.id, s.score
      from (
        select d.asset_id as id, private.search_score(d, plan) as score
        from private.hub_documents d
        where d.asset_id = any (found.ids) and d.title_key <> plan.title_key
      ) s
      where last_id is null or (s.score, s.id) < (last_score, last_id)
      order by s.score desc, s.id desc
      limit search_by_relevance.wanted - given
    loop
      asset_id := row.id;
      at := here || jsonb_build_object('in', 'ranked', 'score', row.score, 'id', row.id);
      given := given + 1;
      return next;
    end loop;
    last_id := null;
    last_score := null;
  end if;

  if given < search_by_relevance.wanted and list <> 'any' and (found.floor_id is not null or found.floor_popularity is not null) then
    for row in
      select r.id, r.popularity
      from private.search_rest(
        query, plan.title_key, coalesce(last_score::smallint, found.floor_popularity),
        coalesce(last_id, found.floor_id, '00000000-0000-0000-0000-000000000000'),
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
    candidates := private.search_any(plan, search_by_relevance.filters);
    for row in
      select s.id, s.score
      from (
        select d.asset_id as id,
          round(20.0 * p.held / cardinality(plan.parts), 5) + private.search_score(d, plan) as score
        from private.hub_documents d
        cross join lateral (select count(*) filter (where d.document @@ part) as held from unnest(plan.parts) part) p
        where d.asset_id = any (candidates)
          and d.asset_id <> all (found.ids)
          and d.title_key <> plan.title_key
          and p.held >= least(2, (cardinality(plan.parts) + 1) / 2)
      ) s
      where last_id is null or (s.score, s.id) < (last_score, last_id)
      order by s.score desc, s.id desc
      limit search_by_relevance.wanted - given
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
