SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.count_reports()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- guard: hub: reports lock the asset before its moderation row
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- end
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    -- guard: hub: visibility is re-checked under the lock for a report
    -- without: if false then
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not a.is_visible) then
    -- end
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      -- guard: hub: at most 20 open reports
      -- without: having count(*) > 2000
      having count(*) > 20
      -- end
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
    set is_hidden = true, hidden_reason = 'reports'
    -- guard: hub: the report that reaches the threshold hides the asset
    -- without: where false;
    where a.id = any (reached) and not a.is_hidden;
    -- end
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
$function$;

COMMENT ON FUNCTION "private"."count_reports"() IS 'Maintains the counts of open reports; the counted one that reaches the threshold hides the asset. Raises PT409 too_many_open_reports.';

COMMENT ON TABLE "private"."hub_moderation" IS 'One row per asset, inserted with it. When its counted reports reach the threshold of private.count_reports, the asset is hidden.';
