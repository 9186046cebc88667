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
create index hub_calls_user_id_idx on private.hub_calls (user_id, kind, at);

alter table private.hub_calls enable row level security;
revoke all on table private.hub_calls from public, anon, authenticated, service_role;
revoke all on sequence private.hub_calls_id_seq from public, anon, authenticated, service_role;
grant select on table private.hub_calls to service_role;
create policy hub_calls_service_select on private.hub_calls for select to service_role using (true);

create function private.refuse_often(kind text, recent timestamptz[], hourly_limit integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if cardinality(refuse_often.recent) >= refuse_often.hourly_limit then
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

-- Counted in the audit log, which a creator cannot shorten by deleting listings. Exact, since a user's writes come one
-- after another.
create or replace function private.limit_publications(user_id uuid, hourly_limit integer)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  recent := array(
    select e.at
    from public.hub_events e
    where e.user_id = limit_publications.user_id
      and e.action = 'published'
      and e.at > checked_at - interval '1 hour'
    order by e.at desc
    limit limit_publications.hourly_limit
  );
  perform private.refuse_often('publications', recent, limit_publications.hourly_limit);
end;
$$;

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
  delete from private.hub_calls c
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.refuse_often(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$$;
comment on function private.limit_calls is 'Counts a preview or an import of a user, and refuses it beyond so many within an hour; null is no limit. Raises PT429 rate_limited.';
revoke execute on function private.limit_calls from public, anon, authenticated, service_role;

create or replace function public.hub_prune()
returns integer
language plpgsql
volatile
security invoker
set search_path = ''
as $$
declare
  pruned integer;
  ended integer;
  counted integer;
begin
  delete from private.hub_answers h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics ended = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics counted = row_count;
  return pruned + ended + counted;
end;
$$;
comment on function public.hub_prune is 'For operators: deletes answers older than 24 hours, confirmations that have ended and calls that count no longer; returns how many.';

-- 1. Previews. What a preview says of the slug must not tell of listings that nobody sees.
drop function private.publication(uuid, uuid, integer, boolean);
create function private.publication(user_id uuid, asset_id uuid, version integer, created boolean, shown_slug text default null)
returns json
language sql
stable
security definer
set search_path = ''
as $$
  -- json and not jsonb: rows keep the order of their columns, as over the API.
  select json_build_object(
    'created', publication.created,
    'asset', row_to_json(jsonb_populate_record(
      a,
      case when publication.shown_slug is null then '{}' else jsonb_build_object('slug', publication.shown_slug) end
    )),
    'version', v.version,
    'payload', v.payload,
    'sha256', v.sha256,
    'license', v.license,
    'scan', v.scan,
    'items', (
      select coalesce(json_agg(row_to_json(item) order by item.position), '[]')
      from (
        select i.position, i.asset_type, i.ref_id, i.title, i.payload, i.sha256, i.license, i.attribution
        from public.hub_bundle_items i
        where i.asset_id = v.asset_id and i.version = v.version
      ) item
    ),
    'redactions', (
      select r.redactions from public.hub_receipts r where r.asset_id = v.asset_id and r.version = v.version
    )
  )
  from public.hub_assets a
  join public.hub_asset_versions v on v.asset_id = a.id and v.version = publication.version
  where a.id = publication.asset_id and a.creator_id = publication.user_id;
$$;
comment on function private.publication is 'A version of a listing as readers get it, and its receipt; of a preview with the slug that it may show.';
revoke execute on function private.publication from public, anon, authenticated, service_role;

create function private.preview_slug(slug text, asset_id uuid)
returns text
language sql
volatile
security definer
set search_path = ''
as $$
  select private.nth_slug(preview_slug.slug, coalesce((
    select n.attempt
    from generate_series(1, 9) n (attempt)
    where not exists (
      select from public.hub_assets a
      where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible and a.id <> preview_slug.asset_id
    )
    order by n.attempt
    limit 1
  ), 10));
$$;
comment on function private.preview_slug is 'The form of a slug that a new listing would get if there were no others than those that everybody sees.';
revoke execute on function private.preview_slug from public, anon, authenticated, service_role;

create or replace function private.publish_asset(
  user_id uuid,
  publication jsonb,
  scan_token text,
  dry_run boolean,
  hourly_limit integer,
  idempotency_key text,
  request_sha256 text
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  perform private.begin_write(publish_asset.user_id);
  answer := private.recall_answer(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  if publish_asset.dry_run then
    perform private.limit_calls(publish_asset.user_id, 'previews', publish_asset.hourly_limit);
  end if;
  begin
    made := private.publish_snapshot(
      user_id => publish_asset.user_id,
      asset_type => wanted ->> 'asset_type',
      ref_id => (wanted ->> 'ref_id')::uuid,
      slug => wanted ->> 'slug',
      title => wanted ->> 'title',
      description => wanted ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(wanted -> 'tags') with ordinality t (tag, n) order by t.n),
      thumbnail_url => wanted ->> 'thumbnail_url',
      license => wanted ->> 'license',
      payload => wanted -> 'payload',
      sha256 => wanted ->> 'sha256',
      scan => nullif(wanted -> 'scan', 'null'),
      redactions => wanted -> 'redactions',
      items => wanted -> 'items',
      confirmed => publish_asset.dry_run
        or wanted ->> 'content_sha256' is null
        or private.is_confirmed(publish_asset.user_id, wanted ->> 'content_sha256', publish_asset.scan_token),
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- A listing that is there has its slug; a new one gets its own when it is published.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
      end
    );
    if publish_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- Everything has been done, looked at and undone: so the preview cannot differ from the real thing.
      return answer;
  end;
  perform private.keep_answer(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- What was published can be removed, and must not live on here.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$$;
comment on function private.publish_asset is 'The work of hub_publish. hourly_limit is that of publications, or of previews. Of a preview, ids and times are those of what was undone.';

-- 2. Imports.
drop function public.hub_import(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, text, text);
drop function private.import_asset(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, text, text);
create function private.import_asset(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  answer jsonb;
  created jsonb;
begin
  -- A token may outlive its account.
  if not exists (select from auth.users u where u.id = import_asset.user_id) then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
  -- A ban waits for this lock and then nothing more is imported, or is found here.
  perform private.begin_write(import_asset.user_id);
  answer := private.recall_answer(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  perform private.limit_calls(
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
  );
  begin
    created := private.copy_rows(
      import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode
    );
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The ids were those of rows that are not there any more.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  perform private.keep_answer(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$$;
comment on function private.import_asset is 'Imports planned rows into a user''s workspace, all or nothing; a dry run makes them and takes them back. hourly_limit is that of imports, or of previews. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function private.import_asset from public, anon, authenticated, service_role;
grant execute on function private.import_asset to service_role;

create function public.hub_import(
  user_id uuid,
  rows jsonb,
  mode text,
  asset_id uuid default null,
  version integer default null,
  sha256 text default null,
  attribution jsonb default null,
  warnings jsonb default '[]',
  dry_run boolean default false,
  hourly_limit integer default null,
  idempotency_key text default null,
  request_sha256 text default null
)
returns jsonb
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.import_asset(
    hub_import.user_id, hub_import.rows, hub_import.mode, hub_import.asset_id, hub_import.version, hub_import.sha256,
    hub_import.attribution, hub_import.warnings, hub_import.dry_run, hub_import.hourly_limit, hub_import.idempotency_key,
    hub_import.request_sha256
  );
$$;
comment on function public.hub_import is 'For hub-import: what core has planned, written in one transaction. Raises PT401 invalid_credential, PT403 banned, PT404 asset_not_found, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_import from public, anon, authenticated, service_role;
grant execute on function public.hub_import to service_role;
