-- Each row keeps the name of a deleted key, so that an operator can read which key a log row is about. When the user is deleted,
-- these rows and the log rows are deleted, too.
create table public.api_key_deleted (
  id uuid not null,
  user_id uuid not null,
  key_name text not null,
  key_hint text,
  fingerprint text,
  provider text,
  deleted_at timestamptz not null default now(),
  constraint api_key_deleted_pkey primary key (id),
  constraint api_key_deleted_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table public.api_key_deleted is 'Deleted keys that still have rows in api_key_usage_log. A trigger inserts a row when a key is deleted; pruning the log deletes the row when the last log row of the key is gone. Deleting a row by hand also deletes the log rows of that key.';
comment on column public.api_key_deleted.id is 'The id that the key had in user_api_keys.';
alter table public.api_key_deleted enable row level security;
revoke all on table public.api_key_deleted from public, anon, authenticated, service_role;
grant select on table public.api_key_deleted to service_role;

create index api_key_deleted_user_id_idx on public.api_key_deleted (user_id);

create policy api_key_deleted_service_select on public.api_key_deleted for select to service_role using (true);

create function private.keep_deleted_key()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER, because Auth deletes an account with a role that has no rights on these tables.
security definer
set search_path = ''
as $$
begin
  insert into public.api_key_deleted (id, user_id, key_name, key_hint, fingerprint, provider)
  select old.id, old.user_id, old.key_name, old.key_hint, old.fingerprint, old.provider
  from auth.users u
  where u.id = old.user_id
  -- The row exists already when a key with the same id was deleted before and then added again.
  on conflict (id) do update
  set (user_id, key_name, key_hint, fingerprint, provider, deleted_at) =
    row(excluded.user_id, excluded.key_name, excluded.key_hint, excluded.fingerprint, excluded.provider, now());
  if not found then
    -- The account is being deleted as well.
    delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  end if;
  return null;
end;
$$;
comment on function private.keep_deleted_key is 'Stores the name of a deleted key in api_key_deleted, so that its log rows stay readable. When the key is deleted because its user is deleted, deletes its log rows instead.';
revoke execute on function private.keep_deleted_key from public, anon, authenticated, service_role;

create trigger user_api_keys_60_keep_deleted
after delete on public.user_api_keys
for each row execute function private.keep_deleted_key();

create function private.forget_deleted_key()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER for the same reason as keep_deleted_key: Auth deletes an account with a role without rights on these tables.
security definer
set search_path = ''
as $$
begin
  delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  return null;
end;
$$;
comment on function private.forget_deleted_key is 'Deletes the log rows of a deleted key when its row in api_key_deleted is deleted: with the user, or by an operator.';
revoke execute on function private.forget_deleted_key from public, anon, authenticated, service_role;

create trigger api_key_deleted_forget
after delete on public.api_key_deleted
for each row execute function private.forget_deleted_key();
