-- The functions that the owner of a pool calls over the API. Each only calls the private function with the same name, in
-- 50_owner_calls.sql.

create function public.my_api_keys()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.my_api_keys();
$$;
comment on function public.my_api_keys is 'Returns the caller''s keys with their states, never with their sealed texts: [{id, name, provider, account, priority, hint, state, why, since, seconds_left, limited_models, usage_count, last_outcome, last_error_code, last_reported_at, created_at}].';
revoke execute on function public.my_api_keys from public, anon, authenticated, service_role;
grant execute on function public.my_api_keys to authenticated;

create function public.my_api_key_pools()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.my_api_key_pools();
$$;
comment on function public.my_api_key_pools is 'Returns the rows of the view api_key_pools for the caller''s pool, one for each provider, without user_id.';
revoke execute on function public.my_api_key_pools from public, anon, authenticated, service_role;
grant execute on function public.my_api_key_pools to authenticated;

create function public.add_api_key(key_name text, sealed text, provider text default null, account text default null, priority integer default 0)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.add_api_key(add_api_key.key_name, add_api_key.sealed, add_api_key.provider, add_api_key.account, add_api_key.priority);
$$;
comment on function public.add_api_key is 'Adds a key to the caller''s pool and returns {id, name, hint}. sealed is the key as sealed text, which the caller has bound to the caller''s user id. Raises PT422 limit_reached when the pool has 200 keys already. Also raises PT422 account_too_large, duplicate_key, key_not_sealed, provider_not_valid or validation_failed.';
revoke execute on function public.add_api_key from public, anon, authenticated, service_role;
grant execute on function public.add_api_key to authenticated;

create function public.reset_api_key(key_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.reset_api_key(reset_api_key.key_id);
$$;
comment on function public.reset_api_key is 'Resets the block of one of the caller''s keys, and its blocks for single models. Raises PT404 key_not_found.';
revoke execute on function public.reset_api_key from public, anon, authenticated, service_role;
grant execute on function public.reset_api_key to authenticated;

create function public.set_api_key_active(key_id uuid, active boolean)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.set_api_key_active(set_api_key_active.key_id, set_api_key_active.active);
$$;
comment on function public.set_api_key_active is 'Enables (active true) or disables one of the caller''s keys. Raises PT404 key_not_found.';
revoke execute on function public.set_api_key_active from public, anon, authenticated, service_role;
grant execute on function public.set_api_key_active to authenticated;

create function public.remove_api_key(key_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.remove_api_key(remove_api_key.key_id);
$$;
comment on function public.remove_api_key is 'Deletes one of the caller''s keys. Its log rows, and its name beside them, stay until the log is pruned. Raises PT404 key_not_found.';
revoke execute on function public.remove_api_key from public, anon, authenticated, service_role;
grant execute on function public.remove_api_key to authenticated;

create function public.my_agents()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.my_agents();
$$;
comment on function public.my_agents is 'Returns the caller''s agents: [{id, name, created_at, revoked_at, last_used_at}].';
revoke execute on function public.my_agents from public, anon, authenticated, service_role;
grant execute on function public.my_agents to authenticated;

create function public.issue_my_agent_token(name text)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.issue_my_agent_token(issue_my_agent_token.name);
$$;
comment on function public.issue_my_agent_token is 'Makes an agent of the caller''s pool and returns {id, token}; the token cannot be read again later. Raises PT422 limit_reached when the pool has 50 agents already that are not revoked, and PT422 validation_failed.';
revoke execute on function public.issue_my_agent_token from public, anon, authenticated, service_role;
grant execute on function public.issue_my_agent_token to authenticated;

create function public.revoke_my_agent(agent_id uuid)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.revoke_my_agent(revoke_my_agent.agent_id);
$$;
comment on function public.revoke_my_agent is 'Revokes the token of one of the caller''s agents. Raises PT404 agent_not_found.';
revoke execute on function public.revoke_my_agent from public, anon, authenticated, service_role;
grant execute on function public.revoke_my_agent to authenticated;

create function public.my_api_key_log(
  key_id uuid default null,
  agent_id uuid default null,
  outcome text default null,
  before timestamptz default null
)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.my_api_key_log(my_api_key_log.key_id, my_api_key_log.agent_id, my_api_key_log.outcome, my_api_key_log.before);
$$;
comment on function public.my_api_key_log is 'Returns the newest 100 leases and reports of the caller''s pool, newest first: [{id, at, reported_at, key_id, agent_id, model, outcome, error_code, effect, scope}]. Four optional filters: key_id; agent_id (the caller''s own user id: calls with an access token); outcome (open: not reported yet); before: only rows from before this time. The filters outcome and before look only at the newest 1,000 rows of each key and agent.';
revoke execute on function public.my_api_key_log from public, anon, authenticated, service_role;
grant execute on function public.my_api_key_log to authenticated;
