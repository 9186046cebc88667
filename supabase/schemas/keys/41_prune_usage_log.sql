-- Pruning reads the log page by page instead of using an index. A BRIN index would not help: new rows reuse the space of pruned
-- rows, so that every page holds old and new rows.
create table private.api_key_log_pruning (
  only_row boolean not null default true,
  next_page bigint not null default 0,
  constraint api_key_log_pruning_pkey primary key (only_row),
  constraint api_key_log_pruning_only_row_check check (only_row)
);
comment on table private.api_key_log_pruning is 'One row: the page of the usage log where the next pruning starts. A wrong page number does no harm, because pruning goes on to the other pages afterwards.';
alter table private.api_key_log_pruning enable row level security;
revoke all on table private.api_key_log_pruning from public, anon, authenticated, service_role;

-- Deletes old log rows, and also the alerts and starvations that are older than keep.
create function public.prune_api_key_usage_log(
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
  -- Each delete statement reads 128 pages (one megabyte), so that pruning stops soon after the batch is full.
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

  -- This lock makes two pruning calls run one after the other. Leases and reports never lock this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- After the last page of the log, pruning continues with the first page.
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- Keeps an old lease whose report is recent.
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- The row that explains a live block or a disabled key stays until the block or the disabling ends.
        and not exists (
          select
          from public.api_key_health h
          join public.user_api_keys k on k.id = h.user_api_key_id
          where h.user_api_key_id = old.user_api_key_id
            and h.reason_log_id = old.id
            -- A block that is over needs no explanation.
            and k.ready_at > clock_timestamp()
        )
        and not exists (
          select
          from public.api_key_model_health m
          where m.user_api_key_id = old.user_api_key_id
            and m.caused_by_log_id = old.id
            and m.blocked_until > clock_timestamp()
        )
      limit prune_api_key_usage_log.batch - pruned
      -- Skips a row that a report has locked, because after that report the row may explain a block.
      for update skip locked
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  -- The next call continues where this one stopped.
  update private.api_key_log_pruning p set next_page = page;
  -- Alerts and starvations are few, so one statement deletes all old rows of a table.
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  delete from public.api_key_starvations s where s.last_refused_at < clock_timestamp() - prune_api_key_usage_log.keep;
  -- Ordering by the second column of api_key_usage_log_key_idx makes every plan use that index; another plan would read the whole
  -- log for a key without rows.
  delete from public.api_key_deleted d
  where (
    select l.id from public.api_key_usage_log l where l.user_api_key_id = d.id order by coalesce(l.agent_id, l.user_id) limit 1
  ) is null;
  return pruned;
end;
$$;
comment on function public.prune_api_key_usage_log is 'Deletes at most batch log rows that are older than keep and returns how many rows it deleted. Starts at the page where the last call stopped. Reads at most the given number of pages. Without pages it may read the whole log; then call it until it returns 0. Keeps the rows that explain a block that still lasts or a disabled key. Also deletes alerts and starvations that are older than keep, and the rows of api_key_deleted that have no log row left.';
revoke execute on function public.prune_api_key_usage_log from public, anon, authenticated, service_role;
