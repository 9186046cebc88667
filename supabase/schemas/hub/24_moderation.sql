-- The number of open reports on an asset. It is no column of hub_assets, because everybody who sees a row of hub_assets may read
-- all of its columns. The triggers of hub_reports change the counts.
create table private.hub_moderation (
  asset_id uuid not null,
  open_reports integer not null default 0,
  counting_reports integer not null default 0,
  reviewed_version integer not null default 0,
  reviewed_at timestamptz,
  constraint hub_moderation_pkey primary key (asset_id),
  constraint hub_moderation_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade,
  constraint hub_moderation_counts_check check (counting_reports between 0 and open_reports)
);
comment on table private.hub_moderation is 'One row per asset, inserted with the asset. When counting_reports reaches the threshold of private.count_reports, the asset is hidden.';
comment on column private.hub_moderation.open_reports is 'The number of unresolved reports. Maintained by a trigger.';
comment on column private.hub_moderation.counting_reports is 'The number of unresolved reports that count towards hiding the asset. Maintained by a trigger.';
comment on column private.hub_moderation.reviewed_version is 'The version that was current when the asset was last restored.';
comment on column private.hub_moderation.reviewed_at is 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version and older versions.';
alter table private.hub_moderation enable row level security;
revoke all on table private.hub_moderation from public, anon, authenticated, service_role;
grant select on table private.hub_moderation to service_role;

create policy hub_moderation_service_select on private.hub_moderation for select to service_role using (true);

create function private.make_moderation()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  insert into private.hub_moderation (asset_id) values (new.id);
  return null;
end;
$$;
comment on function private.make_moderation is 'Inserts the moderation row of a new asset.';
revoke execute on function private.make_moderation from public, anon, authenticated, service_role;

create trigger hub_assets_65_make_moderation
after insert on public.hub_assets
for each row execute function private.make_moderation();

-- A moderation row is deleted only with its asset, and its counts cannot be edited by hand.
create function private.protect_moderation()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    if pg_trigger_depth() = 1 then
      new.open_reports := old.open_reports;
      new.counting_reports := old.counting_reports;
    end if;
    new.asset_id := old.asset_id;
    return new;
  end if;
  if exists (select from public.hub_assets a where a.id = old.asset_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_moderation"}';
  end if;
  return old;
end;
$$;
comment on function private.protect_moderation is 'Ignores edits of the counts by hand; refuses to delete the row of an existing asset. Raises PT409 append_only.';
revoke execute on function private.protect_moderation from public, anon, authenticated, service_role;

create trigger hub_moderation_protect
before update or delete on private.hub_moderation
for each row execute function private.protect_moderation();
create trigger hub_moderation_forbid_truncate
before truncate on private.hub_moderation
for each statement execute function private.refuse_change();
