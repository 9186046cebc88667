-- Closes all reports of a listing at once: after a restore, and when a removal makes the listing a tombstone.

-- Locks several reports without a fixed order. A fixed order is not possible: a statement of an operator locks reports in any
-- order, and no trigger runs before it. Instead, a caller that needs several reports never waits for one report while it holds
-- another.
create function private.lock_reports(asset_ids uuid[], user_id uuid)
returns uuid[]
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  wanted uuid[];
  locked uuid[];
begin
  loop
    wanted := array(
      select r.id
      from public.hub_reports r
      where (r.asset_id = any (lock_reports.asset_ids) and not r.resolved)
        or r.reporter_id = lock_reports.user_id
        or r.resolved_by = lock_reports.user_id
    );
    begin
      -- Either all reports are locked, or none of them stays locked.
      locked := array(select r.id from public.hub_reports r where r.id = any (wanted) for no key update skip locked);
      if cardinality(locked) = cardinality(wanted) then
        return locked;
      end if;
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        -- Lock conflict: the rollback of the inner block has released all locks. Wait for the first report that was locked by
        -- another transaction, release it as well, and retry.
        begin
          perform from public.hub_reports r
          where r.id = (select w.id from unnest(wanted) w (id) where w.id <> all (locked) limit 1)
          for no key update;
          raise exception using errcode = 'KH001', message = 'lock_conflict';
        exception
          when sqlstate 'KH001' then
            null;
        end;
    end;
  end loop;
end;
$$;
comment on function private.lock_reports is 'Locks the open reports on these assets and every report that this user made or resolved, all of them or none; returns their ids.';
revoke execute on function private.lock_reports from public, anon, authenticated, service_role;

create function private.close_reports(asset_ids uuid[], outcome text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.lock_reports(close_reports.asset_ids, null);
  update public.hub_reports r
  set resolved = true, outcome = close_reports.outcome, note = nullif(current_setting('keyhub.note', true), '')
  where r.asset_id = any (close_reports.asset_ids) and not r.resolved;
end;
$$;
comment on function private.close_reports is 'Closes all open reports of these assets with this outcome.';
revoke execute on function private.close_reports from public, anon, authenticated, service_role;

-- Dismisses the open reports of a restored listing and records the version that was reviewed. This happens after a restore by RPC
-- or in the dashboard, and the dismissed reports cannot hide the listing again.
create function private.hub_assets_on_restore()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.close_reports(array[new.id], 'dismissed');
  update private.hub_moderation m
  set reviewed_version = new.current_version, reviewed_at = clock_timestamp()
  where m.asset_id = new.id;
  return null;
end;
$$;
comment on function private.hub_assets_on_restore is 'When is_hidden is cleared, dismisses the open reports of the listing and records the version that was reviewed.';
revoke execute on function private.hub_assets_on_restore from public, anon, authenticated, service_role;

create trigger hub_assets_70_on_restore
after update of is_hidden on public.hub_assets
for each row when (old.is_hidden and not new.is_hidden)
execute function private.hub_assets_on_restore();

-- Deletes everything of a deleted listing that readers could read. The tombstone keeps id, slug and reports.
create function private.hub_assets_on_tombstone()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if new.hidden_reason = 'removed' then
    perform private.close_reports(array[new.id], 'upheld');
  end if;
  -- A tombstone has no stars and no content.
  delete from public.hub_stars s where s.asset_id = new.id;
  delete from public.hub_featured f where f.asset_id = new.id;
  delete from public.hub_bundle_items i where i.asset_id = new.id;
  delete from public.hub_asset_versions v where v.asset_id = new.id;
  delete from public.hub_receipts r where r.asset_id = new.id;
  delete from public.hub_pictures p where p.asset_id = new.id;
  return null;
end;
$$;
comment on function private.hub_assets_on_tombstone is 'Deletes versions, items, receipts, stars, the picture and the entry in hub_featured when deleted_at is set; upholds the open reports when the listing was removed.';
revoke execute on function private.hub_assets_on_tombstone from public, anon, authenticated, service_role;

create trigger hub_assets_75_on_tombstone
after update of deleted_at on public.hub_assets
for each row when (new.deleted_at is not null and old.deleted_at is null)
execute function private.hub_assets_on_tombstone();
