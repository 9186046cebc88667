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
  counted integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics ended = row_count;
  -- guard: publish: old calls are pruned
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  -- end
  get diagnostics counted = row_count;
  return pruned + ended + counted;
end;
$$;
comment on function public.hub_prune is 'For operators: deletes answers older than 24 hours, confirmations that have ended and calls that count no longer; returns how many.';
revoke execute on function public.hub_prune from public, anon, authenticated, service_role;
