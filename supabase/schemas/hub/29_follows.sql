-- Follows of creators; only the follower can read them.
create table public.hub_follows (
  user_id uuid not null default auth.uid(),
  creator_id uuid not null,
  followed_at timestamptz not null default now(),
  constraint hub_follows_pkey primary key (user_id, creator_id),
  constraint hub_follows_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_follows_creator_id_fkey foreign key (creator_id) references public.hub_profiles (user_id) on delete cascade
);
comment on table public.hub_follows is 'Which users follow which creators; at most 1,000 creators per user. Following a creator again changes nothing.';
alter table public.hub_follows enable row level security;
revoke all on table public.hub_follows from public, anon, authenticated, service_role;
grant select, insert (user_id, creator_id), delete on table public.hub_follows to authenticated;
grant select on table public.hub_follows to service_role;

create index hub_follows_creator_id_idx on public.hub_follows (creator_id);

create policy hub_follows_select on public.hub_follows for select to authenticated using (user_id = (select auth.uid()));
-- The subquery runs with the caller's rights, so that a banned creator and a missing one give the same error.
create policy hub_follows_insert on public.hub_follows for insert to authenticated
with check (
  user_id = (select auth.uid())
  and (select private.is_member())
  and exists (select from public.hub_profiles p where p.user_id = hub_follows.creator_id)
);
create policy hub_follows_delete on public.hub_follows for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy hub_follows_service_select on public.hub_follows for select to service_role using (true);

create function private.hub_follows_before_insert()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- When the row is for another user or the caller has no account, row level security refuses the row later. This trigger raises no
  -- error then, because an error could disclose something.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if new.creator_id = new.user_id then
    perform private.refuse_faults(private.fault('creator_id', 'invalid_value', 'must be somebody else'));
  end if;
  if exists (select from public.hub_follows f where f.user_id = new.user_id and f.creator_id = new.creator_id) then
    return null;
  end if;
  -- The count is exact, because begin_write serializes a user's writes.
  if (select count(*) from public.hub_follows f where f.user_id = new.user_id) >= 1000 then
    raise exception using errcode = 'PT422', message = 'limit_reached', detail = '{"limit": "follows", "most": 1000}';
  end if;
  return new;
end;
$$;
comment on function private.hub_follows_before_insert is 'Skips the insert when the user follows the creator already, and refuses more than 1,000 follows of one user. Raises PT403 banned, PT422 limit_reached or validation_failed.';
revoke execute on function private.hub_follows_before_insert from public, anon, authenticated, service_role;

create trigger hub_follows_before_insert
before insert on public.hub_follows
for each row execute function private.hub_follows_before_insert();

create trigger hub_follows_refuse_banned
before delete on public.hub_follows
for each statement execute function private.refuse_banned();
