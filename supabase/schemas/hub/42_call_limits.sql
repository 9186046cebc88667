-- How often a user may preview and import within an hour. Publications are counted in the audit log, which nobody can shorten;
-- these leave no trace there, so that each has a row here until it is an hour old. How many are allowed is the caller's to say.
create table private.hub_calls (
  id bigint not null generated always as identity,
  user_id uuid not null,
  kind text not null,
  at timestamptz not null default clock_timestamp(),
  constraint hub_calls_pkey primary key (id),
  constraint hub_calls_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_calls_kind_check check (kind in ('previews', 'imports'))
);
comment on table private.hub_calls is 'Previews and imports of the last hour, for their limits. Each call forgets the older ones of its user; hub_prune those of users who never come back.';
alter table private.hub_calls enable row level security;
revoke all on table private.hub_calls from public, anon, authenticated, service_role;
revoke all on sequence private.hub_calls_id_seq from public, anon, authenticated, service_role;
grant select on table private.hub_calls to service_role;

create index hub_calls_user_id_idx on private.hub_calls (user_id, kind, at);

create policy hub_calls_service_select on private.hub_calls for select to service_role using (true);

create function private.refuse_often(kind text, recent timestamptz[], hourly_limit integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- guard: publish: sixty an hour
  -- without: if false then
  if cardinality(refuse_often.recent) >= refuse_often.hourly_limit then
  -- end
    raise exception using
      errcode = 'PT429',
      message = 'rate_limited',
      detail = jsonb_build_object(
        'limit', refuse_often.kind,
        'per_hour', refuse_often.hourly_limit,
        'retry_after', greatest(1, ceil(extract(
          epoch from refuse_often.recent[refuse_often.hourly_limit] + interval '1 hour' - clock_timestamp()
        )))
      )::text;
  end if;
end;
$$;
comment on function private.refuse_often is 'Refuses when there were as many as allowed within the last hour: their moments, the newest first. Raises PT429 rate_limited, which says of what, how many are allowed and when there is room again.';
revoke execute on function private.refuse_often from public, anon, authenticated, service_role;

-- Under the lock of begin_write: a user's calls are counted one after another.
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
  -- guard: publish: a call counts for an hour
  -- without: delete from private.hub_calls c using (select 1) nobody where false; perform from private.hub_calls c
  delete from private.hub_calls c
  -- end
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    -- guard: publish: calls are each user's own
    -- without: where c.kind = limit_calls.kind
    -- guard: publish: previews and imports have limits of their own
    -- without: where c.user_id = limit_calls.user_id
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    -- end
    -- end
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.refuse_often(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$$;
comment on function private.limit_calls is 'Counts a preview or an import of a user, and refuses it beyond so many within an hour; null is no limit. Raises PT429 rate_limited.';
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
  -- guard: publish: a preview is counted before its work
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
  -- end
end;
$$;
comment on function private.begin_preview is 'The work of hub_begin_preview.';
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
comment on function public.hub_begin_preview is 'For hub-publish: counts a preview of a user before anything is read or scanned for it; hub_publish is then given no limit. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';
revoke execute on function public.hub_begin_preview from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_preview to service_role;
