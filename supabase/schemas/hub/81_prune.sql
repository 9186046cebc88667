-- Deletes the expired rows of all users. Each request deletes the expired rows of its own user, but some users send no more
-- requests.
create function public.hub_prune()
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  expired_overwritten integer;
  unused_words integer;
  former_names integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  delete from private.hub_former_names f where f.given_up_at <= clock_timestamp() - interval '180 days';
  get diagnostics former_names = row_count;
  delete from private.hub_overwritten o where o.at <= clock_timestamp() - interval '30 days';
  get diagnostics expired_overwritten = row_count;
  -- Does not wait for writers, so it may delete a word that a listing published at this moment brings back. Then only the whole
  -- word finds this listing; the beginning of the word or a misspelling does not.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + expired_overwritten + unused_words + former_names;
end;
$$;
comment on function public.hub_prune is 'For operators: deletes idempotent responses older than 24 hours, expired scan tokens, calls counted for hourly limits more than one hour ago, overwritten contents of copies older than 30 days, user names given up at least 180 days ago, and words that no visible listing has any more; returns the number of deleted rows.';
revoke execute on function public.hub_prune from public, anon, authenticated, service_role;
