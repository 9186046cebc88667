-- What needs a look at everything is looked at once for all, by a schedule or by a writer. Where neither has been, readers get
-- the same of the latest acts and of a sample, so that no reader's call grows with the hub.
create table private.hub_snapshots (
  name text not null,
  value jsonb,
  made_at timestamptz not null,
  constraint hub_snapshots_pkey primary key (name)
);
comment on table private.hub_snapshots is 'What trending and the counts of categories were at a moment. Written by hub_refresh_discovery, and trending by writers.';
comment on column private.hub_snapshots.value is 'Null where there is so little to count that each call counts it.';
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
comment on function private.snapshot is 'A snapshot that is not older than this; null without one.';
revoke execute on function private.snapshot from public, anon, authenticated, service_role;
