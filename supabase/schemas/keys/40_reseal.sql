-- For operators: moves keys to a new seal pair.
create function public.reseal_api_key(key_id uuid, expected text, resealed text)
returns boolean
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  replaced boolean;
begin
  -- It is the same key, sealed again: its block and its leases stay valid.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
end;
$$;
comment on function public.reseal_api_key is 'Replaces a key''s sealed text with the same key sealed to a newer pair; returns false when the text changed meanwhile. For operators (npm run reseal).';
revoke execute on function public.reseal_api_key from public, anon, authenticated, service_role;
