-- Each row is one API key, with all stored values that decide whether the key may be leased. Leases, edits and the reports that may
-- block a key lock its row, so they change the key one after another. A transaction that has waited for the lock then reads the
-- newest value of every column.
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
  cooling_until timestamptz,
  unusable_reason text,
  unusable_since timestamptz,
  sealed_kid text generated always as (split_part(api_key_encrypted, '.', 3)) stored,
  ready_at timestamptz generated always as (
    case
      when is_active and unusable_reason is null then coalesce(cooling_until, '-infinity'::timestamptz)
      else 'infinity'::timestamptz
    end
  ) stored,
  is_ready boolean generated always as (is_active and unusable_reason is null and cooling_until is null) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  settings jsonb not null default '{}',
  account text,
  limited_models text[],
  limited_until timestamptz[],
  skipped_count bigint not null default 0,
  fingerprint text,
  key_hint text,
  constraint user_api_keys_pkey primary key (id),
  constraint user_api_keys_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint user_api_keys_key_name_check check (char_length(key_name) between 1 and 200),
  constraint user_api_keys_provider_check check (provider ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  -- The limit is far below the largest bigint, so that leases, which raise usage_count, cannot overflow it.
  constraint user_api_keys_usage_count_check check (usage_count between 0 and 4000000000000000000),
  constraint user_api_keys_generation_check check (generation >= 1),
  constraint user_api_keys_account_check check (account ~ '^[^[:cntrl:]]{1,200}$'),
  constraint user_api_keys_limited_check check (cardinality(limited_models) is not distinct from cardinality(limited_until))
)
-- These settings were measured with: npm run bench -- bloat. usage_count is indexed, so each lease writes a new version of the
-- key's row and a new entry in each index of the table. Free space on a page (a lower fillfactor) would save none of these
-- entries. Frequent vacuum helps instead: in a large table it starts when a fiftieth of the rows has changed. Analyze runs rarely,
-- because no query plan depends on the values that leases change, and an analyze after every few hundred leases would make each
-- session plan its queries again.
with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);
comment on table public.user_api_keys is 'API keys of providers, stored as sealed text. A key may be leased when its ready_at is not later than now and the functions have its seal pair. Order in which leases select the keys of a pool: priority descending, usage_count ascending, id ascending.';
comment on column public.user_api_keys.api_key_encrypted is 'The key as HPKE sealed text, hpke.v1.<kid>.<enc>.<ciphertext>, which can be opened only for the same user_id. Made by: npm run seal -- --user <user_id>. That command appends #<fingerprint>.<hint> to the text; a trigger moves these two values into the columns fingerprint and key_hint.';
comment on column public.user_api_keys.priority is 'Of the keys of a pool, those with a higher priority are leased first.';
comment on column public.user_api_keys.provider is 'The provider of the key, in lower case, such as openai; null: the key can serve a call for any provider.';
comment on column public.user_api_keys.usage_count is 'Spreads the leases over the keys of a tier: the key with the lowest usage_count is leased first, and each lease adds one. A key that is added, enabled, or moved to another priority or owner starts at the least usage_count of the other keys of its tier. A key that comes back from a block is raised to that count if it is lower. Otherwise such a key would get all leases until it had caught up. usage_count - skipped_count is the exact number of leases.';
comment on column public.user_api_keys.generation is 'Rises by one when the key is replaced by another ciphertext, enabled again, given to another user, or when an operator resets its block. A report on a lease of an older generation is stale. A resealed key keeps its generation.';
comment on column public.user_api_keys.cooling_until is 'End of the cooldown of the key: a copy of api_key_health.blocked_until, kept by a trigger, so edit blocked_until instead. After that time has passed, the first lease that looks for expired cooldowns sets this column to null. So does an edit that enables the key or moves it to another tier.';
comment on column public.user_api_keys.unusable_reason is 'Why the sealed text could not be opened; null: no such failure is known. While this column is set, the key is not leased. A trigger clears the column when the ciphertext or the owner changes.';
comment on column public.user_api_keys.unusable_since is 'When unusable_reason was set.';
comment on column public.user_api_keys.sealed_kid is 'Name (kid) of the seal pair that can open api_key_encrypted.';
comment on column public.user_api_keys.is_ready is 'True when the key is enabled, no failure to open it is known, and cooling_until is null, so that a search for ready keys compares no times. A key whose cooldown has expired becomes ready only when a lease clears cooling_until.';
comment on column public.user_api_keys.ready_at is 'The time from which the key may be leased: the end of its cooldown; -infinity: it has no cooldown; infinity: the key is disabled or cannot be opened, so waiting does not help. Leases and the view api_key_states both read this column.';
comment on column public.user_api_keys.account is 'A name for what several keys belong to at the provider, such as one organization or project. The keys of a pool with the same provider and account share their limits: a rate limit of one blocks them all. An account has at most 100 keys. null: the key shares its limits with no other key.';
comment on column public.user_api_keys.limited_models is 'The models that the key is blocked for: a copy from api_key_model_health, kept by a trigger, so edit that table instead. A model whose block has expired stays listed until a lease for the model removes it.';
comment on column public.user_api_keys.limited_until is 'The end of the block of each model in limited_models, in the same order.';
comment on column public.user_api_keys.skipped_count is 'The part of usage_count that does not come from leases. It was added when the key joined its tier or came back from a block, so that its usage_count equals the least count of the other keys.';
comment on column public.user_api_keys.fingerprint is 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. A trigger takes it from the end of the text that is written to api_key_encrypted; null when that text had no fingerprint (npm run reseal adds one).';
comment on column public.user_api_keys.key_hint is 'The last four characters of the key, so that people recognize it; characters other than letters, digits, _ and - are shown as *. null for a key of fewer than 16 characters. A trigger takes it from the end of the text that is written to api_key_encrypted.';
comment on column public.user_api_keys.settings is 'Settings for calls with the key, which each lease returns: a JSON object that may have the texts base_url (https), organization and project. Must not hold secrets.';
alter table public.user_api_keys enable row level security;
revoke all on table public.user_api_keys from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.user_api_keys to service_role;

-- Lists the ready keys of a tier in the order of selection. The index has the column is_ready, because cooling keys fall behind in
-- usage_count: without that column a search would read all cooling keys first and would slow down as the pool grows. The index also
-- serves the foreign key to auth.users.
create index user_api_keys_selection_idx on public.user_api_keys (user_id, priority, is_ready, usage_count, id);
-- Finds, in a tier, the key whose cooldown ends first.
create index user_api_keys_cooling_idx on public.user_api_keys (user_id, priority, ready_at)
where not is_ready;
-- Finds the keys of an account.
create index user_api_keys_account_idx on public.user_api_keys (user_id, account, id) where account is not null;
-- Refuses a key that the pool already has, even when two operators add it at the same time.
create unique index user_api_keys_fingerprint_key on public.user_api_keys (user_id, fingerprint) where fingerprint is not null;

create policy user_api_keys_service_all on public.user_api_keys for all to service_role using (true) with check (true);

create function private.user_api_keys_before_write()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  -- In an insert every column of old is null, so given_away is true for a new key.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- True when this update clears a cooldown that has expired, as a lease does.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
  comes_back boolean;
  least bigint;
  -- The parts of the written text: sealed text, fingerprint, key hint.
  parts text[];
  same_key text;
begin
  if coalesce(current_setting('keyhub.levelling', true), '') = 'on' then
    return new;
  end if;
  -- Undoes changes of these columns in a direct edit, which has trigger depth 1. The triggers of the health tables write the
  -- columns from a greater depth.
  if pg_trigger_depth() = 1 then
    -- An edit cannot change cooling_until, a copy of the block. It can only clear a cooldown that has expired.
    new.cooling_until := case when expired then null else old.cooling_until end;
    new.limited_models := old.limited_models;
    new.limited_until := old.limited_until;
    new.skipped_count := coalesce(old.skipped_count, 0);
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');
  new.account := nullif(btrim(new.account), '');
  if new.provider is distinct from old.provider and new.provider !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception using
      errcode = 'PT422',
      message = 'provider may have letters a to z, digits and the signs . _ -, begins with a letter or digit, and has at most 63 characters, such as openai',
      detail = '{"code": "provider_not_valid"}';
  end if;

  if (new.user_id, new.provider, new.account) is distinct from (old.user_id, old.provider, old.account) and (
    select count(*)
    from public.user_api_keys k
    where k.user_id = new.user_id and k.account = new.account and k.provider is not distinct from new.provider and k.id <> new.id
  ) >= 100 then
    raise exception using
      errcode = 'PT422',
      message = 'an account has at most 100 keys: a report on one of them may lock them all',
      detail = '{"code": "account_too_large"}';
  end if;

  -- A plaintext key must neither be stored by mistake nor be repeated in the error message.
  if replaced and (
    new.api_key_encrypted is null
    or octet_length(new.api_key_encrypted) > 16384
    or new.api_key_encrypted !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}(#[0-9a-f]{32}\.([A-Za-z0-9_*-]{4})?)?$'
  ) then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
  if replaced then
    parts := regexp_match(new.api_key_encrypted, '^([^#]*)(?:#([0-9a-f]{32})\.(.*))?$');
    new.api_key_encrypted := parts[1];
  end if;
  -- The fingerprint and the hint cannot be edited directly: they come from the sealed text.
  new.fingerprint := case when replaced then parts[2] else old.fingerprint end;
  new.key_hint := case when replaced then nullif(parts[3], '') else old.key_hint end;
  if (new.user_id, new.fingerprint) is distinct from (old.user_id, old.fingerprint) then
    select k.key_name into same_key
    from public.user_api_keys k
    where k.user_id = new.user_id and k.fingerprint = new.fingerprint and k.id <> new.id;
    if found then
      raise exception using
        errcode = 'PT422',
        message = format('the pool has this key already: %s', to_json(same_key)),
        detail = '{"code": "duplicate_key"}';
    end if;
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  -- A report that disabled the key concerned the old ciphertext, so a new ciphertext enables the key again. A key that an operator
  -- disabled stays disabled.
  if tg_op = 'UPDATE' and replaced and not resealed and not new.is_active then
    new.is_active := exists (
      select from public.api_key_health h
      where h.user_api_key_id = old.id
        and h.reason = 'invalid_key'
    );
  end if;
  enabled := new.is_active and not old.is_active;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    new.generation := coalesce(old.generation, 0) + 1;
    new.cooling_until := null;
  end if;

  -- True when the key joins a tier: it was added or enabled, its text became usable again, or its priority or owner changed.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- True when the block of the key ends: a lease found it expired, an operator reset it, or the key was replaced.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- When the tier has no other ready key, takes the least count of its active keys that are not ready.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- A key that joins with an expired cooldown becomes ready here, because the next expiry check of its new tier may be later.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.user_api_keys_before_write is 'Checks and completes a key row that is inserted or edited. Raises PT422 for text that is not sealed (the message does not repeat the text), for a key that the pool already has, for a provider that is not valid, and for an account with 100 keys. Moves the fingerprint and the key hint from the written text into their columns. Sets generation and usage_count, and undoes edits of the copies of blocks.';
revoke execute on function private.user_api_keys_before_write from public, anon, authenticated, service_role;

-- A lease does not fire this trigger, because a lease writes only usage_count.
create trigger user_api_keys_20_before_write
before insert or update of id, user_id, key_name, api_key_encrypted, priority, provider, is_active, generation, cooling_until, unusable_reason, unusable_since, account, limited_models,
  limited_until, skipped_count, fingerprint, key_hint
on public.user_api_keys
for each row execute function private.user_api_keys_before_write();

-- Refuses a huge usage_count that somebody writes by hand. Leases raise the count further, and keys that join the tier later start
-- at this count, so a count near the limit of the check constraint would later make leases and inserts fail.
create function private.refuse_huge_usage_count()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  largest constant bigint := 1000000000000000;
begin
  -- Accepts small rises of a count that is already huge: a batch of leases adds fewer than 1000000, and levelling adds at most
  -- 1000000.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$$;
comment on function private.refuse_huge_usage_count is 'Raises PT422 validation_failed for a usage_count above 10^15 that is inserted, or that an update raises by more than 1,000,000 at once: somebody wrote such a count by hand.';
revoke execute on function private.refuse_huge_usage_count from public, anon, authenticated, service_role;

-- These two triggers fire before user_api_keys_20_before_write, because triggers fire in the order of their names. They therefore
-- see the usage_count that was written, not the one that user_api_keys_20_before_write takes from the tier.
create trigger user_api_keys_10_check_usage_count_insert
before insert on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();
create trigger user_api_keys_15_check_usage_count_update
before update of usage_count on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();

create function private.check_key_settings()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER, because the service role may not call looks_secret.
security definer
set search_path = ''
as $$
begin
  new.settings := coalesce(new.settings, '{}');
  if jsonb_typeof(new.settings) <> 'object'
    or new.settings - array['base_url', 'organization', 'project'] <> '{}'
    or exists (
      select
      from jsonb_each(new.settings) s
      where jsonb_typeof(s.value) <> 'string'
        or private.looks_secret(s.value #>> '{}')
        or char_length(s.value #>> '{}') > case s.key when 'base_url' then 2048 else 200 end
        or s.value #>> '{}' !~ case s.key
          -- The address may have no user info, no query and no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- The settings may contain a secret, so the error message does not repeat them.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$$;
comment on function private.check_key_settings is 'Raises PT422 unless settings is an object whose only members are the texts base_url, organization and project, each in its form and length, and none of which looks like a secret. The error message never repeats the settings.';
revoke execute on function private.check_key_settings from public, anon, authenticated, service_role;

-- The check is a trigger, because a check constraint would cost time in every lease.
create trigger user_api_keys_30_check_settings
before insert or update of settings on public.user_api_keys
for each row when (new.settings is distinct from '{}')
execute function private.check_key_settings();

-- This is a view and not a function, because the planner makes a view part of the calling query, so that it costs no extra time.
create view private.key_leases
with (security_invoker = true)
as
select
  k.id,
  k.usage_count,
  jsonb_build_object(
    'kind', 'leased',
    'key_id', k.id,
    'user_id', k.user_id,
    'key_name', k.key_name,
    'provider', k.provider,
    'api_key_encrypted', k.api_key_encrypted,
    'fingerprint', k.fingerprint,
    'generation', k.generation,
    'priority', k.priority,
    'settings', k.settings
  ) as lease
from public.user_api_keys k;
comment on view private.key_leases is 'One row per key: its id, its usage_count, and in lease the JSON object with the fields of the key that a lease returns. lease_api_key and lease_batch raise usage_count through this view and add lease_id, leased_at and model to the object.';
revoke all on table private.key_leases from public, anon, authenticated, service_role;
grant select, update on table private.key_leases to service_role;
