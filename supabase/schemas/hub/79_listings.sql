-- What a gallery lists, for whoever wants to write the query: visible listings only, also for those who see more of the
-- table (owners their private copies, admins what is hidden).
create view public.hub_listings
with (security_invoker = true)
as
select
  a.id,
  a.slug,
  a.asset_type,
  a.title,
  a.description,
  a.tags,
  a.thumbnail_url,
  a.license,
  case when p.user_id is not null then jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url) end as creator,
  a.install_count,
  a.star_count,
  a.published_at,
  a.content_updated_at,
  a.remix_depth,
  a.current_version as version
from public.hub_assets a
left join public.hub_profiles p on p.user_id = a.creator_id
where a.is_visible;
comment on view public.hub_listings is 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';
revoke all on table public.hub_listings from public, anon, authenticated, service_role;
grant select on table public.hub_listings to anon, authenticated, service_role;
