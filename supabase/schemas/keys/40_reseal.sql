-- For operators: moves a key to a new seal pair.
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
  -- With this setting the trigger of user_api_keys keeps the generation, because the key itself is the same: its block and its
  -- leases stay valid.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
end;
$$;
comment on function public.reseal_api_key is 'For operators (npm run reseal): replaces the sealed text of a key with the same key sealed to a newer pair. Returns false, and changes nothing, when the stored text is not the expected one any more.';
revoke execute on function public.reseal_api_key from public, anon, authenticated, service_role;
