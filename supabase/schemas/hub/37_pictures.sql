-- Pictures that creators gave their listings. They are rows and not stored files, so that hiding or deleting a listing hides or
-- deletes its picture in the same transaction.
create table public.hub_pictures (
  asset_id uuid not null,
  media_type text not null,
  bytes bytea not null,
  sha256 text not null generated always as (encode(sha256(bytes), 'hex')) stored,
  width integer not null,
  height integer not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint hub_pictures_pkey primary key (asset_id),
  constraint hub_pictures_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_pictures_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint hub_pictures_bytes_check check (octet_length(bytes) between 1 and 1048576),
  constraint hub_pictures_width_check check (width between 1 and 4096),
  constraint hub_pictures_height_check check (height between 1 and 4096)
);
comment on table public.hub_pictures is 'Pictures of listings, at most one per listing. The function hub-picture checks the bytes and removes their metadata before they are stored; everybody who may read a listing may read its picture.';
comment on column public.hub_pictures.sha256 is 'SHA-256 of the bytes. It is part of the picture''s address, so that an address never shows another picture.';
alter table public.hub_pictures enable row level security;
revoke all on table public.hub_pictures from public, anon, authenticated, service_role;
grant select on table public.hub_pictures to anon, authenticated, service_role;

-- Whoever can see a listing under the policies of hub_assets can see its picture.
create policy hub_pictures_select on public.hub_pictures for select to anon, authenticated
using (exists (select from public.hub_assets a where a.id = hub_pictures.asset_id));
create policy hub_pictures_service_select on public.hub_pictures for select to service_role using (true);

create function private.hub_assets_derive_picture()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Ignores the picture that the statement wrote: the column follows from hub_pictures.
  new.picture := (select p.sha256 from public.hub_pictures p where p.asset_id = new.id);
  return new;
end;
$$;
comment on function private.hub_assets_derive_picture is 'Sets hub_assets.picture to the SHA-256 of the listing''s row in hub_pictures, whatever value a statement wrote.';
revoke execute on function private.hub_assets_derive_picture from public, anon, authenticated, service_role;

create trigger hub_assets_16_derive_picture_insert
before insert on public.hub_assets
for each row execute function private.hub_assets_derive_picture();
create trigger hub_assets_21_derive_picture_update
before update of picture on public.hub_assets
for each row execute function private.hub_assets_derive_picture();

create function private.hub_pictures_refresh_asset()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The values written here do not matter: the trigger hub_assets_derive_picture sets the right one.
  if tg_op <> 'INSERT' then
    update public.hub_assets a set picture = null where a.id = old.asset_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.hub_assets a set picture = new.sha256 where a.id = new.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.hub_pictures_refresh_asset is 'Updates hub_assets.picture when a picture changes.';
revoke execute on function private.hub_pictures_refresh_asset from public, anon, authenticated, service_role;

create trigger hub_pictures_refresh_asset
after insert or update or delete on public.hub_pictures
for each row execute function private.hub_pictures_refresh_asset();
create trigger hub_pictures_forbid_truncate
before truncate on public.hub_pictures
for each statement execute function private.refuse_change();
