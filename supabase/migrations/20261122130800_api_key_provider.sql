-- A provider's answer is sometimes read by whose answer it is: Google says OpenAI's sentence of an empty account for every limit.

create function public.api_key_provider(
  token_hash text default null,
  user_id uuid default null,
  lease_id uuid default null,
  key_id uuid default null
)
returns text
language sql
stable
security invoker
set search_path = ''
as $$
  select k.provider
  from private.key_caller(api_key_provider.token_hash, api_key_provider.user_id) c
  join public.user_api_keys k on k.user_id = c.pool_user_id
  where k.id = coalesce(
    api_key_provider.key_id,
    (
      select l.user_api_key_id
      from public.api_key_usage_log l
      where l.id = api_key_provider.lease_id and l.user_id = c.pool_user_id
    )
  );
$$;
comment on function public.api_key_provider is
  'The provider of a key of the caller''s pool, named by itself or by a lease; null for a key of any provider and for none. For set-key-state and get-active-key, where it decides what a report means. Raises PT401 invalid_credential.';
revoke execute on function public.api_key_provider from public, anon, authenticated, service_role;
grant execute on function public.api_key_provider to service_role;
