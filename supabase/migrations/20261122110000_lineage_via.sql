-- Everybody whose work may be inside is named: beside root and parent an attribution has `via`, the works between them and
-- the kits that an item was handed on in.

alter table public.hub_assets drop constraint hub_assets_attribution_check;
alter table public.hub_assets add constraint hub_assets_attribution_check check (
  jsonb_typeof(attribution) = 'object' and octet_length(attribution::text) <= 262144
);
comment on column public.hub_assets.attribution is 'Whom this was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once.';
comment on column public.hub_bundle_items.attribution is 'The item''s own, as in hub_assets: whoever made the kit. Null for what its maker made.';
comment on column public.hub_bundle_items.license is 'What binds who takes the item out of the kit.';

create or replace function private.shown_attribution(attribution jsonb)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  root constant jsonb := private.shown_origin(shown_attribution.attribution -> 'root');
  parent constant jsonb := private.shown_origin(shown_attribution.attribution -> 'parent');
  via constant jsonb := shown_attribution.attribution -> 'via';
  claimed constant jsonb := shown_attribution.attribution -> 'claimed';
  original constant jsonb := coalesce(claimed -> 'root', claimed);
begin
  if shown_attribution.attribution is null then
    return null;
  end if;
  return case when claimed is null then '{}' else jsonb_build_object('claimed', claimed) end
    || case
      when via is null then '{}'
      else jsonb_build_object('via', (
        select jsonb_agg(private.shown_origin(v.origin) order by v.place)
        from jsonb_array_elements(via) with ordinality v (origin, place)
      ))
    end
    || jsonb_build_object(
      'root', root,
      'parent', parent,
      'text', case
        when root is null then 'Said to come from “' || (original ->> 'title') || '”' || coalesce(' by ' || (original ->> 'creator'), '')
        when (root -> 'deleted')::boolean then 'Remixed from a deleted asset' || coalesce(' by @' || (root #>> '{creator,username}'), '')
        else 'Remixed from “' || (root ->> 'title') || '”' || coalesce(' by @' || (root #>> '{creator,username}'), '')
      end
    );
end;
$$;
comment on function private.shown_attribution is 'An attribution as a badge shows it: root, parent and via with their authors'' names and whether they are still there, and a sentence about the original.';

-- Harm may be in any work that went into a copy, and it is told of each of them once.
create or replace function private.updates()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and s.is_visible
      and s.current_version > (c.attribution #>> '{parent,version}')::integer
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$$;

create function private.is_unchanged(payload jsonb, attribution jsonb)
returns boolean
language sql
stable
security invoker
set search_path = ''
as $$
  with origins as (
    select (o.origin ->> 'id')::uuid as asset_id, (o.origin ->> 'version')::integer as version
    from (
      values (is_unchanged.attribution -> 'root'), (is_unchanged.attribution -> 'parent')
      union all
      select v.origin from jsonb_array_elements(is_unchanged.attribution -> 'via') v (origin)
    ) o (origin)
    where o.origin is not null
  )
  select exists (
    select from origins o
    join public.hub_asset_versions v on v.asset_id = o.asset_id and v.version = o.version
    where v.payload - 'name' = is_unchanged.payload - 'name'
  )
  or exists (
    select from origins o
    join public.hub_bundle_items i on i.asset_id = o.asset_id and i.version = o.version
    where i.payload - 'name' = is_unchanged.payload - 'name'
  );
$$;
comment on function private.is_unchanged is 'Whether one of the versions that an attribution names holds exactly this content, itself or as an item of a kit. Names do not count: a copy is named after its listing.';
revoke execute on function private.is_unchanged from public, anon, authenticated, service_role;
grant execute on function private.is_unchanged to service_role;

create function public.hub_unchanged(contents jsonb)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.is_unchanged(c.content -> 'payload', c.content -> 'attribution') order by c.place), '[]')
  from jsonb_array_elements(hub_unchanged.contents) with ordinality c (content, place);
$$;
comment on function public.hub_unchanged is 'For hub-publish: of contents [{payload, attribution}], whether each is as it came: [boolean].';
revoke execute on function public.hub_unchanged from public, anon, authenticated, service_role;
grant execute on function public.hub_unchanged to service_role;
