-- Finds creators, and reads what the creators whom a user follows have published.
create function private.creators_page(q text, sort text, place jsonb, wanted integer)
returns table (user_id uuid, key text)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  column_name constant text := case creators_page.sort
    when 'most_installed' then 'total_installs' when 'most_starred' then 'total_stars' when 'newest' then 'listed_at'
  end;
begin
  return query execute format(
    'select t.user_id, t.%1$I::text
    from private.hub_creators t
    where t.published_assets > 0
      and ($1 is null or t.names like $1)
      and ($2 is null or (t.%1$I, t.user_id) < ($2::%2$s, $3::uuid))
    order by t.%1$I desc, t.user_id desc
    limit $4',
    column_name, case column_name when 'listed_at' then 'timestamptz' else 'bigint' end
  )
  using '%' || private.name_key(creators_page.q) || '%', creators_page.place ->> 'key', creators_page.place ->> 'id', creators_page.wanted;
end;
$$;
comment on function private.creators_page is 'Returns the next `wanted` creators with visible listings, one more than a page shows, whose user name or display name contains q. The names are compared by their keys.';
revoke execute on function private.creators_page from public, anon, authenticated, service_role;

create function private.creator_cards(user_ids uuid[])
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'username', p.username,
    'display_name', p.display_name,
    'avatar_url', p.avatar_url,
    'verified', p.verified_at is not null,
    'member_since', p.created_at,
    'published_assets', t.published_assets,
    'total_installs', t.total_installs,
    'total_stars', t.total_stars
  ) order by u.place), '[]')
  from unnest(creator_cards.user_ids) with ordinality u (user_id, place)
  join public.hub_profiles p on p.user_id = u.user_id
  join private.hub_creators t on t.user_id = u.user_id;
$$;
comment on function private.creator_cards is 'Returns creators as the directory shows them, in the given order.';
revoke execute on function private.creator_cards from public, anon, authenticated, service_role;

create function private.directory(q text, sort text, cursor text, page_size integer)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  wanted constant text := nullif(btrim(directory.q), '');
  ordered constant text := coalesce(directory.sort, 'most_installed');
  list constant jsonb := to_jsonb('creators ' || md5(jsonb_build_array(wanted, ordered)::text));
  place jsonb;
  ids uuid[];
  keys text[];
  faults jsonb := '[]';
begin
  if octet_length(directory.q) > 400 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 100 characters');
  end if;
  if ordered not in ('most_installed', 'most_starred', 'newest') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of most_installed, most_starred, newest');
  end if;
  perform private.refuse_faults(faults);
  perform private.judge_page_size(directory.page_size);
  if directory.cursor is not null then
    place := private.from_cursor(left(directory.cursor, 2001), list);
    if not coalesce(
      pg_input_is_valid(place ->> 'id', 'uuid')
      and pg_input_is_valid(place ->> 'key', case ordered when 'newest' then 'timestamptz' else 'bigint' end), false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  -- A name that consists only of signs has an empty key and matches nobody.
  if wanted is null or private.name_key(wanted) <> '' then
    select array_agg(p.user_id), array_agg(p.key) into ids, keys
    from private.creators_page(wanted, ordered, place, coalesce(directory.page_size, 24) + 1) p;
  end if;
  return jsonb_build_object(
    'items', private.creator_cards(ids[:coalesce(directory.page_size, 24)]),
    'next_cursor', case
      when cardinality(ids) > coalesce(directory.page_size, 24)
      then private.to_cursor(jsonb_build_object(
        'list', list, 'key', keys[coalesce(directory.page_size, 24)], 'id', ids[coalesce(directory.page_size, 24)]
      ))
    end
  );
end;
$$;
comment on function private.directory is 'Checks the arguments and returns a page of the directory. Called by public.hub_creators.';
revoke execute on function private.directory from public, anon, authenticated, service_role;
grant execute on function private.directory to anon, authenticated, service_role;

create function public.hub_creators(
  q text default null, sort text default null, cursor text default null, page_size integer default 24
)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.directory(hub_creators.q, hub_creators.sort, hub_creators.cursor, hub_creators.page_size);
$$;
comment on function public.hub_creators is 'The directory: returns creators with visible listings whose names contain q, ordered by installs, stars or the time of their first listing: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';
revoke execute on function public.hub_creators from public, anon, authenticated, service_role;
grant execute on function public.hub_creators to anon, authenticated, service_role;

create function private.following_page(user_id uuid, place jsonb, wanted integer)
returns table (id uuid, published_at timestamptz)
language sql
stable
security definer
set search_path = ''
as $$
  -- Reads at most one page of listings of each creator, in the order of the index.
  select n.id, n.published_at
  from public.hub_follows f
  cross join lateral (
    select a.id, a.published_at
    from public.hub_assets a
    where a.creator_id = f.creator_id and a.is_visible
      and (a.published_at, a.id) < (
        coalesce((following_page.place ->> 'at')::timestamptz, 'infinity'),
        coalesce((following_page.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by a.published_at desc, a.id desc
    limit following_page.wanted
  ) n
  where f.user_id = following_page.user_id
  order by n.published_at desc, n.id desc
  limit following_page.wanted;
$$;
comment on function private.following_page is 'Returns the next `wanted` visible listings of the creators whom a user follows, newest first, after the place of a cursor.';
revoke execute on function private.following_page from public, anon, authenticated, service_role;

create function private.following(cursor text, page_size integer)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  size constant integer := coalesce(following.page_size, 24);
  place jsonb;
  ids uuid[];
  times timestamptz[];
begin
  if following.cursor is not null then
    place := private.from_cursor(left(following.cursor, 2001), '"following"');
    if not coalesce(pg_input_is_valid(place ->> 'at', 'timestamptz') and pg_input_is_valid(place ->> 'id', 'uuid'), false) then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  select array_agg(p.id), array_agg(p.published_at) into ids, times from private.following_page(caller, place, size + 1) p;
  return jsonb_build_object(
    'ids', coalesce(to_jsonb(ids[:size]), '[]'),
    'next_cursor', case
      when cardinality(ids) > size then private.to_cursor(jsonb_build_object('list', 'following', 'at', times[size], 'id', ids[size]))
    end
  );
end;
$$;
comment on function private.following is 'Returns the ids of the listings of a page of hub_following, and the cursor of the next page.';
revoke execute on function private.following from public, anon, authenticated, service_role;
grant execute on function private.following to authenticated;

create function public.hub_following(cursor text default null, page_size integer default 24)
returns json
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  page jsonb;
begin
  perform private.judge_page_size(hub_following.page_size);
  page := private.following(hub_following.cursor, hub_following.page_size);
  return json_build_object(
    'items', private.asset_cards(array(select i.id::uuid from jsonb_array_elements_text(page -> 'ids') with ordinality i (id, n) order by i.n)),
    'next_cursor', page -> 'next_cursor'
  );
end;
$$;
comment on function public.hub_following is 'Returns the listings of the creators whom the caller follows, newest first: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';
revoke execute on function public.hub_following from public, anon, authenticated, service_role;
grant execute on function public.hub_following to authenticated;
