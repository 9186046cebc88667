-- What operators and schedules run: moving keys to a new seal pair, and pruning the log.

create function public.reseal_api_key(key_id uuid, expected text, resealed text)
returns boolean
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  replaced boolean;
begin
  -- The same key in a new envelope is no news about the key: its block and its leases stand.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
end;
$$;
comment on function public.reseal_api_key is 'Replaces a key''s sealed text by the same key sealed to a newer pair; false when the text changed meanwhile. For operators (npm run reseal).';
revoke execute on function public.reseal_api_key from public, anon, authenticated, service_role;

create function public.prune_api_key_usage_log(keep interval default '30 days', batch integer default 10000)
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  pruned integer;
begin
  if prune_api_key_usage_log.keep < interval '1 day' or prune_api_key_usage_log.batch < 1 then
    raise exception using errcode = 'PT422', message = 'keep must be at least 1 day and batch at least 1';
  end if;
  delete from public.api_key_usage_log l
  where l.id in (
    select old.id
    from public.api_key_usage_log old
    where coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
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
    limit prune_api_key_usage_log.batch
    for update skip locked
  );
  get diagnostics pruned = row_count;
  return pruned;
end;
$$;
comment on function public.prune_api_key_usage_log is 'Deletes at most batch log rows older than keep and returns how many; call it until it returns 0. Spares what explains a live block or a disabled key.';
revoke execute on function public.prune_api_key_usage_log from public, anon, authenticated, service_role;

-- Where pg_cron is on already; elsewhere the operator schedules it once it is.
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    perform cron.schedule('keyhub-prune-usage-log', '*/10 * * * *', 'select public.prune_api_key_usage_log()');
  end if;
end;
$$;
