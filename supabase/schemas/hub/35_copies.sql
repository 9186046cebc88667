-- Data of a copy that its registry row does not have.
create table private.hub_copies (
  asset_id uuid not null,
  sha256 text,
  dismissed_version integer,
  constraint hub_copies_pkey primary key (asset_id),
  constraint hub_copies_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_copies_sha256_check check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table private.hub_copies is 'Data of copies that their registry rows do not have: one row for each copy of a listing.';
comment on column private.hub_copies.sha256 is 'private.content_sha256 of the row as it was imported or last updated: when the row''s hash differs, the owner has edited the copy. Null: unknown.';
comment on column private.hub_copies.dismissed_version is 'The newest version of the imported listing that the owner of the copy has dismissed: hub_updates announces only newer versions.';
alter table private.hub_copies enable row level security;
revoke all on table private.hub_copies from public, anon, authenticated, service_role;
grant select on table private.hub_copies to service_role;

create policy hub_copies_service_select on private.hub_copies for select to service_role using (true);

create table private.hub_overwritten (
  id bigint not null generated always as identity,
  asset_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  content jsonb not null,
  attribution jsonb not null,
  sha256 text,
  constraint hub_overwritten_pkey primary key (id),
  constraint hub_overwritten_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_overwritten is 'Contents that updates of copies have overwritten, kept for 30 days and at most 10 per copy; hub_restore_copy brings back the newest content of a copy.';
comment on column private.hub_overwritten.sha256 is 'The value of hub_copies.sha256 before the update; hub_restore_copy writes it back.';
alter table private.hub_overwritten enable row level security;
revoke all on table private.hub_overwritten from public, anon, authenticated, service_role;
revoke all on sequence private.hub_overwritten_id_seq from public, anon, authenticated, service_role;
grant select on table private.hub_overwritten to service_role;

create index hub_overwritten_asset_id_idx on private.hub_overwritten (asset_id, id desc);
create index hub_overwritten_at_idx on private.hub_overwritten (at);

create policy hub_overwritten_service_select on private.hub_overwritten for select to service_role using (true);
