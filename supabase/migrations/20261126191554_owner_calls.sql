SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.add_api_key (
  key_name text,
  sealed   text,
  provider text,
  account  text,
  priority integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.issue_my_agent_token (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.key_owner()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
begin
  if caller is null or coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') = 'true' then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  return caller;
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_own_rows (
  owner uuid,
  what  text,
  most  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.my_agents()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.my_api_key_log (
  key_id   uuid,
  agent_id uuid,
  outcome  text,
  before   timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.my_api_key_pools()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(p) - 'user_id' order by p.provider nulls last), '[]')
    from public.api_key_pools p
    where p.user_id = owner
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_api_keys()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.own_key (
  key_id uuid
)
  RETURNS public.user_api_keys
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.own_log (
  owner     uuid,
  key_id    uuid,
  agent_id  uuid,
  looked_at integer
)
  RETURNS SETOF public.api_key_usage_log
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.remove_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(remove_api_key.key_id);
begin
  delete from public.user_api_keys k where k.id = key.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reset_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(reset_api_key.key_id);
begin
  update public.api_key_health h set blocked_until = null, consecutive_failures = 0 where h.user_api_key_id = key.id;
  update public.api_key_model_health m set blocked_until = null, consecutive_failures = 0 where m.user_api_key_id = key.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_my_agent (
  agent_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.set_api_key_active (
  key_id uuid,
  active boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(set_api_key_active.key_id);
begin
  update public.user_api_keys k
  set is_active = set_api_key_active.active
  where k.id = key.id and k.is_active is distinct from set_api_key_active.active;
end;
$function$;

CREATE OR REPLACE FUNCTION public.add_api_key (
  key_name text,
  sealed   text,
  provider text    DEFAULT NULL::text,
  account  text    DEFAULT NULL::text,
  priority integer DEFAULT 0
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.add_api_key(add_api_key.key_name, add_api_key.sealed, add_api_key.provider, add_api_key.account, add_api_key.priority);
$function$;

REVOKE ALL ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.issue_my_agent_token (
  name text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.issue_my_agent_token(issue_my_agent_token.name);
$function$;

REVOKE ALL ON FUNCTION "public"."issue_my_agent_token"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_agents()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_agents();
$function$;

REVOKE ALL ON FUNCTION "public"."my_agents"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_key_log (
  key_id   uuid                     DEFAULT NULL::uuid,
  agent_id uuid                     DEFAULT NULL::uuid,
  outcome  text                     DEFAULT NULL::text,
  before   timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_key_log(my_api_key_log.key_id, my_api_key_log.agent_id, my_api_key_log.outcome, my_api_key_log.before);
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_key_pools()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_key_pools();
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_key_pools"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_keys()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_keys();
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_keys"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.remove_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_api_key(remove_api_key.key_id);
$function$;

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.reset_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.reset_api_key(reset_api_key.key_id);
$function$;

REVOKE ALL ON FUNCTION "public"."reset_api_key"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.revoke_my_agent (
  agent_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.revoke_my_agent(revoke_my_agent.agent_id);
$function$;

REVOKE ALL ON FUNCTION "public"."revoke_my_agent"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_api_key_active (
  key_id uuid,
  active boolean
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_api_key_active(set_api_key_active.key_id, set_api_key_active.active);
$function$;

REVOKE ALL ON FUNCTION "public"."set_api_key_active"(uuid, boolean) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) IS 'Implements add_api_key.';

COMMENT ON FUNCTION "private"."issue_my_agent_token"(text) IS 'Implements issue_my_agent_token.';

COMMENT ON FUNCTION "private"."key_owner"() IS 'The caller, who has an account. Refuses anonymous sessions.';

COMMENT ON FUNCTION "private"."limit_own_rows"(uuid, text, integer) IS 'Raises PT422 limit_reached when the owner has so many keys or live agents.';

COMMENT ON FUNCTION "private"."my_agents"() IS 'Implements my_agents.';

COMMENT ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Implements my_api_key_log.';

COMMENT ON FUNCTION "private"."my_api_key_pools"() IS 'Implements my_api_key_pools.';

COMMENT ON FUNCTION "private"."my_api_keys"() IS 'Implements my_api_keys.';

COMMENT ON FUNCTION "private"."own_key"(uuid) IS 'Locks and returns a key of the caller''s. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) IS 'The last rows of the log of each key of a pool and each of its callers.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'Implements remove_api_key.';

COMMENT ON FUNCTION "private"."reset_api_key"(uuid) IS 'Implements reset_api_key.';

COMMENT ON FUNCTION "private"."revoke_my_agent"(uuid) IS 'Implements revoke_my_agent.';

COMMENT ON FUNCTION "private"."set_api_key_active"(uuid, boolean) IS 'Implements set_api_key_active.';

COMMENT ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) IS 'Adds a key, sealed to the caller by the caller, to the caller''s pool: {id, name, hint}. At most 200 keys. Raises PT422 account_too_large, duplicate_key, key_not_sealed, limit_reached, provider_not_valid or validation_failed.';

COMMENT ON FUNCTION "public"."issue_my_agent_token"(text) IS 'Makes an agent of the caller''s pool: {id, token}; the token is told this once. At most 50 live agents. Raises PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."my_agents"() IS 'The caller''s agents: [{id, name, created_at, revoked_at, last_used_at}].';

COMMENT ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'The last hundred leases and reports of the caller''s pool, newest first, of a key, an agent (the caller''s own id: calls with an access token), an outcome (open: not reported yet), before a time: [{id, at, reported_at, key_id, agent_id, model, outcome, error_code, effect, scope}]. An outcome and a time are looked for among the last thousand of each key and agent.';

COMMENT ON FUNCTION "public"."my_api_key_pools"() IS 'The caller''s pool by provider, as api_key_pools shows it to operators.';

COMMENT ON FUNCTION "public"."my_api_keys"() IS 'The caller''s keys with their states, never their texts: [{id, name, provider, account, priority, hint, state, why, since, seconds_left, limited_models, usage_count, last_outcome, last_error_code, last_reported_at, created_at}].';

COMMENT ON FUNCTION "public"."remove_api_key"(uuid) IS 'Deletes the caller''s key; its name and its log stay as long as the log is kept. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."reset_api_key"(uuid) IS 'Ends the blocks of the caller''s key, and of its models. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."revoke_my_agent"(uuid) IS 'The token of the caller''s agent is valid no more. Raises PT404 agent_not_found.';

COMMENT ON FUNCTION "public"."set_api_key_active"(uuid, boolean) IS 'Enables or disables the caller''s key. Raises PT404 key_not_found.';

REVOKE ALL ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."issue_my_agent_token"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."issue_my_agent_token"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."key_owner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_own_rows"(uuid, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."my_agents"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_agents"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_key_pools"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_key_pools"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_keys"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_keys"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_key"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_api_key"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reset_api_key"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reset_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."revoke_my_agent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revoke_my_agent"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."set_api_key_active"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_api_key_active"(uuid, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."issue_my_agent_token"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."issue_my_agent_token"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."issue_my_agent_token"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_agents"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_agents"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_agents"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_pools"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_key_pools"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_pools"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_keys"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_keys"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_keys"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."reset_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."reset_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reset_api_key"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_my_agent"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."revoke_my_agent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_my_agent"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_api_key_active"(uuid, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."set_api_key_active"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_api_key_active"(uuid, boolean) TO "postgres";
