-- What a call needs besides the key: handed out with it. Nothing secret, since it is stored as it is.

alter table public.user_api_keys add column settings jsonb not null default '{}';
comment on column public.user_api_keys.settings is 'Handed out with the key: base_url (https), organization, project. Nothing secret.';

create function private.check_key_settings()
returns trigger
language plpgsql
volatile
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
    -- What stands in it may be a secret, and is not repeated.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$$;
comment on function private.check_key_settings is 'Raises PT422 unless settings is an object of the three texts, none of which looks secret; never repeats them.';
revoke execute on function private.check_key_settings from public, anon, authenticated, service_role;

-- Not a check constraint, which every hand-out would pay for.
create trigger user_api_keys_check_settings
before insert or update of settings on public.user_api_keys
for each row when (new.settings is distinct from '{}')
execute function private.check_key_settings();
