SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.check_key_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;
