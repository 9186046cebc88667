-- What operators do after an alert: bring back what reports have disabled since a moment.

create function public.reenable_keys(user_id uuid, provider text, since timestamptz)
returns table (user_api_key_id uuid, key_name text, disabled_at timestamptz, reason_code text)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
begin
  -- One by one in a fixed order, each locked before it is looked at: what somebody enables meanwhile is left alone.
  for reenable_keys.user_api_key_id in
    select k.id
    from public.user_api_keys k
    where k.user_id = reenable_keys.user_id
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      and not k.is_active
    order by k.id
  loop
    perform from public.user_api_keys k where k.id = reenable_keys.user_api_key_id for no key update;
    select k.key_name, h.reason_since, h.reason_code
    into reenable_keys.key_name, reenable_keys.disabled_at, reenable_keys.reason_code
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = reenable_keys.user_api_key_id
      and h.reason = 'invalid_key'
      and h.reason_since >= reenable_keys.since;
    if found then
      update public.user_api_keys k set is_active = true where k.id = reenable_keys.user_api_key_id;
      return next;
    end if;
  end loop;
end;
$$;
comment on function public.reenable_keys is 'Enables the keys of a pool that reports have disabled since a moment, of one provider or (null) of all, and returns them. What operators disabled stays so. For operators.';
revoke execute on function public.reenable_keys from public, anon, authenticated, service_role;
grant execute on function public.reenable_keys to service_role;

-- Alerts go with the log rows of their time.
create or replace function public.prune_api_key_usage_log(
  keep interval default '30 days',
  batch integer default 10000,
  pages integer default null
)
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  -- A megabyte a statement: little enough to stop soon after the batch is full.
  slice constant integer := 128;
  size constant bigint := pg_relation_size('public.api_key_usage_log') / current_setting('block_size')::integer;
  unseen bigint := least(size, prune_api_key_usage_log.pages);
  page bigint;
  pruned integer := 0;
  gone integer;
begin
  if prune_api_key_usage_log.keep < interval '1 day'
    or prune_api_key_usage_log.batch < 1
    or prune_api_key_usage_log.pages < 1
  then
    raise exception using errcode = 'PT422', message = 'keep must be at least 1 day, batch and pages at least 1';
  end if;

  -- Two pruners take turns; callers know nothing of this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- The row that explains a live block or a disabled key stays for as long as it does.
        and not exists (
          select
          from public.api_key_health h
          join public.user_api_keys k on k.id = h.user_api_key_id
          where h.user_api_key_id = old.user_api_key_id
            and h.reason_log_id = old.id
            and k.ready_at > clock_timestamp()
        )
      limit prune_api_key_usage_log.batch - pruned
      -- Never waits for a report, which may be making its row the one that explains.
      for update skip locked
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  update private.api_key_log_pruning p set next_page = page;
  -- One a pool and provider in five minutes at most: few enough to go at once.
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  return pruned;
end;
$$;
