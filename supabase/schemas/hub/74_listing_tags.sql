create function private.tag_bits(tags text[])
returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (
    select coalesce(bit_or(1::bigint << (get_byte(decode(md5(t.tag), 'hex'), 0) % 64)), 0)
    from unnest(tag_bits.tags) t (tag)
  );
end;
$$;
comment on function private.tag_bits is 'One of 64 bits for each tag. What has all of some tags has all of their bits; the reverse need not be true.';
revoke execute on function private.tag_bits from public, anon, authenticated, service_role;

-- One row for each tag of each visible listing, with what lists are sorted by: a page of any tag, rare or common, is a short
-- stretch of one index. The index of documents knows which listings have a tag, and not in which order.
create table private.hub_listing_tags (
  asset_id uuid not null,
  tag text collate pg_catalog."C" not null,
  published_at timestamptz not null,
  content_updated_at timestamptz,
  install_count integer not null,
  star_count integer not null,
  tag_bits bigint not null,
  constraint hub_listing_tags_pkey primary key (asset_id, tag),
  constraint hub_listing_tags_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_listing_tags is 'The tags of visible listings, in the order of each sort. Kept by trigger.';
alter table private.hub_listing_tags enable row level security;
revoke all on table private.hub_listing_tags from public, anon, authenticated, service_role;
grant select on table private.hub_listing_tags to service_role;

comment on column private.hub_listing_tags.tag_bits is 'Of all tags of the listing: most listings without a second tag are passed over by the index alone.';

create index hub_listing_tags_newest_idx on private.hub_listing_tags (tag, published_at desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_recently_updated_idx on private.hub_listing_tags (tag, content_updated_at desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_most_installed_idx on private.hub_listing_tags (tag, install_count desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_most_starred_idx on private.hub_listing_tags (tag, star_count desc, asset_id desc) include (tag_bits);

create policy hub_listing_tags_service_select on private.hub_listing_tags for select to service_role using (true);

create function private.hub_assets_list_tags()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if old.is_visible and new.is_visible and old.tags = new.tags then
      -- guard: search: lists of a tag follow what they are sorted by
      -- without: null;
      update private.hub_listing_tags t
      set published_at = new.published_at, content_updated_at = new.content_updated_at,
        install_count = new.install_count, star_count = new.star_count
      where t.asset_id = new.id;
      -- end
      return null;
    end if;
    -- guard: search: what is not visible is in no list of a tag
    -- without: delete from private.hub_listing_tags t where t.asset_id = new.id and new.is_visible;
    delete from private.hub_listing_tags t where t.asset_id = new.id;
    -- end
  end if;
  if new.is_visible then
    insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
    select distinct new.id, t.tag, new.published_at, new.content_updated_at, new.install_count, new.star_count, private.tag_bits(new.tags)
    from unnest(new.tags) t (tag);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_list_tags is 'The lists of tags hold a listing from the moment it is visible, at its place, and no longer.';
revoke execute on function private.hub_assets_list_tags from public, anon, authenticated, service_role;

create trigger hub_assets_84_list_tags_insert
after insert on public.hub_assets
for each row when (new.is_visible) execute function private.hub_assets_list_tags();
create trigger hub_assets_85_list_tags_update
after update on public.hub_assets
for each row when (
  (old.is_visible or new.is_visible)
  and (old.is_visible, old.tags, old.published_at, old.content_updated_at, old.install_count, old.star_count)
    is distinct from (new.is_visible, new.tags, new.published_at, new.content_updated_at, new.install_count, new.star_count)
) execute function private.hub_assets_list_tags();
