-- Idempotent responses: the stored answers of publications and imports. A client that did not receive its answer repeats the
-- request with the same Idempotency-Key and gets the stored answer; nothing is done twice.
create table private.hub_idempotent_responses (
  user_id uuid not null,
  endpoint text not null,
  idempotency_key text not null,
  request_sha256 text not null,
  answer jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint hub_idempotent_responses_pkey primary key (user_id, endpoint, idempotency_key),
  constraint hub_idempotent_responses_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_idempotent_responses_endpoint_check check (endpoint in ('hub-publish', 'hub-import')),
  constraint hub_idempotent_responses_idempotency_key_check check (char_length(idempotency_key) between 1 and 255),
  constraint hub_idempotent_responses_request_sha256_check check (request_sha256 ~ '^[0-9a-f]{64}$')
);
comment on table private.hub_idempotent_responses is 'Answers of hub-publish and hub-import by Idempotency-Key, each kept for 24 hours.';
comment on column private.hub_idempotent_responses.request_sha256 is 'SHA-256 of the request''s canonical form: another request with the same key is refused.';
alter table private.hub_idempotent_responses enable row level security;
revoke all on table private.hub_idempotent_responses from public, anon, authenticated, service_role;
grant select on table private.hub_idempotent_responses to service_role;

create index hub_idempotent_responses_created_at_idx on private.hub_idempotent_responses (created_at);

create policy hub_idempotent_responses_service_select on private.hub_idempotent_responses for select to service_role using (true);

create function private.get_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  stored private.hub_idempotent_responses;
begin
  if get_response.idempotency_key is null then
    return null;
  end if;
  select h.* into stored
  from private.hub_idempotent_responses h
  where h.user_id = get_response.user_id
    and h.endpoint = get_response.endpoint
    and h.idempotency_key = get_response.idempotency_key
    and h.created_at > clock_timestamp() - interval '24 hours';
  if stored.request_sha256 <> get_response.request_sha256 then
    raise exception using errcode = 'PT422', message = 'idempotency_key_reused';
  end if;
  return stored.answer;
end;
$$;
comment on function private.get_response is 'Returns the stored answer to this request of a user from the last 24 hours; null when there is none. Raises PT422 idempotency_key_reused when the key belongs to another request.';
revoke execute on function private.get_response from public, anon, authenticated, service_role;
grant execute on function private.get_response to service_role;

-- Stores the answer to a request. Called under the lock of begin_write, after get_response has returned null: a stored row with the
-- same key can only be an expired one, which this function deletes first.
create function private.store_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text, answer jsonb)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if store_response.idempotency_key is null then
    return;
  end if;
  delete from private.hub_idempotent_responses h
  where h.user_id = store_response.user_id and h.created_at <= clock_timestamp() - interval '24 hours';
  insert into private.hub_idempotent_responses (user_id, endpoint, idempotency_key, request_sha256, answer)
  values (
    store_response.user_id, store_response.endpoint, store_response.idempotency_key, store_response.request_sha256, store_response.answer
  );
end;
$$;
comment on function private.store_response is 'Stores an answer for 24 hours, in the transaction of the request, and deletes the user''s expired answers.';
revoke execute on function private.store_response from public, anon, authenticated, service_role;

create function public.hub_get_response(user_id uuid, endpoint text, idempotency_key text, request_sha256 text)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.get_response(
    hub_get_response.user_id, hub_get_response.endpoint, hub_get_response.idempotency_key, hub_get_response.request_sha256
  );
$$;
comment on function public.hub_get_response is 'For the edge functions: returns the stored answer to this request, so that a retry does not depend on later changes. Raises PT422 idempotency_key_reused.';
revoke execute on function public.hub_get_response from public, anon, authenticated, service_role;
grant execute on function public.hub_get_response to service_role;
