-- Answers and confirmations end by themselves; this is for those of users who never come back.

create function public.hub_prune()
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  pruned integer;
  ended integer;
begin
  delete from private.hub_answers h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics ended = row_count;
  return pruned + ended;
end;
$$;
comment on function public.hub_prune is 'For operators: deletes answers older than 24 hours and confirmations that have ended; returns how many.';
revoke execute on function public.hub_prune from public, anon, authenticated, service_role;

-- Where pg_cron is turned on later, the operator runs this line.
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    perform cron.schedule('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()');
  end if;
end;
$$;
