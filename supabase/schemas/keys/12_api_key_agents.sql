-- Each row is an agent, which calls the service with a token for the pool of one user. Only the hash of the token is stored.
create table public.api_key_agents (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null,
  name text not null,
  token_hash text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint api_key_agents_pkey primary key (id),
  constraint api_key_agents_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint api_key_agents_token_hash_key unique (token_hash),
  constraint api_key_agents_token_hash_check check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint api_key_agents_name_check check (char_length(name) between 1 and 200)
);
comment on table public.api_key_agents is 'Agents and the SHA-256 (hex) of their tokens. Revoke a token with: update api_key_agents set revoked_at = now() where id = ...';
comment on column public.api_key_agents.revoked_at is 'The token is refused from this time on; null: it is not revoked.';
alter table public.api_key_agents enable row level security;
revoke all on table public.api_key_agents from public, anon, authenticated, service_role;
grant select on table public.api_key_agents to service_role;

create index api_key_agents_user_id_idx on public.api_key_agents (user_id);

create policy api_key_agents_service_select on public.api_key_agents for select to service_role using (true);

create function public.issue_agent_token(user_id uuid, name text)
returns text
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  -- Two random uuids have 244 random bits together, from the server's cryptographic random source.
  token constant text := 'kh_agent_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  insert into public.api_key_agents (user_id, name, token_hash)
  values (issue_agent_token.user_id, issue_agent_token.name, encode(sha256(convert_to(token, 'UTF8')), 'hex'));
  return token;
end;
$$;
comment on function public.issue_agent_token is 'Makes an agent of a user''s pool and returns its token, which cannot be read again later. For operators, in the SQL editor.';
revoke execute on function public.issue_agent_token from public, anon, authenticated, service_role;

create function private.key_caller(token_hash text, user_id uuid, out pool_user_id uuid, out agent_id uuid)
language plpgsql
stable
-- SECURITY DEFINER, because service_role may not read auth.users.
security definer
set search_path = ''
as $$
declare
  at constant timestamptz := clock_timestamp();
begin
  if key_caller.token_hash is not null then
    select a.user_id, a.id into key_caller.user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      and (a.revoked_at is null or a.revoked_at > at);
  end if;
  select u.id into pool_user_id
  from auth.users u
  where u.id = key_caller.user_id
    -- When the owner is banned from signing in, or deleted, neither the owner nor an agent of the owner is accepted.
    and (u.banned_until is null or u.banned_until <= at)
    and u.deleted_at is null;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$$;
comment on function private.key_caller is 'Returns the owner of the pool that a caller uses, and the agent. With token_hash, these are the agent of that token and its owner; without it, the owner is the signed-in user user_id, and there is no agent. Raises PT401 invalid_credential for an unknown or revoked token, and when Auth has banned or soft-deleted the owner.';
revoke execute on function private.key_caller from public, anon, authenticated, service_role;
grant execute on function private.key_caller to service_role;
