-- One row per lease, completed by its report; a report without a lease has a row of its own.
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
-- already many, so vacuum starts at that share instead of the default of a fifth.
with (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.1
);
comment on table public.api_key_usage_log is 'Who leased which key when, and what was reported. id is the lease id. Never holds a provider''s error text.';
comment on column public.api_key_usage_log.user_api_key_id is 'The key. No foreign key: the rows stay when the key is deleted (api_key_deleted keeps its name).';
comment on column public.api_key_usage_log.user_id is 'Owner of the pool. No foreign key: it would make all leases of a pool lock the same user row.';
comment on column public.api_key_usage_log.agent_id is 'The agent that holds the lease; null when the user called with an access token. No foreign key, for the same reason as user_id.';
comment on column public.api_key_usage_log.issued_at is 'When the key was leased; null for a report without a lease.';
comment on column public.api_key_usage_log.blocked_until is 'The end of the block of the key or model after the report, as the call returned it.';
comment on column public.api_key_usage_log.consecutive_failures is 'The consecutive_failures of the key or model after the report, as the call returned it.';
comment on column public.api_key_usage_log.model is 'The model that the key was leased for, or that the report named.';
comment on column public.api_key_usage_log.scope is 'What the reported answer was about: request, model, key or account; null where the answer says nothing about a key.';
comment on column public.api_key_usage_log.dead is 'True when the answer said that the key is dead.';
comment on column public.api_key_usage_log.hint is 'What happened to the provider''s hint: used, capped or ignored; null when there was none.';
alter table public.api_key_usage_log enable row level security;
revoke all on table public.api_key_usage_log from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_usage_log to service_role;

-- Finds the leases of a key, also of a deleted one, and the leases of one caller on a key.
create index api_key_usage_log_key_idx on public.api_key_usage_log (user_api_key_id, (coalesce(agent_id, user_id)), issued_at desc);
-- Finds a caller's open leases of a key: a report without a lease id belongs to the newest of them.
create index api_key_usage_log_open_idx on public.api_key_usage_log (user_api_key_id, (coalesce(agent_id, user_id)), issued_at desc)
where reported_at is null;
-- Finds rows by the time of the lease, or of a report without a lease. The index does not begin with the user: a session that made
-- its plan while the log was empty would then use this index to find the lease of a report, and read all rows of the pool.
create index api_key_usage_log_time_idx on public.api_key_usage_log ((coalesce(issued_at, reported_at)));

create policy api_key_usage_log_service_all on public.api_key_usage_log for all to service_role using (true) with check (true);
