-- A count that somebody writes stays so far below what counting can reach that it never meets the check, neither in its own row
-- nor in those that take it over when they join.

create function private.refuse_huge_usage_count()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  largest constant bigint := 1000000000000000;
begin
  -- What has been counted up, or taken over from its peers, comes in small steps.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$$;
comment on function private.refuse_huge_usage_count is 'Refuses a usage_count of more than 10^15 that was written and not counted. Raises PT422 validation_failed.';
revoke execute on function private.refuse_huge_usage_count from public, anon, authenticated, service_role;

update public.user_api_keys k set usage_count = 1000000000000000 where k.usage_count > 1000000000000000;

-- Before the trigger that lets a key take over the count of its peers, which runs behind this one by its name.
create trigger user_api_keys_a_count_insert
before insert on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();
create trigger user_api_keys_a_count_update
before update of usage_count on public.user_api_keys
for each row when (new.usage_count > 1000000000000000)
execute function private.refuse_huge_usage_count();
