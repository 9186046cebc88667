-- Results for which all rows must be counted are stored once for all readers, by a schedule or by a writer. Without a stored
-- result, a reader's call counts only the latest stars, imports and listings or a sample, so that its work does not grow with the
-- hub.
create table private.hub_snapshots (
  name text not null,
  value jsonb,
  made_at timestamptz not null,
  constraint hub_snapshots_pkey primary key (name)
);
comment on table private.hub_snapshots is 'Stored results of trending and of the counts of categories. hub_refresh_discovery writes both results; writers of stars and imports renew only trending.';
comment on column private.hub_snapshots.value is 'Null, for trending only: the last seven days have so few stars, imports and listings that each call counts them.';
alter table private.hub_snapshots enable row level security;
revoke all on table private.hub_snapshots from public, anon, authenticated, service_role;
grant select on table private.hub_snapshots to service_role;

create policy hub_snapshots_service_select on private.hub_snapshots for select to service_role using (true);

create function private.snapshot(name text, max_age interval)
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select s.value
  from private.hub_snapshots s
  where s.name = snapshot.name and s.made_at > now() - snapshot.max_age;
$$;
comment on function private.snapshot is 'Returns a snapshot that is not older than max_age; null when there is none.';
revoke execute on function private.snapshot from public, anon, authenticated, service_role;
