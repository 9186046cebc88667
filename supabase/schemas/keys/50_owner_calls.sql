-- The private code behind the functions of 51_owner_api.sql, for the owner of a pool, who has no SQL access. Each function reads
-- and changes only the caller's own rows. For a key of somebody else the answer is the same as for a key that does not exist.
create function private.key_owner()
returns uuid
language plpgsql
stable
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
begin
  if caller is null or coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') = 'true' then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  return caller;
end;
$$;
comment on function private.key_owner is 'Returns the user id of the caller, who must be signed in to an account. Raises 42501 for a caller without a session or with an anonymous one.';
revoke execute on function private.key_owner from public, anon, authenticated, service_role;

-- Refuses a row above the owner's limit. The advisory lock makes the calls of one owner add rows one after another, so that two
-- concurrent calls cannot both add the last row that the limit allows.
create function private.limit_own_rows(owner uuid, what text, most integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  held bigint;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(limit_own_rows.owner, 4));
  if limit_own_rows.what = 'keys' then
    select count(*) into held from public.user_api_keys k where k.user_id = limit_own_rows.owner;
  else
    select count(*) into held from public.api_key_agents a where a.user_id = limit_own_rows.owner and a.revoked_at is null;
  end if;
  if held >= limit_own_rows.most then
    raise exception using
      errcode = 'PT422',
      message = 'limit_reached',
      detail = jsonb_build_object('limit', limit_own_rows.what, 'most', limit_own_rows.most)::text;
  end if;
end;
$$;
comment on function private.limit_own_rows is 'Raises PT422 limit_reached when the owner already has the maximum number (most) of keys or of agents that are not revoked.';
revoke execute on function private.limit_own_rows from public, anon, authenticated, service_role;

create function private.own_key(key_id uuid)
returns public.user_api_keys
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
  key public.user_api_keys;
begin
  select k.* into key from public.user_api_keys k where k.id = own_key.key_id and k.user_id = owner for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'key_not_found';
  end if;
  return key;
end;
$$;
comment on function private.own_key is 'Locks the row of one of the caller''s keys and returns it. Raises PT404 key_not_found.';
revoke execute on function private.own_key from public, anon, authenticated, service_role;

create function private.my_api_keys()
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', s.user_api_key_id,
        'name', s.key_name,
        'provider', s.provider,
        'account', s.account,
        'priority', s.priority,
        'hint', s.key_hint,
        'state', s.state,
        'why', s.why,
        'since', s.since,
        'seconds_left', s.seconds_left,
        'limited_models', coalesce(to_jsonb(s.limited_models), '[]'),
        'usage_count', s.usage_count - k.skipped_count,
        'last_outcome', s.last_outcome,
        'last_error_code', s.last_error_code,
        'last_reported_at', s.last_reported_at,
        'created_at', k.created_at
      )
      order by s.provider nulls last, s.priority desc, s.key_name, s.user_api_key_id
    ), '[]')
    from public.api_key_states s
    join public.user_api_keys k on k.id = s.user_api_key_id
    where s.user_id = owner
  );
end;
$$;
comment on function private.my_api_keys is 'Returns the keys of the caller with their states. Called by public.my_api_keys.';
revoke execute on function private.my_api_keys from public, anon, authenticated, service_role;
grant execute on function private.my_api_keys to authenticated;

create function private.my_api_key_pools()
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(p) - 'user_id' order by p.provider nulls last), '[]')
    from public.api_key_pools p
    where p.user_id = owner
  );
end;
$$;
comment on function private.my_api_key_pools is 'Returns the rows of api_key_pools that belong to the caller. Called by public.my_api_key_pools.';
revoke execute on function private.my_api_key_pools from public, anon, authenticated, service_role;
grant execute on function private.my_api_key_pools to authenticated;

create function private.add_api_key(key_name text, sealed text, provider text, account text, priority integer)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
  name constant text := btrim(add_api_key.key_name);
  made public.user_api_keys;
begin
  if char_length(name) not between 1 and 200 or name ~ '[[:cntrl:]]' then
    perform private.refuse_faults(private.fault('key_name', 'invalid_text', 'must be one line of 1 to 200 characters'));
  end if;
  perform private.limit_own_rows(owner, 'keys', 200);
  insert into public.user_api_keys (user_id, key_name, api_key_encrypted, provider, account, priority)
  values (owner, name, add_api_key.sealed, add_api_key.provider, add_api_key.account, coalesce(add_api_key.priority, 0))
  returning * into made;
  return jsonb_build_object('id', made.id, 'name', made.key_name, 'hint', made.key_hint);
end;
$$;
comment on function private.add_api_key is 'Checks the name of the key and the limit of 200 keys for a pool, then inserts the key. Called by public.add_api_key.';
revoke execute on function private.add_api_key from public, anon, authenticated, service_role;
grant execute on function private.add_api_key to authenticated;

create function private.reset_api_key(key_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  key constant public.user_api_keys := private.own_key(reset_api_key.key_id);
begin
  update public.api_key_health h set blocked_until = null, consecutive_failures = 0 where h.user_api_key_id = key.id;
  update public.api_key_model_health m set blocked_until = null, consecutive_failures = 0 where m.user_api_key_id = key.id;
end;
$$;
comment on function private.reset_api_key is 'Resets the block of one of the caller''s keys, and its blocks for single models. Called by public.reset_api_key.';
revoke execute on function private.reset_api_key from public, anon, authenticated, service_role;
grant execute on function private.reset_api_key to authenticated;

create function private.set_api_key_active(key_id uuid, active boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  key constant public.user_api_keys := private.own_key(set_api_key_active.key_id);
begin
  update public.user_api_keys k
  set is_active = set_api_key_active.active
  where k.id = key.id and k.is_active is distinct from set_api_key_active.active;
end;
$$;
comment on function private.set_api_key_active is 'Enables or disables one of the caller''s keys. Called by public.set_api_key_active.';
revoke execute on function private.set_api_key_active from public, anon, authenticated, service_role;
grant execute on function private.set_api_key_active to authenticated;

create function private.remove_api_key(key_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  key constant public.user_api_keys := private.own_key(remove_api_key.key_id);
begin
  delete from public.user_api_keys k where k.id = key.id;
end;
$$;
comment on function private.remove_api_key is 'Deletes one of the caller''s keys. Called by public.remove_api_key.';
revoke execute on function private.remove_api_key from public, anon, authenticated, service_role;
grant execute on function private.remove_api_key to authenticated;

-- Returns the newest log rows of a pool. Searches the index of the log once for each pair of key and caller. There are few pairs:
-- an owner may add 200 keys, and the callers are the owner and the agents of the owner.
create function private.own_log(owner uuid, key_id uuid, agent_id uuid, looked_at integer)
returns setof public.api_key_usage_log
language sql
stable
security definer
set search_path = ''
as $$
  select l.*
  from public.user_api_keys k
  cross join (
    select a.id from public.api_key_agents a where a.user_id = own_log.owner
    union all
    select own_log.owner
  ) c (id)
  cross join lateral (
    select *
    from public.api_key_usage_log l
    where l.user_api_key_id = k.id and coalesce(l.agent_id, l.user_id) = c.id
    order by l.issued_at desc
    limit own_log.looked_at
  ) l
  where k.user_id = own_log.owner
    and (own_log.key_id is null or k.id = own_log.key_id)
    and (own_log.agent_id is null or c.id = own_log.agent_id);
$$;
comment on function private.own_log is 'Returns the newest looked_at log rows of each pair of a key of the owner and a caller (the owner or an agent of the owner). key_id or agent_id limits this to one key or one caller; the user id of the owner as agent_id means the calls with an access token.';
revoke execute on function private.own_log from public, anon, authenticated, service_role;

create function private.my_agents()
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', a.id, 'name', a.name, 'created_at', a.created_at, 'revoked_at', a.revoked_at, 'last_used_at', u.last_used_at
      )
      order by a.revoked_at is not null, a.created_at desc, a.id
    ), '[]')
    from public.api_key_agents a
    left join (
      select l.agent_id, max(coalesce(l.issued_at, l.reported_at)) as last_used_at
      from private.own_log(owner, null, null, 1) l
      group by l.agent_id
    ) u on u.agent_id = a.id
    where a.user_id = owner
  );
end;
$$;
comment on function private.my_agents is 'Returns the caller''s agents, each with the time of its last lease or report. Called by public.my_agents.';
revoke execute on function private.my_agents from public, anon, authenticated, service_role;
grant execute on function private.my_agents to authenticated;

create function private.issue_my_agent_token(name text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
  wanted constant text := btrim(issue_my_agent_token.name);
  token text;
begin
  if char_length(wanted) not between 1 and 100 or wanted ~ '[[:cntrl:]]' then
    perform private.refuse_faults(private.fault('name', 'invalid_text', 'must be one line of 1 to 100 characters'));
  end if;
  perform private.limit_own_rows(owner, 'agents', 50);
  token := public.issue_agent_token(owner, wanted);
  return jsonb_build_object(
    'token', token,
    'id', (select a.id from public.api_key_agents a where a.token_hash = encode(sha256(convert_to(token, 'UTF8')), 'hex'))
  );
end;
$$;
comment on function private.issue_my_agent_token is 'Checks the name of the agent and the limit of 50 agents that are not revoked, then makes the agent and its token. Called by public.issue_my_agent_token.';
revoke execute on function private.issue_my_agent_token from public, anon, authenticated, service_role;
grant execute on function private.issue_my_agent_token to authenticated;

create function private.revoke_my_agent(agent_id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
begin
  update public.api_key_agents a
  set revoked_at = coalesce(a.revoked_at, clock_timestamp())
  where a.id = revoke_my_agent.agent_id and a.user_id = owner;
  if not found then
    raise exception using errcode = 'PT404', message = 'agent_not_found';
  end if;
end;
$$;
comment on function private.revoke_my_agent is 'Revokes one of the caller''s agents. An agent that is revoked already keeps the time of its revocation. Called by public.revoke_my_agent.';
revoke execute on function private.revoke_my_agent from public, anon, authenticated, service_role;
grant execute on function private.revoke_my_agent to authenticated;

create function private.my_api_key_log(key_id uuid, agent_id uuid, outcome text, before timestamptz)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(shown) order by shown.at desc, shown.id), '[]')
    from (
      select
        l.id,
        coalesce(l.issued_at, l.reported_at) as at,
        l.reported_at,
        l.user_api_key_id as key_id,
        l.agent_id,
        l.model,
        l.outcome,
        l.error_code,
        l.effect,
        l.scope
      from private.own_log(owner, my_api_key_log.key_id, my_api_key_log.agent_id, 1000) l
      where (my_api_key_log.outcome is null or coalesce(l.outcome, 'open') = my_api_key_log.outcome)
        and (my_api_key_log.before is null or coalesce(l.issued_at, l.reported_at) < my_api_key_log.before)
      order by 2 desc, l.id
      limit 100
    ) shown
  );
end;
$$;
comment on function private.my_api_key_log is 'Filters the newest 1,000 log rows of each pair of a key of the caller and an agent (or the caller), and returns the newest 100 rows that pass the filters. Called by public.my_api_key_log.';
revoke execute on function private.my_api_key_log from public, anon, authenticated, service_role;
grant execute on function private.my_api_key_log to authenticated;
