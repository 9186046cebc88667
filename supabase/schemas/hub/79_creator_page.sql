create function private.creator_by_name(username text)
returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select p.user_id
  from public.hub_profiles p
  -- The first condition uses the index; the second compares the exact name.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    and not private.is_banned(p.user_id)
  union all
  -- For 180 days nobody else can take a former name, so at most one branch returns a row.
  select p.user_id
  from private.hub_former_names f
  join public.hub_profiles p on p.user_id = f.user_id
  where f.name_key = private.username_key(creator_by_name.username)
    and lower(f.username) = lower(creator_by_name.username)
    and f.given_up_at > clock_timestamp() - interval '180 days'
    and not private.is_banned(p.user_id);
$$;
comment on function private.creator_by_name is 'Returns the creator who has a username, or who gave it up in the last 180 days; null when there is no such creator or the creator is banned.';
revoke execute on function private.creator_by_name from public, anon, authenticated, service_role;
grant execute on function private.creator_by_name to anon, authenticated, service_role;

create function private.creator_totals(user_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'published_assets', coalesce(sum(c.published_assets), 0),
    'total_installs', coalesce(sum(c.total_installs), 0),
    'total_stars', coalesce(sum(c.total_stars), 0)
  )
  from private.hub_creators c
  where c.user_id = creator_totals.user_id;
$$;
comment on function private.creator_totals is 'Returns how many visible listings a creator has, and how often they were installed and starred.';
revoke execute on function private.creator_totals from public, anon, authenticated, service_role;
grant execute on function private.creator_totals to anon, authenticated, service_role;

create function public.hub_creator(username text)
returns json
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  profile record;
  totals jsonb;
  page json;
begin
  select p.user_id, p.username, p.display_name, p.avatar_url, p.created_at, p.verified_at into profile
  from public.hub_profiles p
  -- The id comes from a separate function: under row level security the query could not use an index on an expression.
  where p.user_id = private.creator_by_name(hub_creator.username);
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  totals := private.creator_totals(profile.user_id);
  page := public.hub_search(creator => profile.username);
  return json_build_object(
    'username', profile.username,
    'display_name', profile.display_name,
    'avatar_url', profile.avatar_url,
    'verified', profile.verified_at is not null,
    'member_since', profile.created_at,
    'published_assets', totals -> 'published_assets',
    'total_installs', totals -> 'total_installs',
    'total_stars', totals -> 'total_stars',
    'items', page -> 'items',
    'next_cursor', page -> 'next_cursor'
  );
end;
$$;
comment on function public.hub_creator is 'Returns a creator''s page: profile, totals, and the first page of their listings, which hub_search(creator => …) continues. For a name that was given up in the last 180 days, returns the page of its owner with the current username. Raises PT404 user_not_found.';
revoke execute on function public.hub_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_creator to anon, authenticated, service_role;
