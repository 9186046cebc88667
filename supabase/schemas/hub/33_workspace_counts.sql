-- Effects of a write to the workspace: it sets the mirrors of the source row, and it changes the counted size of the account's
-- workspace.

-- Keeps a source row and its registry row consistent: maintains the mirrors hub_asset_id and is_public. When a source row is
-- deleted, deletes its registry row as well if the registry row was never published or shared.

-- Sets the mirrors of a source row from its registry row at every write, so that no write can set other values.
create function private.mirror_listing()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  listing record;
begin
  select a.id, a.is_public into listing
  from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id = new.id and a.deleted_at is null;
  new.hub_asset_id := listing.id;
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$$;
comment on function private.mirror_listing is 'Sets the mirrors hub_asset_id and is_public of a source row from its registry row; without a registry row, to null and false.';
revoke execute on function private.mirror_listing from public, anon, authenticated, service_role;

-- Deletes the registry rows of deleted source rows if the registry rows were never published or shared. Runs once per statement and
-- in the order of ids, which is the lock order.
create function private.delete_unpublished_listings()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0
  order by a.id
  for update;
  delete from public.hub_assets a
  -- A published listing stays when its source is deleted.
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0;
  return null;
end;
$$;
comment on function private.delete_unpublished_listings is 'When source rows are deleted, deletes those of their registry rows that were never published or shared; the other registry rows stay.';
revoke execute on function private.delete_unpublished_listings from public, anon, authenticated, service_role;

-- The size of an account's workspace: at most 2,000 rows and 100 MiB in all source tables together. Each write adds its rows and
-- bytes to the stored sums, like the counters of listings, so that two concurrent writes cannot both add the last row that the
-- limit allows.
create table private.workspace_usage (
  user_id uuid not null,
  row_count integer not null default 0,
  byte_count bigint not null default 0,
  constraint workspace_usage_pkey primary key (user_id),
  constraint workspace_usage_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);
comment on table private.workspace_usage is 'The number of rows and bytes of each account in the four source tables. Written by triggers; hub_check_counters compares it with the source rows.';
comment on column private.workspace_usage.byte_count is 'Bytes of the rows as JSON text, without compression: private.source_bytes.';
alter table private.workspace_usage enable row level security;
revoke all on table private.workspace_usage from public, anon, authenticated, service_role;
grant select on table private.workspace_usage to service_role;

create policy workspace_usage_service_select on private.workspace_usage for select to service_role using (true);

create function private.source_bytes(source jsonb)
returns bigint
language sql
immutable
set search_path = ''
as $$
  -- Leaves out the mirrors of the registry row, which triggers write later.
  select octet_length((source_bytes.source - '{hub_asset_id,is_public,updated_at}'::text[])::text)::bigint;
$$;
comment on function private.source_bytes is 'Returns the number of bytes that a source row adds to the size of a workspace. A new column of a source table changes this number, so its migration must recount private.workspace_usage.';
revoke execute on function private.source_bytes from public, anon, authenticated, service_role;

create function private.count_usage(user_ids uuid[], row_counts integer[], byte_counts bigint[])
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  most_rows constant integer := 2000;
  most_bytes constant bigint := 100 * 1024 * 1024;
  step record;
  held private.workspace_usage;
begin
  -- Changes the accounts in the order of their ids, so that two statements that concern several accounts cannot deadlock here.
  for step in
    select s.user_id, sum(s.rows)::integer as rows, sum(s.bytes)::bigint as bytes
    from unnest(count_usage.user_ids, count_usage.row_counts, count_usage.byte_counts) s (user_id, rows, bytes)
    group by s.user_id
    having sum(s.rows) <> 0 or sum(s.bytes) <> 0
    order by s.user_id
  loop
    update private.workspace_usage u
    set row_count = u.row_count + step.rows, byte_count = u.byte_count + step.bytes
    where u.user_id = step.user_id
    returning u.* into held;
    if not found and step.rows > 0 then
      insert into private.workspace_usage as u (user_id, row_count, byte_count)
      values (step.user_id, step.rows, step.bytes)
      on conflict (user_id) do update
      set row_count = u.row_count + excluded.row_count, byte_count = u.byte_count + excluded.byte_count
      returning u.* into held;
    end if;
    -- A change that makes the workspace smaller is never refused.
    if step.rows > 0 and held.row_count > most_rows then
      perform private.refuse_usage('workspace_rows', most_rows);
    elsif step.bytes > 0 and held.byte_count > most_bytes then
      perform private.refuse_usage('workspace_bytes', most_bytes);
    end if;
  end loop;
end;
$$;
comment on function private.count_usage is 'Adds the given numbers of rows and bytes, which may be negative, to the sums of accounts in private.workspace_usage. Raises PT422 limit_reached with the name of the limit and its number.';
revoke execute on function private.count_usage from public, anon, authenticated, service_role;

create function private.refuse_usage(limit_name text, most bigint)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT422',
    message = 'limit_reached',
    detail = jsonb_build_object('limit', refuse_usage.limit_name, 'most', refuse_usage.most)::text;
end;
$$;
comment on function private.refuse_usage is 'Raises PT422 limit_reached with the name of the limit and its number.';
revoke execute on function private.refuse_usage from public, anon, authenticated, service_role;

create function private.count_source_usage()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.count_usage(
      array_agg(n.user_id), array_agg(1), array_agg(private.source_bytes(to_jsonb(n)))
    ) from after_rows n;
  elsif tg_op = 'DELETE' then
    perform private.count_usage(
      array_agg(o.user_id), array_agg(-1), array_agg(-private.source_bytes(to_jsonb(o)))
    ) from before_rows o;
  else
    perform private.count_usage(array_agg(c.user_id), array_agg(c.rows), array_agg(c.bytes))
    from (
      select n.user_id, 1 as rows, private.source_bytes(to_jsonb(n)) as bytes from after_rows n
      union all
      select o.user_id, -1, -private.source_bytes(to_jsonb(o)) from before_rows o
    ) c;
  end if;
  return null;
end;
$$;
comment on function private.count_source_usage is 'Adds the rows and bytes that a statement changes in a source table to private.workspace_usage. Raises PT422 limit_reached.';
revoke execute on function private.count_source_usage from public, anon, authenticated, service_role;
