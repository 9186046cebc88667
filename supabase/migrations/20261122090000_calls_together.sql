-- The way to REST and the flush of a transaction cost a call several times what its hand-out or report does. Calls of one caller that
-- reach a function while another one's answer is on the way therefore go together: one call to REST, one transaction.

create function public.lease_api_keys(
  calls integer,
  token_hash text default null,
  user_id uuid default null,
  provider text default null,
  live_kids text[] default '{}'
)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  answer jsonb;
  answers jsonb := '[]';
begin
  for place in 1..lease_api_keys.calls loop
    -- What one is told that got no key holds for those behind it: they are part of the same look.
    if place = 1 or (answer ->> 'leased')::boolean then
      answer := public.lease_api_key(
        token_hash => lease_api_keys.token_hash,
        user_id => lease_api_keys.user_id,
        provider => lease_api_keys.provider,
        live_kids => lease_api_keys.live_kids
      );
    end if;
    answers := answers || answer;
  end loop;
  return answers;
end;
$$;
comment on function public.lease_api_keys is
  'As many hand-outs to one caller in one transaction, an array of what lease_api_key answers. Only the first waits for a key that somebody holds.';
revoke execute on function public.lease_api_keys from public, anon, authenticated, service_role;
grant execute on function public.lease_api_keys to service_role;

create function public.report_successes(lease_ids uuid[], token_hash text default null, user_id uuid default null)
returns jsonb
language plpgsql
volatile
security invoker
set search_path = ''
set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off
as $$
declare
  next_id uuid;
  answers jsonb := '[]';
begin
  foreach next_id in array report_successes.lease_ids loop
    -- Whoever holds a place in one key's queue must not wait in another one's: two of them would wait for each other.
    if answers <> '[]'
      and not coalesce(
        (
          select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(l.user_api_key_id, 0))
          from public.api_key_usage_log l
          where l.id = next_id
        ),
        true
      )
    then
      answers := answers || jsonb_build_object('ask_again', true);
    else
      answers := answers || public.report_api_key(
        outcome => 'success',
        rule => 'success',
        token_hash => report_successes.token_hash,
        user_id => report_successes.user_id,
        lease_id => next_id
      );
    end if;
  end loop;
  return answers;
end;
$$;
comment on function public.report_successes is
  'Successes of one caller in one transaction, an array of what report_api_key answers, or that one is to be asked again. One that is refused refuses all.';
revoke execute on function public.report_successes from public, anon, authenticated, service_role;
grant execute on function public.report_successes to service_role;
