-- The names of deleted keys, so that their log rows stay readable. Deleting the account deletes these names and the log rows.
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
comment on table public.api_key_deleted is 'Deleted keys that still have rows in api_key_usage_log: written by a trigger, removed by pruning. Deleting a row here also deletes those log rows.';
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
  -- A key with the same id was deleted before and added again.
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
comment on function private.keep_deleted_key is 'Keeps the name of a deleted key for its log rows; when the account is deleted, deletes the log rows instead.';
revoke execute on function private.keep_deleted_key from public, anon, authenticated, service_role;

create trigger user_api_keys_60_keep_deleted
after delete on public.user_api_keys
for each row execute function private.keep_deleted_key();

create function private.forget_deleted_key()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER for the reason given at keep_deleted_key.
security definer
set search_path = ''
as $$
begin
  delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  return null;
end;
$$;
comment on function private.forget_deleted_key is 'Deletes the log rows of a deleted key together with its name: when the account is deleted, or when an operator deletes the row.';
revoke execute on function private.forget_deleted_key from public, anon, authenticated, service_role;

create trigger api_key_deleted_forget
after delete on public.api_key_deleted
for each row execute function private.forget_deleted_key();
