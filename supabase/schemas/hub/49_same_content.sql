-- Finds content that somebody else has already published. Publishing it again is refused when its license requires a lineage and
-- the lineage is missing.
create table private.hub_allowed_content (
  user_id uuid not null,
  asset_id uuid not null,
  constraint hub_allowed_content_pkey primary key (user_id, asset_id),
  constraint hub_allowed_content_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_allowed_content_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_allowed_content is 'Users who may publish content that equals a version of this listing, because an admin has checked it.';
alter table private.hub_allowed_content enable row level security;
revoke all on table private.hub_allowed_content from public, anon, authenticated, service_role;
grant select on table private.hub_allowed_content to service_role;
create index hub_allowed_content_asset_id_idx on private.hub_allowed_content (asset_id);

create policy hub_allowed_content_service_select on private.hub_allowed_content for select to service_role using (true);

create function private.root_of(asset public.hub_assets)
returns text
language sql
immutable
set search_path = ''
as $$
  select coalesce(
    (root_of.asset).attribution #>> '{root,id}', (root_of.asset).attribution #>> '{parent,id}', (root_of.asset).source_asset_id::text, (root_of.asset).id::text
  );
$$;
comment on function private.root_of is 'Returns the id of the listing where a lineage begins, as text; for an original its own id.';
revoke execute on function private.root_of from public, anon, authenticated, service_role;

create function private.same_content(user_id uuid, asset public.hub_assets, asset_type text, payload jsonb)
returns table (id uuid, slug text, license text)
language sql
stable
security definer
set search_path = ''
as $$
  select a.id, a.slug, v.license
  from public.hub_asset_versions v
  join public.hub_assets a on a.id = v.asset_id
  where md5((v.payload - 'name')::text) = md5((same_content.payload - 'name')::text)
    and a.asset_type = same_content.asset_type
    -- Settings, short prompts and short pipelines (a new orchestration has a fixed one) can be equal by chance.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or char_length(same_content.payload::text) >= 1000)
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    -- A version on a shelf is left out, because nobody outside its organization may notice it.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- A listing of a creator whom the lineage names is left out: when a creator has published the content twice, a copy names only
    -- one of the two listings.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, (same_content.asset).shared_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$$;
comment on function private.same_content is 'Returns the oldest visible listing of somebody else that has this content in a version, unless it or its creator is in the lineage of the asset.';
revoke execute on function private.same_content from public, anon, authenticated, service_role;

create function private.refuse_same_content(user_id uuid, asset_id uuid, slug text, license text)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  -- cc0 requires nothing; every other license requires that the lineage is kept.
  if refuse_same_content.license <> 'cc0' and not exists (
    select from private.hub_allowed_content c
    where c.user_id = refuse_same_content.user_id and c.asset_id = refuse_same_content.asset_id
  ) then
    raise exception using
      errcode = 'PT409', message = 'duplicate_content', detail = jsonb_build_object('slug', refuse_same_content.slug)::text;
  end if;
end;
$$;
comment on function private.refuse_same_content is 'Raises PT409 duplicate_content with the slug of the listing, unless its license or an admin allows the content.';
revoke execute on function private.refuse_same_content from public, anon, authenticated, service_role;

create function private.allow_content(asset_id uuid, username text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  allowed uuid;
begin
  perform private.require_admin();
  select p.user_id into allowed
  from public.hub_profiles p
  where private.username_key(p.username) = private.username_key(allow_content.username)
    and lower(p.username) = lower(allow_content.username);
  if allowed is null then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  perform from public.hub_assets a where a.id = allow_content.asset_id and a.deleted_at is null for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  insert into private.hub_allowed_content (user_id, asset_id) values (allowed, allow_content.asset_id) on conflict do nothing;
  if found then
    insert into public.hub_events (actor_id, action, asset_id, user_id)
    values ((select auth.uid()), 'content_allowed', allow_content.asset_id, allowed);
  end if;
end;
$$;
comment on function private.allow_content is 'Implements hub_allow_content.';
revoke execute on function private.allow_content from public, anon, authenticated, service_role;
grant execute on function private.allow_content to authenticated;

create function public.hub_allow_content(asset_id uuid, username text)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.allow_content(hub_allow_content.asset_id, hub_allow_content.username);
$$;
comment on function public.hub_allow_content is 'For admins: lets a user publish content that is equal to a version of this listing. Raises 42501, PT404 asset_not_found or user_not_found.';
revoke execute on function public.hub_allow_content from public, anon, authenticated, service_role;
grant execute on function public.hub_allow_content to authenticated;
