-- The API keys. One row holds everything that decides whether a key may be leased. The row's lock orders leases, reports and
-- operators' edits, and a transaction that has waited for the lock reads the newest values of all columns.
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
  -- Far below the largest bigint, so that counting up cannot overflow.
  constraint user_api_keys_usage_count_check check (usage_count between 0 and 4000000000000000000),
  constraint user_api_keys_generation_check check (generation >= 1),
  constraint user_api_keys_account_check check (account ~ '^[^[:cntrl:]]{1,200}$'),
  constraint user_api_keys_limited_check check (cardinality(limited_models) is not distinct from cardinality(limited_until))
)
-- Measured by: npm run bench -- bloat. usage_count is indexed, so each lease writes a new version of the key's row and a new entry
-- in each index of the table. A lower fillfactor would therefore save nothing. Frequent vacuum helps instead: in a large pool, when
-- a fiftieth of the rows has changed. Analyze runs rarely, because no plan depends on the values that leases change, and an analyze
-- after every few hundred leases would make each session plan again.
with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);
comment on table public.user_api_keys is 'Provider API keys, sealed. A key may be leased when ready_at is not later than now. Order of selection: priority descending, usage_count ascending, id.';
comment on column public.user_api_keys.api_key_encrypted is 'HPKE sealed text hpke.v1.<kid>.<enc>.<ciphertext>, bound to user_id. Made by: npm run seal -- --user <user_id>, which appends #<fingerprint>.<hint>; a trigger moves that part into fingerprint and key_hint.';
comment on column public.user_api_keys.priority is 'Keys with a higher priority are leased first.';
comment on column public.user_api_keys.provider is 'Lower case, such as openai; null serves any provider.';
comment on column public.user_api_keys.usage_count is 'Of the keys of one priority, the key with the lowest usage_count is leased first; each lease adds one. A key that is added, enabled, moved or comes back from a block starts at the least count of the other keys of its tier; usage_count - skipped_count is the exact number of leases.';
comment on column public.user_api_keys.generation is 'Rises when an operator replaces the ciphertext, re-enables the key, gives it to another user or resets its block; reports on leases of an older generation are stale.';
comment on column public.user_api_keys.cooling_until is 'Copy of api_key_health.blocked_until, kept by a trigger; edit that column instead. After the block has ended, an edit of the key or the first lease that finds the block expired clears this column.';
comment on column public.user_api_keys.unusable_reason is 'Why the sealed text could not be opened; the key is not leased while this is set. Cleared when the ciphertext or the owner changes.';
comment on column public.user_api_keys.unusable_since is 'When unusable_reason was set.';
comment on column public.user_api_keys.sealed_kid is 'Name (kid) of the seal pair that the text was sealed to.';
comment on column public.user_api_keys.is_ready is 'True when the key may be leased without comparing times. A key whose cooldown has just ended becomes ready only when a lease clears the expired cooldown.';
comment on column public.user_api_keys.ready_at is 'The key may be leased from this time on; infinity: the key is disabled or cannot be opened, so waiting does not help. Leases and the view api_key_states both use it.';
comment on column public.user_api_keys.account is 'Keys of a pool with the same provider and account share their limits, such as the keys of one organization or project at the provider. At most 100 keys; null: the key shares its limits with no other key.';
comment on column public.user_api_keys.limited_models is 'Copy of the blocks in api_key_model_health, kept by a trigger; edit that table instead. An expired block stays listed until a lease for its model removes it.';
comment on column public.user_api_keys.limited_until is 'The end of the block of each model in limited_models, in the same order.';
comment on column public.user_api_keys.skipped_count is 'The part of usage_count that no lease has added: it was added when the key joined its tier or came back from a block.';
comment on column public.user_api_keys.fingerprint is 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. Taken from the end of the sealed text; null when the text had no fingerprint (npm run reseal adds one).';
comment on column public.user_api_keys.key_hint is 'The last four characters of a key of 16 or more; characters other than letters, digits, _ and - are shown as *. Taken from the end of the sealed text.';
comment on column public.user_api_keys.settings is 'Returned with the lease: base_url (https), organization, project. Must not hold secrets.';
alter table public.user_api_keys enable row level security;
revoke all on table public.user_api_keys from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.user_api_keys to service_role;

-- Lists ready keys in the order of selection. is_ready keeps ready keys apart from cooling keys: cooling keys fall behind in
-- usage_count, and a scan that had to walk past them would slow down as the pool grows. The index also serves the foreign key to
-- auth.users.
create index user_api_keys_selection_idx on public.user_api_keys (user_id, priority, is_ready, usage_count, id);
-- Finds the cooldown of a tier that ends first.
create index user_api_keys_cooling_idx on public.user_api_keys (user_id, priority, ready_at)
where not is_ready;
-- Finds the keys of an account.
create index user_api_keys_account_idx on public.user_api_keys (user_id, account, id) where account is not null;
-- A pool has each key only once, even when two operators add it at the same time.
create unique index user_api_keys_fingerprint_key on public.user_api_keys (user_id, fingerprint) where fingerprint is not null;

create policy user_api_keys_service_all on public.user_api_keys for all to service_role using (true) with check (true);

create function private.user_api_keys_before_write()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  -- In an insert every column of old is null, so given_away is true: the owner has just received the key.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- True when a lease clears an expired block.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
  comes_back boolean;
  least bigint;
  -- Sealed text, fingerprint, hint.
  parts text[];
  same_key text;
begin
  if coalesce(current_setting('keyhub.levelling', true), '') = 'on' then
    return new;
  end if;
  -- Applies to direct edits only: the triggers of the health tables write these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- cooling_until is a copy of the block; an edit cannot change it.
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

  -- A plaintext key must neither be stored by mistake nor be repeated in the message.
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

  -- The key joins a tier: it was added, enabled or repaired, or its priority or owner changed.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- The block of the key has ended: a lease found it expired, or an operator reset the block or edited the key.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- When no key is ready, takes the least count of the active keys that are not ready.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- A key whose cooldown is over is ready at once: the tier's next expiry check may have been postponed before the key joined.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
comment on function private.user_api_keys_before_write is 'Refuses unsealed text, without repeating it, and a key that the pool already has, by PT422. Moves fingerprint and hint from the text into their columns. Keeps generation, usage_count and the copies of blocks correct under any edit of a key row.';
revoke execute on function private.user_api_keys_before_write from public, anon, authenticated, service_role;

-- A lease does not fire this trigger, because a lease writes only usage_count.
create trigger user_api_keys_20_before_write
before insert or update of id, user_id, key_name, api_key_encrypted, priority, provider, is_active, generation, cooling_until, unusable_reason, unusable_since, account, limited_models,
  limited_until, skipped_count, fingerprint, key_hint
on public.user_api_keys
for each row execute function private.user_api_keys_before_write();

-- Refuses a huge usage_count that somebody writes by hand. Leases raise the count further, and keys that join the tier take it
-- over, so a count near the limit of the check constraint would later make leases and inserts fail.
create function private.refuse_huge_usage_count()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  largest constant bigint := 1000000000000000;
begin
  -- Accepts small rises of a count that is already huge: a lease adds few, and levelling adds at most 1000000.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$$;
comment on function private.refuse_huge_usage_count is 'Refuses a usage_count above 10^15 that was written by hand instead of counted. Raises PT422 validation_failed.';
revoke execute on function private.refuse_huge_usage_count from public, anon, authenticated, service_role;

-- These two triggers fire before user_api_keys_20_before_write, because triggers fire in the order of their names. They therefore
-- see the count that was written, not the count that the other trigger takes over from the tier.
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
          -- No user info, no query, no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- The settings may contain a secret, so the message does not repeat them.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$$;
comment on function private.check_key_settings is 'Raises PT422 unless settings is an object with no members but the texts base_url, organization and project, none of which looks like a secret; the message never repeats them.';
revoke execute on function private.check_key_settings from public, anon, authenticated, service_role;

-- The check is a trigger and not a check constraint, which would cost time in every lease.
create trigger user_api_keys_30_check_settings
before insert or update of settings on public.user_api_keys
for each row when (new.settings is distinct from '{}')
execute function private.check_key_settings();

-- A view and not a function: the planner makes a view part of the calling query, so that it costs no time of its own.
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
comment on view private.key_leases is 'The fields of a key that a lease returns. lease_api_key raises usage_count through this view and adds lease_id, leased_at and model.';
revoke all on table private.key_leases from public, anon, authenticated, service_role;
grant select, update on table private.key_leases to service_role;
