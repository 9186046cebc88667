-- What the migrations make, read back from the catalog, so that each of them shows as a diff.
-- Made by: npm run generate. Do not edit.

create schema private;
grant usage on schema private to service_role;
comment on schema private is 'Internal: never exposed over the API.';

create schema public;
grant usage on schema public to anon;
grant usage on schema public to authenticated;
grant usage on schema public to public;
grant usage on schema public to service_role;
comment on schema public is 'standard public schema';

create table private.api_key_tiers (
  user_id uuid not null,
  priority integer not null,
  floor_count bigint not null,
  floor_id uuid not null,
  constraint api_key_tiers_pkey PRIMARY KEY (user_id, priority),
  constraint api_key_tiers_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE
) with (fillfactor=50);
alter table private.api_key_tiers enable row level security;
create policy api_key_tiers_service_all on private.api_key_tiers for all to service_role using (true) with check (true);
grant insert, select, update on table private.api_key_tiers to service_role;
comment on table private.api_key_tiers is 'The tiers of each pool, and where the scan for the least used ready key starts. A tier that lost its keys keeps its row.';

create table public.api_key_agents (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  name text not null,
  token_hash text not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  constraint api_key_agents_pkey PRIMARY KEY (id),
  constraint api_key_agents_token_hash_key UNIQUE (token_hash),
  constraint api_key_agents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint api_key_agents_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint api_key_agents_token_hash_check CHECK ((token_hash ~ '^[0-9a-f]{64}$'::text))
);
CREATE INDEX api_key_agents_user_id_idx ON public.api_key_agents USING btree (user_id);
alter table public.api_key_agents enable row level security;
create policy api_key_agents_service_select on public.api_key_agents for select to service_role using (true);
grant select on table public.api_key_agents to service_role;
comment on table public.api_key_agents is 'Agents and the SHA-256 (hex) of their tokens. Revoke with: update api_key_agents set revoked_at = now() where id = ...';
comment on column public.api_key_agents.revoked_at is 'From then on the token is refused.';

create table public.api_key_health (
  user_api_key_id uuid not null,
  blocked_until timestamp with time zone,
  consecutive_failures integer not null default 0,
  rate_blocked_until timestamp with time zone,
  reason text,
  reason_code text,
  reason_since timestamp with time zone,
  reason_log_id uuid,
  last_failure_at timestamp with time zone,
  recent_server_errors timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  last_reported_at timestamp with time zone,
  last_outcome text,
  last_error_code text,
  last_effect text,
  constraint api_key_health_pkey PRIMARY KEY (user_api_key_id),
  constraint api_key_health_user_api_key_id_fkey FOREIGN KEY (user_api_key_id) REFERENCES public.user_api_keys(id) ON DELETE CASCADE,
  constraint api_key_health_consecutive_failures_check CHECK (((consecutive_failures >= 0) AND (consecutive_failures <= 1000000000)))
);
CREATE TRIGGER api_key_health_before_update BEFORE UPDATE OF blocked_until, user_api_key_id ON public.api_key_health FOR EACH ROW WHEN ((NOT (old.last_reported_at IS DISTINCT FROM new.last_reported_at))) EXECUTE FUNCTION private.api_key_health_before_update();
CREATE TRIGGER api_key_health_copy_block AFTER UPDATE OF blocked_until ON public.api_key_health FOR EACH ROW WHEN (((old.blocked_until IS DISTINCT FROM new.blocked_until) OR ((new.blocked_until IS NULL) AND (old.consecutive_failures > 0) AND (new.consecutive_failures = 0) AND (NOT (old.last_reported_at IS DISTINCT FROM new.last_reported_at))))) EXECUTE FUNCTION private.copy_block_to_key();
CREATE TRIGGER api_key_health_keep AFTER DELETE ON public.api_key_health FOR EACH ROW EXECUTE FUNCTION private.keep_api_key_health();
CREATE TRIGGER api_key_health_keep_all AFTER TRUNCATE ON public.api_key_health FOR EACH STATEMENT EXECUTE FUNCTION private.keep_all_api_key_health();
alter table public.api_key_health enable row level security;
create policy api_key_health_service_all on public.api_key_health for all to service_role using (true) with check (true);
grant delete, insert, select, update on table public.api_key_health to service_role;
comment on table public.api_key_health is 'One row per key, made with the key. Reset a block with: update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ...';
comment on column public.api_key_health.blocked_until is 'Cooling down while later than now; null means no cooldown.';
comment on column public.api_key_health.consecutive_failures is 'Rate and quota outages in a row: the exponent of the cooldown.';
comment on column public.api_key_health.rate_blocked_until is 'End of the last block by a rate or quota failure; a lease issued before it cannot escalate.';
comment on column public.api_key_health.reason is 'What set the present block or disabled the key: an outcome of set-key-state, blocked_by_operator or disabled_by_operator.';
comment on column public.api_key_health.reason_code is 'The error code of the report behind reason.';
comment on column public.api_key_health.reason_since is 'When the present block or the disabling began.';
comment on column public.api_key_health.reason_log_id is 'The usage log row of that report. No foreign key: pruning spares it by looking here.';
comment on column public.api_key_health.last_failure_at is 'The newest failure that changed something; a success on a lease issued before it is stale.';
comment on column public.api_key_health.recent_server_errors is 'Times of the newest tolerated server errors in a row, oldest first.';
comment on column public.api_key_health.last_reported_at is 'The newest report of any class.';

create view public.api_key_states with (security_invoker=true) as
 SELECT k.id AS user_api_key_id,
    k.user_id,
    k.key_name,
    k.provider,
    k.priority,
    k.usage_count,
        CASE
            WHEN k.ready_at <= clock_timestamp() THEN 'available'::text
            WHEN NOT k.is_active OR k.unusable_reason IS NOT NULL THEN 'disabled'::text
            ELSE 'cooling_down'::text
        END AS state,
        CASE
            WHEN k.is_active AND k.unusable_reason IS NULL AND k.ready_at > clock_timestamp() AND isfinite(k.ready_at) THEN ceil(EXTRACT(epoch FROM k.ready_at - clock_timestamp()))::bigint
            ELSE NULL::bigint
        END AS seconds_left,
    h.consecutive_failures,
        CASE
            WHEN k.ready_at <= clock_timestamp() THEN NULL::text
            WHEN k.is_active AND k.unusable_reason IS NOT NULL THEN k.unusable_reason
            ELSE concat_ws(' '::text, h.reason, h.reason_code)
        END AS why,
        CASE
            WHEN k.ready_at <= clock_timestamp() THEN NULL::timestamp with time zone
            WHEN k.is_active AND k.unusable_reason IS NOT NULL THEN k.unusable_since
            ELSE h.reason_since
        END AS since,
        CASE
            WHEN k.ready_at > clock_timestamp() THEN h.reason_log_id
            ELSE NULL::uuid
        END AS caused_by_log_id,
    h.last_outcome,
    h.last_error_code,
    h.last_effect,
    h.last_reported_at,
    k.sealed_kid
   FROM public.user_api_keys k
     JOIN public.api_key_health h ON h.user_api_key_id = k.id;
CREATE TRIGGER api_key_states_read_only INSTEAD OF INSERT OR DELETE OR UPDATE ON public.api_key_states FOR EACH ROW EXECUTE FUNCTION private.refuse_state_edit();
grant select on table public.api_key_states to service_role;
comment on view public.api_key_states is 'For operators: the state of each key, how long it lasts and why. Only the functions know which seal pairs are live: a key whose sealed_kid is of none is passed over though it shows as available.';

create table public.api_key_usage_log (
  id uuid not null default gen_random_uuid(),
  user_api_key_id uuid not null,
  user_id uuid not null,
  agent_id uuid,
  key_generation integer not null,
  issued_at timestamp with time zone,
  reported_at timestamp with time zone,
  outcome text,
  error_code text,
  effect text,
  state_before text,
  state_after text,
  blocked_until timestamp with time zone,
  consecutive_failures integer,
  constraint api_key_usage_log_pkey PRIMARY KEY (id),
  constraint api_key_usage_log_user_api_key_id_fkey FOREIGN KEY (user_api_key_id) REFERENCES public.user_api_keys(id) ON DELETE CASCADE,
  constraint api_key_usage_log_event_check CHECK (((issued_at IS NOT NULL) OR (reported_at IS NOT NULL))),
  constraint api_key_usage_log_report_check CHECK ((((reported_at IS NULL) = (outcome IS NULL)) AND ((reported_at IS NULL) = (effect IS NULL))))
);
CREATE INDEX api_key_usage_log_issued_at_idx ON public.api_key_usage_log USING brin (COALESCE(issued_at, reported_at));
CREATE INDEX api_key_usage_log_key_idx ON public.api_key_usage_log USING btree (user_api_key_id, issued_at DESC);
CREATE INDEX api_key_usage_log_open_idx ON public.api_key_usage_log USING btree (user_api_key_id, COALESCE(agent_id, user_id), issued_at DESC) WHERE (reported_at IS NULL);
alter table public.api_key_usage_log enable row level security;
create policy api_key_usage_log_service_all on public.api_key_usage_log for all to service_role using (true) with check (true);
grant delete, insert, select, update on table public.api_key_usage_log to service_role;
comment on table public.api_key_usage_log is 'Who was handed which key when, and what came of it. id is the lease id. Never holds a provider''s error text.';
comment on column public.api_key_usage_log.user_id is 'Owner of the pool. No foreign key: every hand-out of a pool would lock one and the same user row.';
comment on column public.api_key_usage_log.agent_id is 'The agent that holds the lease; null when the user called with an access token. No foreign key, as above.';
comment on column public.api_key_usage_log.issued_at is 'When the key was handed out; null for a report without a lease.';
comment on column public.api_key_usage_log.blocked_until is 'The block after the report, as it was answered.';
comment on column public.api_key_usage_log.consecutive_failures is 'The count after the report, as it was answered.';

create table public.user_api_keys (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  key_name text not null,
  api_key_encrypted text not null,
  priority integer not null default 0,
  provider text,
  is_active boolean not null default true,
  usage_count bigint not null default 0,
  generation integer not null default 1,
  cooling_until timestamp with time zone,
  unusable_reason text,
  unusable_since timestamp with time zone,
  sealed_kid text generated always as (split_part(api_key_encrypted, '.'::text, 3)) stored,
  ready_at timestamp with time zone generated always as (
CASE
    WHEN (is_active AND (unusable_reason IS NULL)) THEN COALESCE(cooling_until, '-infinity'::timestamp with time zone)
    ELSE 'infinity'::timestamp with time zone
END) stored,
  is_ready boolean generated always as ((is_active AND (unusable_reason IS NULL) AND (cooling_until IS NULL))) stored,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint user_api_keys_pkey PRIMARY KEY (id),
  constraint user_api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE,
  constraint user_api_keys_generation_check CHECK ((generation >= 1)),
  constraint user_api_keys_key_name_check CHECK (((char_length(key_name) >= 1) AND (char_length(key_name) <= 200))),
  constraint user_api_keys_provider_check CHECK ((provider ~ '^[a-z0-9][a-z0-9._-]{0,62}$'::text)),
  constraint user_api_keys_usage_count_check CHECK (((usage_count >= 0) AND (usage_count <= '4000000000000000000'::bigint)))
);
CREATE INDEX user_api_keys_cooling_idx ON public.user_api_keys USING btree (user_id, priority, cooling_until) WHERE ((cooling_until IS NOT NULL) AND is_active AND (unusable_reason IS NULL));
CREATE INDEX user_api_keys_selection_idx ON public.user_api_keys USING btree (user_id, priority, is_ready, usage_count, id);
CREATE TRIGGER user_api_keys_after_update AFTER UPDATE OF api_key_encrypted, is_active, user_id ON public.user_api_keys FOR EACH ROW EXECUTE FUNCTION private.user_api_keys_after_update();
CREATE TRIGGER user_api_keys_before_insert BEFORE INSERT ON public.user_api_keys FOR EACH ROW EXECUTE FUNCTION private.user_api_keys_before_insert();
CREATE TRIGGER user_api_keys_before_update BEFORE UPDATE OF id, user_id, key_name, api_key_encrypted, priority, provider, is_active, generation, cooling_until, unusable_reason, unusable_since ON public.user_api_keys FOR EACH ROW EXECUTE FUNCTION private.user_api_keys_before_update();
CREATE TRIGGER user_api_keys_lower_floor_insert AFTER INSERT ON public.user_api_keys FOR EACH ROW EXECUTE FUNCTION private.lower_tier_floor();
CREATE TRIGGER user_api_keys_lower_floor_update AFTER UPDATE ON public.user_api_keys FOR EACH ROW WHEN (((new.usage_count < old.usage_count) OR (new.is_ready AND (NOT old.is_ready)) OR (new.priority <> old.priority) OR (new.user_id <> old.user_id))) EXECUTE FUNCTION private.lower_tier_floor();
CREATE TRIGGER user_api_keys_make_health AFTER INSERT ON public.user_api_keys FOR EACH ROW EXECUTE FUNCTION private.make_api_key_health();
alter table public.user_api_keys enable row level security;
create policy user_api_keys_service_all on public.user_api_keys for all to service_role using (true) with check (true);
grant delete, insert, select, update on table public.user_api_keys to service_role;
comment on table public.user_api_keys is 'Provider API keys, sealed. A row is handed out while ready_at is not later than now; order: priority descending, usage_count ascending, id.';
comment on column public.user_api_keys.api_key_encrypted is 'HPKE sealed text hpke.v1.<kid>.<enc>.<ciphertext>, bound to user_id. Made by: npm run seal -- --user <user_id>.';
comment on column public.user_api_keys.priority is 'Higher is handed out first.';
comment on column public.user_api_keys.provider is 'Lower case, such as openai; null serves any provider.';
comment on column public.user_api_keys.usage_count is 'Hand-outs plus the value the key started at; the usage log is the exact count.';
comment on column public.user_api_keys.generation is 'Rises when an operator replaces the ciphertext, re-enables the key, gives it to another user or resets its block; reports on leases of an older generation are stale.';
comment on column public.user_api_keys.cooling_until is 'Copy of api_key_health.blocked_until, kept by trigger; edit it there. Cleared by the first hand-out that finds the block over.';
comment on column public.user_api_keys.unusable_reason is 'Set when the sealed text could not be opened; cleared when the ciphertext changes.';
comment on column public.user_api_keys.unusable_since is 'When that was found out.';
comment on column public.user_api_keys.sealed_kid is 'Which seal key pair the text was sealed to.';
comment on column public.user_api_keys.ready_at is 'The one predicate of selector and view: available when <= now, infinity when waiting cannot help.';
comment on column public.user_api_keys.is_ready is 'Handed out without a look at the clock. A key whose block has just ended is not ready until a hand-out has woken it.';

CREATE OR REPLACE FUNCTION private.api_key_health_before_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
    if (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id) then
      new.reason := null;
      new.reason_code := null;
      new.reason_since := null;
      new.reason_log_id := null;
    end if;
  elsif new.blocked_until is distinct from old.blocked_until then
    -- Moved by hand: the end of the rate block moves along, never past the block itself.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
    if new.blocked_until > coalesce(old.blocked_until, '-infinity') and new.blocked_until > clock_timestamp() then
      new.reason := 'blocked_by_operator';
      new.reason_code := null;
      new.reason_since := clock_timestamp();
      new.reason_log_id := null;
    end if;
  end if;
  return new;
end;
$function$;
comment on function private.api_key_health_before_update() is 'Keeps what explains a block in step with the block when it is edited by hand.';

CREATE OR REPLACE FUNCTION private.copy_block_to_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  -- One level deep means an edit of this very row; deeper, the edit of the key has raised it already.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
begin
  update public.user_api_keys k
  set cooling_until = new.blocked_until, generation = k.generation + reset::integer
  where k.id = new.user_api_key_id
    and (reset or k.cooling_until is distinct from new.blocked_until);
  return null;
end;
$function$;
comment on function private.copy_block_to_key() is 'Keeps user_api_keys.cooling_until equal to blocked_until; a reset raises the generation.';

CREATE OR REPLACE FUNCTION private.has_better_key(user_id uuid, priority integer, provider text, live_kids text[], at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select
    from private.api_key_tiers t
    cross join lateral (
      (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and k.is_ready
          and (k.usage_count, k.id) >= (t.floor_count, t.floor_id)
          and (has_better_key.provider is null or k.provider is null or k.provider = has_better_key.provider)
          and k.sealed_kid = any (has_better_key.live_kids)
        limit 1
      )
      union all
      (
        select
        from public.user_api_keys k
        where k.user_id = t.user_id
          and k.priority = t.priority
          and not k.is_ready
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= has_better_key.at
          and (has_better_key.provider is null or k.provider is null or k.provider = has_better_key.provider)
          and k.sealed_kid = any (has_better_key.live_kids)
        limit 1
      )
    ) better
    where t.user_id = has_better_key.user_id and t.priority > has_better_key.priority
  );
end;
$function$;
grant execute on function private.has_better_key(uuid,integer,text,text[],timestamp with time zone) to service_role;
comment on function private.has_better_key(pg_catalog.uuid,integer,pg_catalog.text,pg_catalog.text[],timestamp with time zone) is 'Tells whether a tier above this one has an eligible key.';

CREATE OR REPLACE FUNCTION private.keep_all_api_key_health()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.api_key_health (user_api_key_id)
  select k.id from public.user_api_keys k;
  update public.user_api_keys k set cooling_until = null, generation = k.generation + 1;
  return null;
end;
$function$;
comment on function private.keep_all_api_key_health() is 'Emptying the table resets every key.';

CREATE OR REPLACE FUNCTION private.keep_api_key_health()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Deleted by hand while its key lives on: a reset. In a cascade the key is gone already.
  update public.user_api_keys k
  set cooling_until = null, generation = k.generation + 1
  where k.id = old.user_api_key_id;
  if found then
    insert into public.api_key_health (user_api_key_id) values (old.user_api_key_id);
  end if;
  return null;
end;
$function$;
comment on function private.keep_api_key_health() is 'A key never loses its health row: deleting it resets it.';

CREATE OR REPLACE FUNCTION private.key_caller(token_hash text, user_id uuid, OUT pool_user_id uuid, OUT agent_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if key_caller.token_hash is null then
    pool_user_id := key_caller.user_id;
  else
    select a.user_id, a.id into pool_user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      and (a.revoked_at is null or a.revoked_at > clock_timestamp());
  end if;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$function$;
grant execute on function private.key_caller(text,uuid) to service_role;
comment on function private.key_caller(pg_catalog.text,pg_catalog.uuid) is 'Whose pool a caller draws from: the agent''s user, or the signed-in user. Raises PT401 invalid_credential.';

CREATE OR REPLACE FUNCTION private.least_usage_count(user_id uuid, priority integer, except_id uuid)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  -- Two steps into the index rather than a walk through the tier.
  select least(
    (
      select k.usage_count
      from public.user_api_keys k
      where k.user_id = least_usage_count.user_id
        and k.priority = least_usage_count.priority
        and k.is_ready
        and k.id is distinct from least_usage_count.except_id
      order by k.usage_count, k.id
      limit 1
    ),
    (
      select k.usage_count
      from public.user_api_keys k
      where k.user_id = least_usage_count.user_id
        and k.priority = least_usage_count.priority
        and not k.is_ready
        and k.is_active
        and k.id is distinct from least_usage_count.except_id
      order by k.usage_count, k.id
      limit 1
    )
  );
$function$;
grant execute on function private.least_usage_count(uuid,integer,uuid) to service_role;
comment on function private.least_usage_count(pg_catalog.uuid,integer,pg_catalog.uuid) is 'The count at which a key joins the active keys of a user and priority; null when it is the first.';

CREATE OR REPLACE FUNCTION private.lower_tier_floor()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tier private.api_key_tiers;
begin
  -- Locked even where the floor is low enough already: raise_tier_floor, which cannot see this key before it is
  -- committed, must keep away until then.
  loop
    select t.* into tier
    from private.api_key_tiers t
    where t.user_id = new.user_id and t.priority = new.priority
    for no key update;
    exit when found;
    insert into private.api_key_tiers (user_id, priority, floor_count, floor_id)
    values (new.user_id, new.priority, new.usage_count, new.id)
    on conflict do nothing;
  end loop;
  if (new.usage_count, new.id) < (tier.floor_count, tier.floor_id) then
    update private.api_key_tiers t
    set floor_count = new.usage_count, floor_id = new.id
    where t.user_id = new.user_id and t.priority = new.priority;
  end if;
  return null;
end;
$function$;
comment on function private.lower_tier_floor() is 'A key that becomes ready, or comes back with a lower count, is never left below the floor of its tier.';

CREATE OR REPLACE FUNCTION private.make_api_key_health()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.api_key_health (user_api_key_id, reason, reason_since)
  values (
    new.id,
    case when not new.is_active then 'disabled_by_operator' end,
    case when not new.is_active then clock_timestamp() end
  );
  return null;
end;
$function$;
comment on function private.make_api_key_health() is 'Gives each new key its health row, so that the documented reset always finds it.';

CREATE OR REPLACE FUNCTION private.raise_tier_floor(user_id uuid, priority integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tier private.api_key_tiers;
begin
  -- Whoever makes a key ready holds this lock until it is committed, so that what is looked up below is complete.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_tier_floor.user_id and t.priority = raise_tier_floor.priority
  for no key update skip locked;

  update private.api_key_tiers t
  set floor_count = front.usage_count, floor_id = front.id
  from (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = tier.user_id
      and k.priority = tier.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (tier.floor_count, tier.floor_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where t.user_id = tier.user_id and t.priority = tier.priority;
end;
$function$;
grant execute on function private.raise_tier_floor(uuid,integer) to service_role;
comment on function private.raise_tier_floor(pg_catalog.uuid,integer) is 'Moves the floor up to the first ready key, unless somebody else is at the tier. Never waits.';

CREATE OR REPLACE FUNCTION private.rebuild_tiers(user_id uuid)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  insert into private.api_key_tiers as t (user_id, priority, floor_count, floor_id)
  select distinct k.user_id, k.priority, 0, '00000000-0000-0000-0000-000000000000'::uuid
  from public.user_api_keys k
  where k.user_id = rebuild_tiers.user_id
  on conflict (user_id, priority) do update set floor_count = excluded.floor_count, floor_id = excluded.floor_id;
$function$;
grant execute on function private.rebuild_tiers(uuid) to service_role;
comment on function private.rebuild_tiers(pg_catalog.uuid) is 'Starts a pool''s tiers anew: for rows that came in without their triggers, such as a restored dump.';

CREATE OR REPLACE FUNCTION private.refuse_state_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  raise exception using
    errcode = 'PT422',
    message = 'api_key_states is for reading: edit user_api_keys or api_key_health',
    detail = '{"code": "read_only"}';
end;
$function$;
comment on function private.refuse_state_edit() is 'Tells an operator where to edit instead.';

CREATE OR REPLACE FUNCTION private.refuse_unsealed_key(sealed text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if sealed is null
    or octet_length(sealed) > 16384
    or sealed !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}$'
  then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
end;
$function$;
grant execute on function private.refuse_unsealed_key(text) to service_role;
comment on function private.refuse_unsealed_key(pg_catalog.text) is 'Raises PT422 unless the text has the form of a sealed key; never repeats the text.';

CREATE OR REPLACE FUNCTION private.survey_pool(user_id uuid, provider text, live_kids text[], at timestamp with time zone, OUT first_ready uuid, OUT cooling_down bigint, OUT disabled bigint, OUT soonest timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select
    (array_agg(k.id order by k.priority desc, k.usage_count, k.id)
      filter (where k.ready_at <= survey_pool.at and k.sealed_kid = any (survey_pool.live_kids)))[1],
    count(*) filter (
      where k.ready_at > survey_pool.at and k.is_active and k.unusable_reason is null and k.sealed_kid = any (survey_pool.live_kids)
    ),
    count(*) filter (
      where not k.is_active or k.unusable_reason is not null or not k.sealed_kid = any (survey_pool.live_kids)
    ),
    min(k.ready_at) filter (
      where k.ready_at > survey_pool.at and isfinite(k.ready_at) and k.sealed_kid = any (survey_pool.live_kids)
    )
  from public.user_api_keys k
  where k.user_id = survey_pool.user_id
    and (survey_pool.provider is null or k.provider is null or k.provider = survey_pool.provider);
$function$;
grant execute on function private.survey_pool(uuid,text,text[],timestamp with time zone) to service_role;
comment on function private.survey_pool(pg_catalog.uuid,pg_catalog.text,pg_catalog.text[],timestamp with time zone) is 'Looks without locking: the first key that is ready, and what the others wait for. A key sealed to a pair that is not live counts as disabled.';

CREATE OR REPLACE FUNCTION private.user_api_keys_after_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.generation > old.generation then
    update public.api_key_health h
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null,
      reason = case when not new.is_active then h.reason end,
      reason_code = case when not new.is_active then h.reason_code end,
      reason_since = case when not new.is_active then h.reason_since end,
      reason_log_id = case when not new.is_active then h.reason_log_id end
    where h.user_api_key_id = new.id;
  elsif old.is_active and not new.is_active then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
end;
$function$;
comment on function private.user_api_keys_after_update() is 'Carries an operator''s edit of a key over to its health row.';

CREATE OR REPLACE FUNCTION private.user_api_keys_before_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.refuse_unsealed_key(new.api_key_encrypted);
  new.provider := nullif(lower(btrim(new.provider)), '');
  new.generation := 1;
  new.cooling_until := null;
  new.unusable_reason := null;
  new.unusable_since := null;
  if new.usage_count = 0 then
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), 0);
  end if;
  return new;
end;
$function$;
comment on function private.user_api_keys_before_insert() is 'Refuses unsealed text, starts the count at that of its peers, fixes what only the system writes.';

CREATE OR REPLACE FUNCTION private.user_api_keys_before_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  replaced constant boolean := new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled constant boolean := new.is_active and not old.is_active;
  given_away constant boolean := new.user_id is distinct from old.user_id;
  -- A hand-out clears a block that is over.
  woken constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
begin
  -- Direct edits only: the trigger of api_key_health writes these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    new.cooling_until := case when woken then null else old.cooling_until end;
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');

  if replaced then
    perform private.refuse_unsealed_key(new.api_key_encrypted);
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    new.generation := old.generation + 1;
    new.cooling_until := null;
  end if;

  -- Into a tier it did not serve: enabled, repaired, or of another priority or owner.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  if joins and new.usage_count = old.usage_count then
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), new.usage_count);
  end if;
  if pg_trigger_depth() = 1 and not woken then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;
comment on function private.user_api_keys_before_update() is 'Keeps generation, count, block copy and sealing true under any edit of a key row.';

CREATE OR REPLACE FUNCTION private.void_lease(user_id uuid, lease_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  key_id uuid;
  lease public.api_key_usage_log;
begin
  select l.user_api_key_id into key_id
  from public.api_key_usage_log l
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id;

  -- Key first, as everywhere; the same void twice finds no lease the second time.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(key_id, 0));
  perform from public.user_api_keys k where k.id = key_id for no key update;
  delete from public.api_key_usage_log l
  where l.id = void_lease.lease_id and l.user_id = void_lease.user_id and l.reported_at is null and l.issued_at is not null
  returning l.* into lease;
  if not found then
    return;
  end if;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = key_id;
  -- A ciphertext replaced in between is another one: nothing is known of it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = key_id and k.generation = lease.key_generation;
end;
$function$;
grant execute on function private.void_lease(uuid,uuid) to service_role;
comment on function private.void_lease(pg_catalog.uuid,pg_catalog.uuid) is 'Takes a lease back whose key could not be opened: the count falls, the key is flagged until its ciphertext changes.';

CREATE OR REPLACE FUNCTION private.wake_keys(user_id uuid, priority integer, at timestamp with time zone, batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  woken integer := 0;
begin
  -- One at a time per tier, and nobody waits for it: whoever comes second takes what is ready.
  perform from private.api_key_tiers t
  where t.user_id = wake_keys.user_id and t.priority = wake_keys.priority
  for no key update skip locked;
  if found then
    update public.user_api_keys k
    set cooling_until = null
    where k.id in (
      select over.id
      from public.user_api_keys over
      where over.user_id = wake_keys.user_id
        and over.priority = wake_keys.priority
        and not over.is_ready
        and over.is_active
        and over.unusable_reason is null
        and over.cooling_until <= wake_keys.at
      order by over.cooling_until
      limit wake_keys.batch
      for no key update skip locked
    );
    get diagnostics woken = row_count;
  end if;
  return woken;
end;
$function$;
grant execute on function private.wake_keys(uuid,integer,timestamp with time zone,integer) to service_role;
comment on function private.wake_keys(pg_catalog.uuid,integer,timestamp with time zone,integer) is 'Makes keys ready whose block is over, the longest over first; returns how many. Never waits.';

CREATE OR REPLACE FUNCTION public.issue_agent_token(user_id uuid, name text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  -- Two random uuids carry 244 bits of the server's strong randomness.
  token constant text := 'kh_agent_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  insert into public.api_key_agents (user_id, name, token_hash)
  values (issue_agent_token.user_id, issue_agent_token.name, encode(sha256(convert_to(token, 'UTF8')), 'hex'));
  return token;
end;
$function$;
comment on function public.issue_agent_token(pg_catalog.uuid,pg_catalog.text) is 'Makes an agent of a user''s pool and returns its token, this once. For operators, in the SQL editor.';

CREATE OR REPLACE FUNCTION public.lease_api_key(token_hash text DEFAULT NULL::text, user_id uuid DEFAULT NULL::uuid, provider text DEFAULT NULL::text, live_kids text[] DEFAULT '{}'::text[], void_lease_id uuid DEFAULT NULL::uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  pool_user_id uuid := lease_api_key.user_id;
  agent_id uuid;
  started constant timestamptz := clock_timestamp();
  at timestamptz;
  tier record;
  over integer;
  top_priority integer;
  misses integer := 0;
  taken record;
  waited_for uuid;
  pool record;
  lease record;
begin
  if lease_api_key.token_hash is not null or lease_api_key.user_id is null then
    select c.pool_user_id, c.agent_id into pool_user_id, agent_id
    from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  end if;
  if lease_api_key.void_lease_id is not null then
    perform private.void_lease(pool_user_id, lease_api_key.void_lease_id);
  end if;

  <<look>>
  loop
    at := clock_timestamp();
    for tier in
      select t.priority, t.floor_count, t.floor_id
      from private.api_key_tiers t
      where t.user_id = pool_user_id
      order by t.priority desc
    loop
      top_priority := greatest(top_priority, tier.priority);
      -- Keys whose block is over become ready. When very many come back at once, one caller in eight wakes a
      -- large batch and the others take what is ready.
      select count(*) into over
      from (
        select
        from public.user_api_keys k
        where k.user_id = pool_user_id
          and k.priority = tier.priority
          and not k.is_ready
          and k.is_active
          and k.unusable_reason is null
          and k.cooling_until <= at
        limit 65
      ) found_over;
      if over between 1 and 64 or (over > 64 and random() < 0.125) then
        if private.wake_keys(pool_user_id, tier.priority, at, case when over > 64 then 512 else 64 end) > 0 then
          -- Their counts may be lower than the floor that was read.
          select t.priority, t.floor_count, t.floor_id into tier
          from private.api_key_tiers t
          where t.user_id = pool_user_id and t.priority = tier.priority;
        end if;
      end if;

      -- The first key that nobody holds. Under READ COMMITTED a row that changed since the snapshot is checked again.
      update public.user_api_keys k
      set usage_count = k.usage_count + 1
      where k.id = (
        select free.id
        from public.user_api_keys free
        where free.user_id = pool_user_id
          and free.priority = tier.priority
          and free.is_ready
          and (free.usage_count, free.id) >= (tier.floor_count, tier.floor_id)
          and (lease_api_key.provider is null or free.provider is null or free.provider = lease_api_key.provider)
          and free.sealed_kid = any (lease_api_key.live_kids)
          and pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(free.id, 0))
        order by free.usage_count, free.id
        limit 1
        for no key update skip locked
      )
      returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
      exit look when found;

      -- Nothing taken: are there keys of this tier that are only locked? Then one of them is waited for, any one,
      -- so that callers spread over the keys. A lower tier is never served instead.
      select locked.id into waited_for
      from (
        (
          select k.id
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (tier.floor_count, tier.floor_id)
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
          order by k.usage_count, k.id
          limit 64
        )
        union all
        (
          select k.id
          from public.user_api_keys k
          where k.user_id = pool_user_id
            and k.priority = tier.priority
            and not k.is_ready
            and k.is_active
            and k.unusable_reason is null
            and k.cooling_until <= at
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
          limit 64
        )
      ) locked
      order by random()
      limit 1;
      continue when waited_for is null;

      -- A caller that holds a key must not wait for another one: two of them would deadlock.
      if lease_api_key.void_lease_id is not null then
        return jsonb_build_object('leased', false, 'ask_again', true);
      end if;
      if clock_timestamp() > started + interval '3 seconds' then
        raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "every key stayed locked"}';
      end if;
      begin
        -- Shorter than deadlock_timeout: whoever waits in a circle gives way before that, and looks anew.
        perform set_config('lock_timeout', '500ms', true);
        perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(waited_for, 0));
        update public.user_api_keys k
        set usage_count = k.usage_count + 1
        where k.id = waited_for and k.is_ready
        returning k.id, k.user_id, k.key_name, k.provider, k.api_key_encrypted, k.generation, k.priority into taken;
        if not found or (
          tier.priority < top_priority
          and private.has_better_key(pool_user_id, tier.priority, lease_api_key.provider, lease_api_key.live_kids, clock_timestamp())
        ) then
          -- Things changed while it was waited for: give its lock back before looking anew.
          raise exception using errcode = 'KH001', message = 'look again';
        end if;
      exception
        when sqlstate 'KH001' or lock_not_available then
          continue look;
      end;
      exit look;
    end loop;

    -- No tier had any: look at the whole pool, and only believe what that says.
    select s.* into pool
    from private.survey_pool(pool_user_id, lease_api_key.provider, lease_api_key.live_kids, at) s;
    if pool.first_ready is null then
      return jsonb_build_object(
        'leased', false,
        'ask_again', false,
        'cooling_down', pool.cooling_down,
        'disabled', pool.disabled,
        'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end
      );
    end if;
    -- A key is ready that no tier led to: it has just come back, or its row came in without its triggers.
    if clock_timestamp() > started + interval '3 seconds' then
      raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the tiers do not settle"}';
    end if;
    if misses > 0 then
      perform private.rebuild_tiers(pool_user_id);
    end if;
    misses := misses + 1;
  end loop;

  -- Now and then the floor is raised to the first key that is still there. Never waits.
  if random() < 0.03125 then
    perform private.raise_tier_floor(pool_user_id, tier.priority);
  end if;

  insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at)
  values (taken.id, taken.user_id, agent_id, taken.generation, clock_timestamp())
  returning id, issued_at into lease;

  return jsonb_build_object(
    'leased', true,
    'lease_id', lease.id,
    'key_id', taken.id,
    'user_id', taken.user_id,
    'key_name', taken.key_name,
    'provider', taken.provider,
    'api_key_encrypted', taken.api_key_encrypted,
    'generation', taken.generation,
    'priority', taken.priority,
    'leased_at', lease.issued_at
  );
end;
$function$;
grant execute on function public.lease_api_key(text,uuid,text,text[],uuid) to service_role;
comment on function public.lease_api_key(pg_catalog.text,pg_catalog.uuid,pg_catalog.text,pg_catalog.text[],pg_catalog.uuid) is 'Hands out one eligible key of the caller''s pool, or says why there is none and in how many seconds there will be; ask_again after a void means that the next key was only locked. For the function get-active-key. Raises PT401 invalid_credential, PT503 unavailable.';

CREATE OR REPLACE FUNCTION public.prune_api_key_usage_log(keep interval DEFAULT '30 days'::interval, batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;
comment on function public.prune_api_key_usage_log(interval,integer) is 'Deletes at most batch log rows older than keep and returns how many; call it until it returns 0. Spares what explains a live block or a disabled key.';

CREATE OR REPLACE FUNCTION public.report_api_key(outcome text, rule text, token_hash text DEFAULT NULL::text, user_id uuid DEFAULT NULL::uuid, lease_id uuid DEFAULT NULL::uuid, key_id uuid DEFAULT NULL::uuid, error_code text DEFAULT NULL::text, base_seconds double precision DEFAULT NULL::double precision, cap_seconds double precision DEFAULT NULL::double precision, jitter double precision DEFAULT 0, hint_seconds double precision DEFAULT NULL::double precision, hint_at timestamp with time zone DEFAULT NULL::timestamp with time zone, hint_cap_seconds double precision DEFAULT NULL::double precision, tolerated integer DEFAULT NULL::integer, window_seconds double precision DEFAULT NULL::double precision, forget_seconds double precision DEFAULT NULL::double precision)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '3s'
AS $function$
<<report>>
declare
  caller record;
  target_id uuid := report_api_key.key_id;
  key public.user_api_keys;
  health public.api_key_health;
  lease public.api_key_usage_log;
  at timestamptz;
  started constant timestamptz := clock_timestamp();
  issued timestamptz;
  hint double precision;
  in_block boolean;
  until timestamptz;
  errors timestamptz[];
  effect text;
  state_before text;
  state_after text;
begin
  select c.pool_user_id, c.agent_id into caller
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  if report_api_key.lease_id is not null then
    select l.user_api_key_id into target_id
    from public.api_key_usage_log l
    where l.id = report_api_key.lease_id and l.user_id = caller.pool_user_id and l.issued_at is not null;
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    end if;
    if report_api_key.key_id is not null and report_api_key.key_id <> target_id then
      raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
    end if;
  end if;

  -- The key row orders this report with hand-outs, other reports and edits. The health row is never waited
  -- for while the key is held (an operator's reset locks them the other way round): give way and come again.
  loop
    begin
      -- Queue with the other callers first: see lease_api_key.
      perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(target_id, 0));
      select k.* into key
      from public.user_api_keys k
      where k.id = target_id and k.user_id = caller.pool_user_id
      for no key update;
      if not found then
        raise exception using
          errcode = 'PT404',
          message = case when report_api_key.lease_id is null then 'key_not_found' else 'lease_not_found' end;
      end if;
      select h.* into health
      from public.api_key_health h
      where h.user_api_key_id = key.id
      for no key update skip locked;
      if not found then
        raise exception using errcode = 'KH001', message = 'give way';
      end if;
      exit;
    exception
      when sqlstate 'KH001' then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "a health row stayed locked"}';
        end if;
        perform pg_sleep(0.01);
      when lock_not_available then
        raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "a key row stayed locked"}';
    end;
  end loop;

  at := clock_timestamp();
  in_block := coalesce(health.blocked_until > at, false);

  if report_api_key.lease_id is not null then
    select l.* into lease from public.api_key_usage_log l where l.id = report_api_key.lease_id;
    if not found then
      raise exception using errcode = 'PT404', message = 'lease_not_found';
    end if;
  else
    select l.* into lease
    from public.api_key_usage_log l
    where l.user_api_key_id = key.id
      and coalesce(l.agent_id, l.user_id) = coalesce(caller.agent_id, caller.pool_user_id)
      and l.reported_at is null
    order by l.issued_at desc
    limit 1;
  end if;

  if lease.reported_at is not null then
    if lease.outcome is distinct from report_api_key.outcome then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    return jsonb_build_object(
      'key_id', key.id,
      'state', lease.state_after,
      'blocked_until', lease.blocked_until,
      'consecutive_failures', lease.consecutive_failures,
      'outcome', lease.outcome,
      'effect', 'duplicate'
    );
  end if;

  issued := coalesce(lease.issued_at, at);
  state_before := case
    when not key.is_active or key.unusable_reason is not null then 'disabled'
    when in_block then 'cooling_down'
    else 'available'
  end;
  hint := coalesce(report_api_key.hint_seconds, extract(epoch from report_api_key.hint_at - at));
  hint := case when hint > 0 then least(hint, report_api_key.hint_cap_seconds) end;
  errors := health.recent_server_errors;
  until := health.blocked_until;

  if lease.key_generation < key.generation then
    effect := 'stale';

  elsif report_api_key.rule = 'success' then
    if in_block or issued <= health.last_failure_at or (not key.is_active and health.consecutive_failures > 0) then
      effect := 'stale';
    else
      effect := case when health.consecutive_failures > 0 then 'recovered' else 'none' end;
      health.consecutive_failures := 0;
      errors := '{}';
    end if;

  elsif not key.is_active then
    effect := 'ignored';

  elsif report_api_key.rule = 'disable' then
    effect := 'disabled';
    errors := '{}';

  elsif report_api_key.rule = 'escalate' then
    errors := '{}';
    if issued < health.rate_blocked_until then
      -- The same outage: only the provider's own word can lengthen the block.
      until := greatest(until, at + make_interval(secs => hint));
      effect := case when until is distinct from health.blocked_until then 'cooled' else 'ignored' end;
    else
      if health.last_failure_at <= at - make_interval(secs => report_api_key.forget_seconds) then
        health.consecutive_failures := 0;
      end if;
      health.consecutive_failures := least(health.consecutive_failures + 1, 1000000000);
      until := greatest(
        until,
        at + make_interval(secs => coalesce(
          hint,
          least(
            report_api_key.base_seconds * power(2::double precision, least(health.consecutive_failures - 1, 64)),
            report_api_key.cap_seconds
          ) * (1 + report_api_key.jitter)
        ))
      );
      effect := 'cooled';
    end if;
    if effect = 'cooled' then
      health.rate_blocked_until := until;
    end if;

  elsif report_api_key.rule = 'cool' then
    errors := '{}';
    -- A block of the same cause is the same news; another one may be lengthened, never shortened.
    if not (in_block and health.reason = report_api_key.outcome) then
      until := greatest(until, at + make_interval(secs => coalesce(hint, report_api_key.base_seconds)));
    end if;
    effect := case when until is distinct from health.blocked_until then 'cooled' else 'ignored' end;

  elsif report_api_key.rule = 'tolerate' then
    effect := 'ignored';
    if not in_block then
      errors := array(
        select e from unnest(errors) e where e > at - make_interval(secs => report_api_key.window_seconds) order by e
      ) || at;
      if cardinality(errors) > report_api_key.tolerated then
        until := at + make_interval(secs => coalesce(hint, report_api_key.base_seconds));
        effect := 'cooled';
        errors := errors[cardinality(errors) - report_api_key.tolerated + 1:];
      end if;
    end if;

  elsif report_api_key.rule = 'ignore' then
    errors := '{}';
    effect := 'ignored';

  else
    raise exception using errcode = 'PT422', message = 'unknown_rule';
  end if;

  state_after := case
    when effect = 'disabled' or state_before = 'disabled' then 'disabled'
    when until > at then 'cooling_down'
    else 'available'
  end;

  if lease.id is null then
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect,
      state_before, state_after, blocked_until, consecutive_failures
    )
    values (
      key.id, key.user_id, caller.agent_id, key.generation, at, report_api_key.outcome, report_api_key.error_code, effect,
      state_before, state_after, case when until > at then until end, health.consecutive_failures
    )
    returning id into lease.id;
  else
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = report_api_key.outcome,
      error_code = report_api_key.error_code,
      effect = report.effect,
      state_before = report.state_before,
      state_after = report.state_after,
      blocked_until = case when until > at then until end,
      consecutive_failures = health.consecutive_failures
    where l.id = lease.id;
  end if;

  if effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
  end if;

  -- A block that is lengthened keeps the time it began; what explains it is the newest report that moved it.
  update public.api_key_health h
  set blocked_until = until,
    rate_blocked_until = health.rate_blocked_until,
    consecutive_failures = health.consecutive_failures,
    recent_server_errors = errors,
    last_failure_at = case when effect in ('cooled', 'disabled') then at else h.last_failure_at end,
    reason = case when effect in ('cooled', 'disabled') then report_api_key.outcome else h.reason end,
    reason_code = case when effect in ('cooled', 'disabled') then report_api_key.error_code else h.reason_code end,
    reason_since = case
      when effect = 'disabled' or (effect = 'cooled' and not in_block) then at
      else h.reason_since
    end,
    reason_log_id = case when effect in ('cooled', 'disabled') then lease.id else h.reason_log_id end,
    last_reported_at = at,
    last_outcome = report_api_key.outcome,
    last_error_code = report_api_key.error_code,
    last_effect = effect
  where h.user_api_key_id = key.id;

  return jsonb_build_object(
    'key_id', key.id,
    'state', state_after,
    'blocked_until', case when until > at then until end,
    'consecutive_failures', health.consecutive_failures,
    'outcome', report_api_key.outcome,
    'effect', effect
  );
end;
$function$;
grant execute on function public.report_api_key(text,text,text,uuid,uuid,uuid,text,double precision,double precision,double precision,double precision,timestamp with time zone,double precision,integer,double precision,double precision) to service_role;
comment on function public.report_api_key(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.uuid,pg_catalog.uuid,pg_catalog.uuid,pg_catalog.text,double precision,double precision,double precision,double precision,timestamp with time zone,double precision,integer,double precision,double precision) is 'Applies one report to one key, exactly once per lease. For the function set-key-state; rules: success, ignore, tolerate, cool, escalate, disable. Raises PT401 invalid_credential, PT404 key_not_found or lease_not_found, PT409 already_reported, PT422 lease_key_mismatch, PT503 unavailable.';

CREATE OR REPLACE FUNCTION public.reseal_api_key(key_id uuid, expected text, resealed text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;
comment on function public.reseal_api_key(pg_catalog.uuid,pg_catalog.text,pg_catalog.text) is 'Replaces a key''s sealed text by the same key sealed to a newer pair; false when the text changed meanwhile. For operators (npm run reseal).';
