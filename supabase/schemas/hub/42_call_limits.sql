-- Hourly limits of previews, imports, edits, pictures and checkouts. Publications are counted in the audit log; these calls are not
-- logged there, so each has a row here for an hour. The calling function passes the limit.
create table private.hub_calls (
  id bigint not null generated always as identity,
  user_id uuid not null,
  kind text not null,
  at timestamptz not null default clock_timestamp(),
  constraint hub_calls_pkey primary key (id),
  constraint hub_calls_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_calls_kind_check check (kind in ('previews', 'imports', 'edits', 'pictures', 'checkouts'))
);
comment on table private.hub_calls is 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user and kind; hub_prune deletes those of all users.';
alter table private.hub_calls enable row level security;
revoke all on table private.hub_calls from public, anon, authenticated, service_role;
revoke all on sequence private.hub_calls_id_seq from public, anon, authenticated, service_role;
grant select on table private.hub_calls to service_role;

create index hub_calls_user_id_idx on private.hub_calls (user_id, kind, at);

create policy hub_calls_service_select on private.hub_calls for select to service_role using (true);

create function private.enforce_hourly_limit(kind text, recent timestamptz[], hourly_limit integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if cardinality(enforce_hourly_limit.recent) >= enforce_hourly_limit.hourly_limit then
    raise exception using
      errcode = 'PT429',
      message = 'rate_limited',
      detail = jsonb_build_object(
        'limit', enforce_hourly_limit.kind,
        'per_hour', enforce_hourly_limit.hourly_limit,
        'retry_after', greatest(1, ceil(extract(
          epoch from enforce_hourly_limit.recent[enforce_hourly_limit.hourly_limit] + interval '1 hour' - clock_timestamp()
        )))
      )::text;
  end if;
end;
$$;
comment on function private.enforce_hourly_limit is 'Enforces an hourly limit, given the times of the calls of the last hour, newest first. Raises PT429 rate_limited with the kind, the limit and retry_after in seconds.';
revoke execute on function private.enforce_hourly_limit from public, anon, authenticated, service_role;

-- Counts a call and refuses it above the hourly limit. Called under the lock of begin_write, so that concurrent calls of one user
-- cannot exceed the limit.
create function private.limit_calls(user_id uuid, kind text, hourly_limit integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  if limit_calls.hourly_limit is null then
    return;
  end if;
  -- Deletes calls that are older than an hour, because the limit is for one hour.
  delete from private.hub_calls c
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.enforce_hourly_limit(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$$;
comment on function private.limit_calls is 'Counts a call of a user, such as a preview, an import, an edit or a picture, and enforces the hourly limit; with null, neither counts nor limits. Raises PT429 rate_limited.';
revoke execute on function private.limit_calls from public, anon, authenticated, service_role;

create function private.begin_preview(user_id uuid, hourly_limit integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.begin_write(begin_preview.user_id);
  -- A preview is counted before any work is done.
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
end;
$$;
comment on function private.begin_preview is 'Locks the user''s profile and counts a preview. Called by public.hub_begin_preview.';
revoke execute on function private.begin_preview from public, anon, authenticated, service_role;
grant execute on function private.begin_preview to service_role;

create function public.hub_begin_preview(user_id uuid, hourly_limit integer)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_preview(hub_begin_preview.user_id, hub_begin_preview.hourly_limit);
$$;
comment on function public.hub_begin_preview is 'For hub-publish: counts a preview before anything is read or scanned for it, so that the dry run of hub_publish, which follows, need not count it. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';
revoke execute on function public.hub_begin_preview from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_preview to service_role;
