-- Locks of writes to the workspace. The lock order is in docs/design/locks.md.

-- Calls begin_write before a client's write to the workspace locks any row. This serializes the write with a ban and with the
-- deletion of the account.
create function private.lock_caller()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Operators and edge functions have no auth.uid(). Row level security refuses callers without an account.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
end;
$$;
comment on function private.lock_caller is 'Locks the caller''s profile and account before a statement. Raises 42501 when the account is deleted.';
revoke execute on function private.lock_caller from public, anon, authenticated, service_role;
