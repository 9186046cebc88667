SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.creator_cards (
  user_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'username', p.username,
    'display_name', p.display_name,
    'avatar_url', p.avatar_url,
    'member_since', p.created_at,
    'published_assets', t.published_assets,
    'total_installs', t.total_installs,
    'total_stars', t.total_stars
  ) order by u.place), '[]')
  from unnest(creator_cards.user_ids) with ordinality u (user_id, place)
  join public.hub_profiles p on p.user_id = u.user_id
  join private.hub_creators t on t.user_id = u.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.creators_page (
  q      text,
  sort   text,
  place  jsonb,
  wanted integer
)
  RETURNS TABLE (
    user_id uuid,
    key     text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;
