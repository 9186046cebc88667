-- Each lease has one row, and the report on the lease fills in the other columns of that row. A report without a lease has its own
-- row.
create table public.api_key_usage_log (
  id uuid not null default gen_random_uuid(),
  user_api_key_id uuid not null,
  user_id uuid not null,
  agent_id uuid,
  key_generation integer not null,
  issued_at timestamptz,
  reported_at timestamptz,
  outcome text,
  error_code text,
  effect text,
  state_before text,
  state_after text,
  blocked_until timestamptz,
  consecutive_failures integer,
  hint text,
  dead boolean,
  model text,
  scope text,
  constraint api_key_usage_log_pkey primary key (id),
  constraint api_key_usage_log_event_check check (issued_at is not null or reported_at is not null),
  constraint api_key_usage_log_report_check check ((reported_at is null) = (outcome is null) and (reported_at is null) = (effect is null))
)
-- Each report writes a new version of its log row and leaves a dead version behind. In a long log a twentieth of the rows is
-- already many, so vacuum starts when a twentieth of the rows is dead instead of a fifth, the default.
with (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.1
);
comment on table public.api_key_usage_log is 'Who leased which key when, and which outcome was reported. id is the id of the lease. Never holds a provider''s error text.';
comment on column public.api_key_usage_log.user_api_key_id is 'The id of the key. Not a foreign key, because the log rows stay when the key is deleted (api_key_deleted keeps its name).';
comment on column public.api_key_usage_log.user_id is 'Owner of the pool. Not a foreign key, because with one all leases of a pool would lock the same user row.';
comment on column public.api_key_usage_log.agent_id is 'The agent that leased the key or reported without a lease; null when the user called with an access token. Not a foreign key, because with one all leases of an agent would lock the same agent row.';
comment on column public.api_key_usage_log.issued_at is 'When the key was leased; null for a report without a lease.';
comment on column public.api_key_usage_log.blocked_until is 'The end of the block after the report, as set-key-state returned it: the block of the key, or, with scope model, the block of the key for the model. null: no block.';
comment on column public.api_key_usage_log.consecutive_failures is 'The consecutive_failures after the report, as set-key-state returned it: of the key, or, with scope model, of the key with the model.';
comment on column public.api_key_usage_log.model is 'The model that the report named; without one, the model that the key was leased for.';
comment on column public.api_key_usage_log.scope is 'What the reported answer of the provider was about: request, model, key or account; null for a success, and for a failure that says nothing about any of these.';
comment on column public.api_key_usage_log.dead is 'True when the answer of the provider said that the key is dead, so that it will never work again.';
comment on column public.api_key_usage_log.hint is 'How the report used the wait that the provider stated (the hint): used, capped (shortened to the longest wait allowed) or ignored; null: the provider stated none.';
alter table public.api_key_usage_log enable row level security;
revoke all on table public.api_key_usage_log from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_usage_log to service_role;

-- Finds the leases of a key, even of a deleted key, and the leases that one caller made of a key.
create index api_key_usage_log_key_idx on public.api_key_usage_log (user_api_key_id, (coalesce(agent_id, user_id)), issued_at desc);
-- Finds the leases of a key that a caller has not reported yet. A report without a lease id is for the newest of them.
create index api_key_usage_log_open_idx on public.api_key_usage_log (user_api_key_id, (coalesce(agent_id, user_id)), issued_at desc)
where reported_at is null;
-- Finds rows by the time of the lease or, for a report without a lease, of the report. The index does not begin with user_id,
-- because a session that made its query plan while the log was empty would then use this index to find the lease of a report, and
-- read all rows of the pool.
create index api_key_usage_log_time_idx on public.api_key_usage_log ((coalesce(issued_at, reported_at)));

create policy api_key_usage_log_service_all on public.api_key_usage_log for all to service_role using (true) with check (true);
