-- The shelf of an organization has its own search documents, so that no public query ever reads a shared row. The words of shared
-- listings are not added to private.hub_words, because spelling corrections from that table would disclose the words to everybody.
create table private.shelf_documents (
  asset_id uuid not null,
  organization_id uuid not null,
  title_key text not null,
  document tsvector not null,
  constraint shelf_documents_pkey primary key (asset_id),
  constraint shelf_documents_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.shelf_documents is 'Search documents by which members find a shared listing. Maintained by a trigger.';
comment on column private.shelf_documents.title_key is 'The folded title: a listing whose folded title equals the folded query comes first in the results.';
alter table private.shelf_documents enable row level security;
revoke all on table private.shelf_documents from public, anon, authenticated, service_role;
grant select on table private.shelf_documents to service_role;

create index shelf_documents_organization_id_idx on private.shelf_documents (organization_id);

create policy shelf_documents_service_select on private.shelf_documents for select to service_role using (true);

create function private.hub_assets_index_shelf()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  made private.hub_documents;
begin
  if not new.is_shared then
    delete from private.shelf_documents d where d.asset_id = new.id;
  elsif tg_op = 'INSERT' or not old.is_shared or (new.title, new.description, new.tags, new.organization_id)
    is distinct from (old.title, old.description, old.tags, old.organization_id)
  then
    made := private.make_document(new);
    insert into private.shelf_documents (asset_id, organization_id, title_key, document)
    values (new.id, new.organization_id, made.title_key, made.document)
    on conflict on constraint shelf_documents_pkey do update
    set organization_id = excluded.organization_id, title_key = excluded.title_key, document = excluded.document;
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_index_shelf is 'Keeps the search document of a listing current while the listing is on a shelf, and deletes it afterwards.';
revoke execute on function private.hub_assets_index_shelf from public, anon, authenticated, service_role;

create trigger hub_assets_84_index_shelf_insert
after insert on public.hub_assets
for each row when (new.is_shared) execute function private.hub_assets_index_shelf();
create trigger hub_assets_85_index_shelf_update
after update on public.hub_assets
for each row when (old.is_shared or new.is_shared) execute function private.hub_assets_index_shelf();

create function private.shelf_page(request private.search_request, organization_id uuid, wanted integer, out ids uuid[], out keys text[])
language plpgsql
stable
security definer
set search_path = ''
set jit = off
as $$
declare
  asked constant private.search_request := shelf_page.request;
  plan private.search_plan;
  -- The order of the list: a column with an index, or, for relevance, how well a listing matches.
  sort_key constant text := case asked.sort
    when 'newest' then 'a.shared_at'
    when 'recently_updated' then 'a.content_updated_at'
    when 'most_installed' then 'a.install_count'
    when 'most_starred' then 'a.star_count'
    when 'relevance' then 'round((ts_rank(d.document, $6) + case when d.title_key = $7 then 2 else 0 end)::numeric, 5)'
  end;
begin
  if not private.is_member_of((select auth.uid()), shelf_page.organization_id) then
    return;
  end if;
  if asked.q is not null then
    plan := private.search_plan(asked.q);
    if plan.matches is null then
      return;
    end if;
  end if;
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, %1$s as key
       from public.hub_assets a %2$s
       where a.is_shared and a.organization_id = $1
         and ($2 is null or a.asset_type = any ($2)) and ($3 is null or a.license = $3) and ($4 is null or a.tags @> $4)
         and ($5 is null or a.creator_id = (select private.creator_by_name($5))) %3$s
       order by 2 desc, 1 desc
       limit %4$s
     ) f',
    sort_key,
    case when asked.q is not null then 'join private.shelf_documents d on d.asset_id = a.id and d.organization_id = $1 and d.document @@ $6' end,
    case when asked.place is not null then format('and (%s, a.id) < (%L, %L)', sort_key, asked.place ->> 'key', asked.place ->> 'id') end,
    shelf_page.wanted
  ) into ids, keys
  using shelf_page.organization_id, asked.types, asked.license, asked.tags, asked.creator, plan.matches, plan.title_key;
end;
$$;
comment on function private.shelf_page is 'Returns the ids of the next `wanted` listings on a shelf, and in keys the value by which each is sorted; nothing when the caller is not a member of the organization.';
revoke execute on function private.shelf_page from public, anon, authenticated, service_role;
grant execute on function private.shelf_page to authenticated;

create function public.hub_shelf(
  organization text,
  q text default null, types text[] default null, tags text[] default null, model text default null, cardinality text default null,
  license text default null, creator text default null, sort text default null, cursor text default null, page_size integer default 24
)
returns json
language plpgsql
stable
security invoker
set search_path = ''
as $$
declare
  shelf constant public.organizations := (select o from public.organizations o where o.slug = lower(hub_shelf.organization));
  request private.search_request;
  page record;
  next_cursor text;
begin
  -- Row level security shows an organization to its members only.
  if shelf.id is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  request := private.search_request(
    hub_shelf.q, hub_shelf.types, hub_shelf.tags, hub_shelf.model, hub_shelf.cardinality, hub_shelf.license, hub_shelf.creator, hub_shelf.sort,
    hub_shelf.cursor, hub_shelf.page_size, shelf.id
  );
  select * into page from private.shelf_page(request, shelf.id, request.page_size + 1);
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object(
      'list', request.list, 'key', page.keys[request.page_size], 'id', page.ids[request.page_size]
    ));
  end if;
  return json_build_object('items', private.asset_cards(page.ids[:request.page_size], shelf.id), 'next_cursor', next_cursor);
end;
$$;
comment on function public.hub_shelf is 'For members: returns the listings that an organization shares, with the filters and sorts of hub_search: {items, next_cursor}. Raises PT400 malformed_cursor, PT404 organization_not_found, PT422 validation_failed.';
revoke execute on function public.hub_shelf from public, anon, authenticated, service_role;
grant execute on function public.hub_shelf to authenticated;
