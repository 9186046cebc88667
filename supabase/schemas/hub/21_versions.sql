-- Imports and versions. A version is an immutable snapshot of a source. Readers and importers get snapshots, because only the owner
-- may read a source row. A snapshot is deleted only with its listing.
create table public.hub_imports (
  id uuid not null default gen_random_uuid(),
  asset_id uuid not null,
  user_id uuid not null,
  version integer not null,
  mode text not null,
  created jsonb not null default '[]',
  counts boolean not null default false,
  created_at timestamptz not null default now(),
  constraint hub_imports_pkey primary key (id),
  constraint hub_imports_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_imports_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_imports_version_check check (version >= 1),
  constraint hub_imports_mode_check check (mode in ('use', 'remix')),
  constraint hub_imports_created_check check (jsonb_typeof(created) = 'array')
);
comment on table public.hub_imports is 'One row for each import of an asset by a user. install_count of an asset is the number of the rows of that asset where counts is true.';
comment on column public.hub_imports.created is 'The rows that the import made: [{asset_type, table, id, hub_asset_id, title}].';
comment on column public.hub_imports.counts is 'Whether install_count includes this import: true for one import of each user other than the creator. Maintained by a trigger.';
alter table public.hub_imports enable row level security;
revoke all on table public.hub_imports from public, anon, authenticated, service_role;
grant select on table public.hub_imports to authenticated, service_role;

create unique index hub_imports_counting_key on public.hub_imports (asset_id, user_id) where counts;
create index hub_imports_asset_id_idx on public.hub_imports (asset_id, user_id);
create index hub_imports_user_id_idx on public.hub_imports (user_id);

create policy hub_imports_select on public.hub_imports for select to authenticated using (user_id = (select auth.uid()));
create policy hub_imports_service_select on public.hub_imports for select to service_role using (true);

create table public.hub_asset_versions (
  asset_id uuid not null,
  version integer not null,
  payload jsonb not null,
  sha256 text not null,
  license text not null,
  scan jsonb,
  created_at timestamptz not null default now(),
  label text,
  changelog text,
  yanked_at timestamptz,
  yank_reason text,
  is_open boolean not null default false,
  organization_id uuid,
  constraint hub_asset_versions_pkey primary key (asset_id, version),
  constraint hub_asset_versions_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_asset_versions_version_check check (version >= 1),
  constraint hub_asset_versions_payload_check check (jsonb_typeof(payload) = 'object'),
  constraint hub_asset_versions_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_asset_versions_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_asset_versions_scan_check check (jsonb_typeof(scan) = 'object'),
  constraint hub_asset_versions_label_key unique (asset_id, label),
  constraint hub_asset_versions_label_check check (char_length(label) between 1 and 32),
  constraint hub_asset_versions_changelog_check check (char_length(changelog) between 1 and 4000),
  constraint hub_asset_versions_yank_check check (
    (yank_reason is null or yanked_at is not null) and char_length(yank_reason) between 1 and 500
  )
);
comment on table public.hub_asset_versions is 'Published snapshots, with secrets removed; deleted only with the listing. The owner may edit label and changelog, and yank a version; nothing else changes. Readers see the current version, and other versions with is_open that are not yanked.';
comment on column public.hub_asset_versions.label is 'The owner''s name for the version, such as 1.2; unique in the listing.';
comment on column public.hub_asset_versions.changelog is 'What changed in this version, as plain text for readers.';
comment on column public.hub_asset_versions.yanked_at is 'When the owner withdrew the version: the version cannot be imported any more; users who imported this version can still read it.';
comment on column public.hub_asset_versions.is_open is 'Whether readers still see the version when another version is current. False for versions that were published when readers could not see older versions yet.';
comment on column public.hub_asset_versions.organization_id is 'The organization whose members may read the version; null: everybody. Never changes, whatever happens to the listing. No foreign key: when the organization is closed, the version stays closed to other readers.';
comment on column public.hub_asset_versions.sha256 is 'SHA-256 of the payload''s canonical form (RFC 8785).';
comment on column public.hub_asset_versions.scan is 'Findings of the component scan: rules and lines, and whether the publisher confirmed them. Importers see them as warnings.';
alter table public.hub_asset_versions enable row level security;
revoke all on table public.hub_asset_versions from public, anon, authenticated, service_role;
grant select on table public.hub_asset_versions to anon, authenticated, service_role;

-- Finds versions with the same content under another name, for private.same_content.
create index hub_asset_versions_content_idx on public.hub_asset_versions (md5((payload - 'name')::text));

create table public.hub_bundle_items (
  asset_id uuid not null,
  version integer not null,
  position integer not null,
  asset_type text not null,
  ref_id uuid not null,
  title text not null,
  payload jsonb not null,
  sha256 text not null,
  license text not null,
  attribution jsonb,
  constraint hub_bundle_items_pkey primary key (asset_id, version, position),
  constraint hub_bundle_items_version_fkey foreign key (asset_id, version) references public.hub_asset_versions (asset_id, version) on delete cascade,
  constraint hub_bundle_items_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_bundle_items_position_check check (position between 1 and 50),
  constraint hub_bundle_items_asset_type_check check (asset_type = any (private.asset_types())),
  constraint hub_bundle_items_title_check check (char_length(title) between 1 and 120),
  constraint hub_bundle_items_payload_check check (jsonb_typeof(payload) = 'object'),
  constraint hub_bundle_items_sha256_check check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_bundle_items_license_check check (license in ('cc0', 'cc-by', 'platform-free', 'paid')),
  constraint hub_bundle_items_attribution_check check (jsonb_typeof(attribution) = 'object')
);
comment on table public.hub_bundle_items is 'The items of a kit, as snapshots. Never updated; deleted only with the listing.';
comment on column public.hub_bundle_items.attribution is 'Attribution of the item itself, as in hub_assets. Null when the item is an original work of the kit''s creator.';
comment on column public.hub_bundle_items.license is 'The license for using the item without the kit.';
alter table public.hub_bundle_items enable row level security;
revoke all on table public.hub_bundle_items from public, anon, authenticated, service_role;
grant select on table public.hub_bundle_items to anon, authenticated, service_role;

create table public.hub_receipts (
  asset_id uuid not null,
  version integer not null,
  redactions jsonb not null default '[]',
  created_at timestamptz not null default now(),
  constraint hub_receipts_pkey primary key (asset_id, version),
  constraint hub_receipts_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_receipts_redactions_check check (jsonb_typeof(redactions) = 'array')
);
comment on table public.hub_receipts is 'The places of removed secrets in a publication, for the owner: [{path, rule}], never a value.';
alter table public.hub_receipts enable row level security;
revoke all on table public.hub_receipts from public, anon, authenticated, service_role;
grant select on table public.hub_receipts to authenticated, service_role;

create policy hub_asset_versions_select_anon on public.hub_asset_versions for select to anon
using (organization_id is null and exists (
  select from public.hub_assets a
  where a.id = hub_asset_versions.asset_id
    and a.is_visible
    and (
      a.current_version = hub_asset_versions.version
      or (hub_asset_versions.is_open and hub_asset_versions.yanked_at is null)
    )
));
create policy hub_asset_versions_select on public.hub_asset_versions for select to authenticated
using (exists (
  select from public.hub_assets a
  where a.id = hub_asset_versions.asset_id
    and (
      (a.deleted_at is null and (a.creator_id = (select auth.uid()) or (select private.is_admin())))
      -- The subquery finds only listings that the policies of hub_assets show to the caller.
      or (
        hub_asset_versions.organization_id is null
        or hub_asset_versions.organization_id = any (array(select private.member_organization_ids()))
      ) and (
        a.current_version = hub_asset_versions.version
        or (hub_asset_versions.is_open and hub_asset_versions.yanked_at is null)
        or exists (
          select from public.hub_imports i
          where i.asset_id = a.id
            and i.user_id = (select auth.uid())
            and (hub_asset_versions.yanked_at is null or i.version = hub_asset_versions.version)
        )
      )
      or (
        hub_asset_versions.license = 'paid'
        and hub_asset_versions.yanked_at is null
        and a.id = any (array(select private.my_paid_content()))
      )
    )
));
-- The two policies below are restrictive: they apply to paid versions in addition to all other policies. Items are visible only
-- with their version.
create policy hub_asset_versions_paid_anon on public.hub_asset_versions as restrictive for select to anon using (license <> 'paid');
create policy hub_asset_versions_paid on public.hub_asset_versions as restrictive for select to authenticated
using (
  license <> 'paid'
  or asset_id = any (array(select private.my_paid_content()))
  or (select private.is_admin())
);
create policy hub_asset_versions_service_select on public.hub_asset_versions for select to service_role using (true);
-- A caller who sees a version also sees its items.
create policy hub_bundle_items_select_anon on public.hub_bundle_items for select to anon
using (exists (
  select from public.hub_asset_versions v
  where v.asset_id = hub_bundle_items.asset_id and v.version = hub_bundle_items.version
));
create policy hub_bundle_items_select on public.hub_bundle_items for select to authenticated
using (exists (
  select from public.hub_asset_versions v
  where v.asset_id = hub_bundle_items.asset_id and v.version = hub_bundle_items.version
));
create policy hub_bundle_items_service_select on public.hub_bundle_items for select to service_role using (true);
create policy hub_receipts_select on public.hub_receipts for select to authenticated
using (exists (
  select from public.hub_assets a
  where a.id = hub_receipts.asset_id and a.deleted_at is null and a.creator_id = (select auth.uid())
));
create policy hub_receipts_service_select on public.hub_receipts for select to service_role using (true);

create function private.refuse_snapshot_delete()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (select from public.hub_assets a where a.id = old.asset_id and a.deleted_at is null) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'delete')::text;
  end if;
  return old;
end;
$$;
comment on function private.refuse_snapshot_delete is 'Refuses to delete a snapshot while its listing exists. Raises PT409 append_only.';
revoke execute on function private.refuse_snapshot_delete from public, anon, authenticated, service_role;

create function private.refuse_version_change()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  editable constant text[] := array['label', 'changelog', 'yanked_at', 'yank_reason'];
begin
  -- The list names the editable columns and not the fixed ones, so that a new column is fixed, too.
  if to_jsonb(new) - editable is distinct from to_jsonb(old) - editable then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'update')::text;
  end if;
  return new;
end;
$$;
comment on function private.refuse_version_change is 'Refuses changes of a version, except of label, changelog, yanked_at and yank_reason. Raises PT409 append_only.';
revoke execute on function private.refuse_version_change from public, anon, authenticated, service_role;

create trigger hub_asset_versions_forbid_update before update on public.hub_asset_versions
for each row execute function private.refuse_version_change();
create trigger hub_asset_versions_forbid_delete before delete on public.hub_asset_versions
for each row execute function private.refuse_snapshot_delete();
create trigger hub_asset_versions_forbid_truncate before truncate on public.hub_asset_versions
for each statement execute function private.refuse_change();
create trigger hub_bundle_items_forbid_update before update on public.hub_bundle_items
for each row execute function private.refuse_change();
create trigger hub_bundle_items_forbid_delete before delete on public.hub_bundle_items
for each row execute function private.refuse_snapshot_delete();
create trigger hub_bundle_items_forbid_truncate before truncate on public.hub_bundle_items
for each statement execute function private.refuse_change();
create trigger hub_receipts_forbid_update before update on public.hub_receipts
for each row execute function private.refuse_change();
create trigger hub_receipts_forbid_delete before delete on public.hub_receipts
for each row execute function private.refuse_snapshot_delete();
create trigger hub_receipts_forbid_truncate before truncate on public.hub_receipts
for each statement execute function private.refuse_change();

-- Checks that the current version of a public or shared listing is stored and has the same readers as the listing. The check runs
-- at the commit, because a publication writes the listing before its version.
create function private.hub_assets_have_content()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.hub_assets a
    where a.id = new.id
      and (a.is_public or a.shared_at is not null)
      and not exists (
        select from public.hub_asset_versions v
        where v.asset_id = a.id and v.version = a.current_version and v.organization_id is not distinct from a.organization_id
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "the current version of a listing is stored, and for the same readers; publishing makes one"}';
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_have_content is 'Refuses a public or shared listing whose current version is not stored, or is stored for other readers. Raises PT409 version_missing.';
revoke execute on function private.hub_assets_have_content from public, anon, authenticated, service_role;

create constraint trigger hub_assets_50_have_content
after insert or update of is_public, shared_at, organization_id, current_version, deleted_at on public.hub_assets
deferrable initially deferred
for each row when (new.is_public or new.shared_at is not null)
execute function private.hub_assets_have_content();
