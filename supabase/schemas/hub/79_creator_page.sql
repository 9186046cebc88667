create function private.creator_totals(user_id uuid)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.creator_totals is 'What a creator has published, and how often it was installed and starred.';
revoke execute on function private.creator_totals from public, anon, authenticated, service_role;
grant execute on function private.creator_totals to anon, authenticated, service_role;

create function public.hub_creator(username text)
returns jsonb
language plpgsql
stable
security invoker
set search_path = ''
as $$
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
$$;
comment on function public.hub_creator is 'A creator''s page: profile, totals, and the first page of their listings as hub_search(creator => …) goes on with. Raises PT404 user_not_found.';
revoke execute on function public.hub_creator from public, anon, authenticated, service_role;
grant execute on function public.hub_creator to anon, authenticated, service_role;
grant execute on function private.username_key to anon;
grant execute on function private.is_banned to service_role;
