-- install_count is the number of distinct signed-in users, other than the creator, who imported the asset. One import of each user
-- is counted. The counted import is chosen under the lock of the asset, so that two concurrent imports of one user are not both
-- counted.
create function private.hub_imports_before_write()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.counts := false;
  elsif (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_imports"}';
  elsif pg_trigger_depth() = 1 then
    new.counts := old.counts;
  end if;
  return new;
end;
$$;
comment on function private.hub_imports_before_write is 'Refuses to move an import to another asset or user, and ignores edits of counts. Raises PT409 append_only.';
revoke execute on function private.hub_imports_before_write from public, anon, authenticated, service_role;

create trigger hub_imports_before_write
before insert or update on public.hub_imports
for each row execute function private.hub_imports_before_write();

create function private.count_installs()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  if tg_op = 'INSERT' then
    -- Locks the asset first, so that of two concurrent imports by one user only one is counted.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    with first as (
      select distinct on (n.asset_id, n.user_id) n.id, n.asset_id
      from added n
      join public.hub_assets a on a.id = n.asset_id
      -- The creator's own import is not counted.
      where n.user_id is distinct from a.creator_id
        and not exists (
          select from public.hub_imports i
          where i.asset_id = n.asset_id and i.user_id = n.user_id and i.counts
        )
      order by n.asset_id, n.user_id, n.id
    ),
    counted as (
      update public.hub_imports i set counts = true from first f where i.id = f.id
    )
    update public.hub_assets a
    set install_count = a.install_count + c.users
    from (select f.asset_id, count(*)::integer as users from first f group by f.asset_id) c
    where a.id = c.asset_id;
  else
    -- A counted row was deleted. Another row of the same user and asset is counted instead, so all these rows are locked. A
    -- concurrent delete may hold such a row and wait for the asset. This loop holds the asset, so it skips locked rows instead of
    -- waiting: on a lock conflict it releases all locks and takes them again.
    loop
      begin
        perform from public.hub_assets a where a.id in (select o.asset_id from removed o) order by a.id for no key update;
        select count(*) into locked from (
          select from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
          for no key update skip locked
        ) h;
        exit when locked = (
          select count(*) from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
        );
        raise exception using errcode = 'KH001', message = 'lock_conflict';
      exception
        when sqlstate 'KH001' then
          if clock_timestamp() > started + interval '5 seconds' then
            raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on an import, retries exhausted"}';
          end if;
          perform pg_sleep(0.01);
      end;
    end loop;
    -- A user with other imports of the asset is still counted, by the oldest of them.
    with lost as (
      select o.asset_id, o.user_id from removed o where o.counts
    ),
    oldest as (
      select distinct on (i.asset_id, i.user_id) i.id
      from lost l
      join public.hub_imports i on i.asset_id = l.asset_id and i.user_id = l.user_id
      order by i.asset_id, i.user_id, i.created_at, i.id
    ),
    heirs as (
      update public.hub_imports i set counts = true from oldest o where i.id = o.id
      returning i.asset_id, i.user_id
    )
    update public.hub_assets a
    set install_count = a.install_count - g.users
    from (
      select l.asset_id, count(*)::integer as users
      from lost l
      -- Leaves out a user who has another import of the asset, which is now counted instead of the deleted one.
      where not exists (select from heirs h where h.asset_id = l.asset_id and h.user_id = l.user_id)
      group by l.asset_id
    ) g
    where a.id = g.asset_id;
  end if;
  return null;
end;
$$;
comment on function private.count_installs is 'Adds 1 to install_count with the first import of a user, and subtracts 1 when the user''s last import is deleted.';
revoke execute on function private.count_installs from public, anon, authenticated, service_role;

create trigger hub_imports_20_count_added after insert on public.hub_imports
referencing new table as added for each statement execute function private.count_installs();
create trigger hub_imports_count_removed after delete on public.hub_imports
referencing old table as removed for each statement execute function private.count_installs();

create function private.reset_install_counts()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_assets a set install_count = 0 where a.install_count <> 0;
  return null;
end;
$$;
comment on function private.reset_install_counts is 'Sets install_count of all listings to 0 when hub_imports is truncated.';
revoke execute on function private.reset_install_counts from public, anon, authenticated, service_role;

create trigger hub_imports_reset_on_truncate
after truncate on public.hub_imports
for each statement execute function private.reset_install_counts();

create table public.hub_featured (
  asset_id uuid not null,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  constraint hub_featured_pkey primary key (asset_id),
  constraint hub_featured_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table public.hub_featured is 'The listings of the curated collection on the landing page, in order of position. Edited by operators and admins.';
alter table public.hub_featured enable row level security;
revoke all on table public.hub_featured from public, anon, authenticated, service_role;
grant select on table public.hub_featured to anon, authenticated, service_role;

create policy hub_featured_select on public.hub_featured for select to anon, authenticated
using (exists (select from public.hub_assets a where a.id = hub_featured.asset_id and a.is_visible));
create policy hub_featured_service_select on public.hub_featured for select to service_role using (true);
