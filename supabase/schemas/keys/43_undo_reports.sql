-- For operators: takes back the effects of the reports of an agent that lies or is configured wrongly.
create function public.undo_reports(user_id uuid, agent_id uuid, since timestamptz)
returns table (user_api_key_id uuid, key_name text, model text, reason text, reason_code text)
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  -- The ids of the agent's reports that explain the present state of a key, or of a key with a model.
  causes uuid[] := array(
    select l.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_model_health m on m.user_api_key_id = k.id
    join public.api_key_usage_log l on l.id in (h.reason_log_id, m.caused_by_log_id)
    where k.user_id = undo_reports.user_id
      and l.agent_id is not distinct from undo_reports.agent_id
      and l.reported_at >= undo_reports.since
  );
begin
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  -- A key that an operator disabled stays disabled.
  where h.user_api_key_id = k.id and h.reason_log_id = any (causes) and h.reason = 'invalid_key' and not k.is_active
  returning k.id, k.key_name, null::text, h.reason, h.reason_code;
  -- Resets models before keys: the reset of a key deletes the rows of its models.
  return query
  update public.api_key_model_health m
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where m.caused_by_log_id = any (causes) and m.blocked_until > clock_timestamp() and k.id = m.user_api_key_id and l.id = m.caused_by_log_id
  returning k.id, k.key_name, m.model, l.outcome, l.error_code;
  return query
  update public.api_key_health h
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where h.reason_log_id = any (causes) and h.blocked_until > clock_timestamp() and k.id = h.user_api_key_id and k.is_active and l.id = h.reason_log_id
  returning k.id, k.key_name, null::text, l.outcome, l.error_code;
end;
$$;
comment on function public.undo_reports is 'For operators: takes back what the reports of an agent since a given time have done to a pool. If one of these reports caused the present block of a key, the block ends; if one of them disabled a key, the key is enabled. Returns the keys that it changed. Blocks and keys that an operator has changed since stay as they are. With null as agent_id it takes back the reports that the owner made with an access token.';
revoke execute on function public.undo_reports from public, anon, authenticated, service_role;
grant execute on function public.undo_reports to service_role;
