-- Counts the reports of a listing with a counter, because the threshold needs an exact count. count(*) would miss reports that
-- other transactions have not committed, and locking all reports would deadlock. The counter changes by the number of reports
-- added or closed, and the update returns its new value.
create function private.count_reports()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- Lock order: first the assets by id, then their moderation rows.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not private.is_seen_by(a, n.reporter_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      having count(*) > 20
    ) then
      raise exception using errcode = 'PT409', message = 'too_many_open_reports';
    end if;
    with moved as (
      update private.hub_moderation m
      set open_reports = m.open_reports + d.open, counting_reports = m.counting_reports + d.counting
      from (
        select n.asset_id, count(*)::integer as open, count(*) filter (where n.counts)::integer as counting
        from added n
        group by n.asset_id
      ) d
      where m.asset_id = d.asset_id
      returning m.asset_id, m.counting_reports
    )
    select array_agg(m.asset_id) into reached from moved m where m.counting_reports >= threshold;
    update public.hub_assets a
    -- The admins of an organization decide about the listings on its shelf, so these listings get a reason of their own.
    set is_hidden = true, hidden_reason = case when a.is_shared then 'organization_reports' else 'reports' end
    where a.id = any (reached) and not a.is_hidden;
    return null;
  end if;

  perform from private.hub_moderation m where m.asset_id in (select o.asset_id from removed o) order by m.asset_id for no key update;
  if tg_op = 'UPDATE' then
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select
        o.asset_id,
        count(*) filter (where n.resolved)::integer as open,
        count(*) filter (where o.counts and (n.resolved or not n.counts))::integer as counting
      from removed o
      join added n on n.id = o.id
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id and (d.open <> 0 or d.counting <> 0);
  else
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select o.asset_id, count(*)::integer as open, count(*) filter (where o.counts)::integer as counting
      from removed o
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_reports is 'Maintains the counts of open reports; the counted report that reaches the threshold hides the asset. Raises PT409 too_many_open_reports.';
revoke execute on function private.count_reports from public, anon, authenticated, service_role;

create trigger hub_reports_count_added after insert on public.hub_reports
referencing new table as added for each statement execute function private.count_reports();
create trigger hub_reports_55_count_changed after update on public.hub_reports
referencing old table as removed new table as added for each statement execute function private.count_reports();
create trigger hub_reports_count_removed after delete on public.hub_reports
referencing old table as removed for each statement execute function private.count_reports();

create function private.reset_report_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update private.hub_moderation m set open_reports = 0, counting_reports = 0 where m.open_reports <> 0;
  return null;
end;
$$;
comment on function private.reset_report_counts is 'Sets open_reports and counting_reports of all assets to 0 when hub_reports is truncated.';
revoke execute on function private.reset_report_counts from public, anon, authenticated, service_role;

create trigger hub_reports_reset_on_truncate
after truncate on public.hub_reports
for each statement execute function private.reset_report_counts();
