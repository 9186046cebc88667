SET local check_function_bodies = off;

DROP TRIGGER "hub_assets_clear_audit_note" ON "public"."hub_assets";

DROP TRIGGER "hub_profiles_keep_former_name" ON "public"."hub_profiles";

ALTER TABLE "public"."hub_events"
  DROP CONSTRAINT "hub_events_action_check";

DROP FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text);

CREATE TABLE "private"."hub_allowed_content" (
  "user_id"  uuid NOT NULL,
  "asset_id" uuid NOT NULL,
  CONSTRAINT "hub_allowed_content_pkey" PRIMARY KEY (user_id, asset_id)
);

ALTER TABLE "private"."hub_allowed_content"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_creators" (
  "user_id"          uuid                     NOT NULL,
  "names"            text                     NOT NULL,
  "published_assets" integer                  NOT NULL DEFAULT 0,
  "total_installs"   bigint                   NOT NULL DEFAULT 0,
  "total_stars"      bigint                   NOT NULL DEFAULT 0,
  "listed_at"        timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_creators_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."hub_creators"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_follows" (
  "creator_id"  uuid                     NOT NULL,
  "followed_at" timestamp with time zone NOT NULL DEFAULT now(),
  "user_id"     uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "hub_follows_pkey" PRIMARY KEY (user_id, creator_id)
);

ALTER TABLE "public"."hub_follows"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_follows" FROM "anon";

CREATE TYPE "private"."creator_change" AS (
  "creator_id" uuid,
  "listings"   integer,
  "installs"   integer,
  "stars"      integer
);

CREATE OR REPLACE FUNCTION private.add_to_creators (
  changes private.creator_change[]
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- In the order of ids: two statements with listings of several creators do not deadlock. A creator whose profile is gone has no row.
  insert into private.hub_creators as t (user_id, names, published_assets, total_installs, total_stars)
  select c.creator_id, private.name_keys(p.username, p.display_name), c.listings, c.installs, c.stars
  from (
    select u.creator_id, sum(u.listings) as listings, sum(u.installs) as installs, sum(u.stars) as stars
    from unnest(add_to_creators.changes) u
    where u.creator_id is not null
    group by u.creator_id
    having sum(u.listings) <> 0 or sum(u.installs) <> 0 or sum(u.stars) <> 0
  ) c
  join public.hub_profiles p on p.user_id = c.creator_id
  order by c.creator_id
  on conflict (user_id) do update
  set published_assets = t.published_assets + excluded.published_assets,
    total_installs = t.total_installs + excluded.total_installs,
    total_stars = t.total_stars + excluded.total_stars;
$function$;

CREATE OR REPLACE FUNCTION private.allow_content (
  asset_id uuid,
  username text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  allowed uuid;
begin
  perform private.require_admin();
  select p.user_id into allowed
  from public.hub_profiles p
  where private.username_key(p.username) = private.username_key(allow_content.username)
    and lower(p.username) = lower(allow_content.username);
  if allowed is null then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  perform from public.hub_assets a where a.id = allow_content.asset_id and a.deleted_at is null for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  insert into private.hub_allowed_content (user_id, asset_id) values (allowed, allow_content.asset_id) on conflict do nothing;
  if found then
    insert into public.hub_events (actor_id, action, asset_id, user_id)
    values ((select auth.uid()), 'content_allowed', allow_content.asset_id, allowed);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.compare_creators()
  RETURNS TABLE (
    user_id uuid,
    counter text,
    stored  integer,
    counted integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with held as (
    select a.creator_id as user_id, count(*) as listings, sum(a.install_count) as installs, sum(a.star_count) as stars
    from public.hub_assets a
    where a.is_visible and a.creator_id is not null
    group by a.creator_id
  )
  select coalesce(h.user_id, c.user_id), v.counter, coalesce(v.stored, 0)::integer, coalesce(v.counted, 0)::integer
  from held h
  full join private.hub_creators c on c.user_id = h.user_id
  cross join lateral (
    values
      ('creator_listings', c.published_assets::bigint, h.listings),
      ('creator_installs', c.total_installs, h.installs::bigint),
      ('creator_stars', c.total_stars, h.stars::bigint)
  ) v (counter, stored, counted);
$function$;

CREATE OR REPLACE FUNCTION private.count_creators()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
    ));
  elsif tg_op = 'DELETE' then
    perform private.add_to_creators(array(
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  else
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
      union all
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.creator_cards (
  user_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'username', p.username,
    'display_name', p.display_name,
    'avatar_url', p.avatar_url,
    'member_since', p.created_at,
    'published_assets', t.published_assets,
    'total_installs', t.total_installs,
    'total_stars', t.total_stars
  ) order by u.place), '[]')
  from unnest(creator_cards.user_ids) with ordinality u (user_id, place)
  join public.hub_profiles p on p.user_id = u.user_id
  join private.hub_creators t on t.user_id = u.user_id
  where not private.is_banned(u.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_totals (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'published_assets', coalesce(sum(c.published_assets), 0),
    'total_installs', coalesce(sum(c.total_installs), 0),
    'total_stars', coalesce(sum(c.total_stars), 0)
  )
  from private.hub_creators c
  where c.user_id = creator_totals.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.creators_page (
  q      text,
  sort   text,
  place  jsonb,
  wanted integer
)
  RETURNS TABLE (
    user_id uuid,
    key     text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  column_name constant text := case creators_page.sort
    when 'most_installed' then 'total_installs' when 'most_starred' then 'total_stars' when 'newest' then 'listed_at'
  end;
begin
  return query execute format(
    'select t.user_id, t.%1$I::text
    from private.hub_creators t
    where t.published_assets > 0
      and ($1 is null or t.names like $1)
      and ($2 is null or (t.%1$I, t.user_id) < ($2::%2$s, $3::uuid))
      and not private.is_banned(t.user_id)
    order by t.%1$I desc, t.user_id desc
    limit $4',
    column_name, case column_name when 'listed_at' then 'timestamptz' else 'bigint' end
  )
  using '%' || private.name_key(creators_page.q) || '%', creators_page.place ->> 'key', creators_page.place ->> 'id', creators_page.wanted;
end;
$function$;

CREATE OR REPLACE FUNCTION private.directory (
  q         text,
  sort      text,
  cursor    text,
  page_size integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant text := nullif(btrim(directory.q), '');
  ordered constant text := coalesce(directory.sort, 'most_installed');
  list constant jsonb := to_jsonb('creators ' || md5(jsonb_build_array(wanted, ordered)::text));
  place jsonb;
  ids uuid[];
  keys text[];
  faults jsonb := '[]';
begin
  if octet_length(directory.q) > 400 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 100 characters');
  end if;
  if ordered not in ('most_installed', 'most_starred', 'newest') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of most_installed, most_starred, newest');
  end if;
  perform private.refuse_faults(faults);
  perform private.judge_page_size(directory.page_size);
  if directory.cursor is not null then
    place := private.from_cursor(left(directory.cursor, 2001), list);
    if not coalesce(
      pg_input_is_valid(place ->> 'id', 'uuid')
      and pg_input_is_valid(place ->> 'key', case ordered when 'newest' then 'timestamptz' else 'bigint' end), false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  -- A name of signs alone is nobody's.
  if wanted is null or private.name_key(wanted) <> '' then
    select array_agg(p.user_id), array_agg(p.key) into ids, keys
    from private.creators_page(wanted, ordered, place, coalesce(directory.page_size, 24) + 1) p;
  end if;
  return jsonb_build_object(
    'items', private.creator_cards(ids[:coalesce(directory.page_size, 24)]),
    'next_cursor', case
      when cardinality(ids) > coalesce(directory.page_size, 24)
      then private.to_cursor(jsonb_build_object(
        'list', list, 'key', keys[coalesce(directory.page_size, 24)], 'id', ids[coalesce(directory.page_size, 24)]
      ))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.following (
  cursor    text,
  page_size integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  size constant integer := coalesce(following.page_size, 24);
  place jsonb;
  ids uuid[];
  times timestamptz[];
begin
  if following.cursor is not null then
    place := private.from_cursor(left(following.cursor, 2001), '"following"');
    if not coalesce(pg_input_is_valid(place ->> 'at', 'timestamptz') and pg_input_is_valid(place ->> 'id', 'uuid'), false) then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  select array_agg(p.id), array_agg(p.published_at) into ids, times from private.following_page(caller, place, size + 1) p;
  return jsonb_build_object(
    'ids', coalesce(to_jsonb(ids[:size]), '[]'),
    'next_cursor', case
      when cardinality(ids) > size then private.to_cursor(jsonb_build_object('list', 'following', 'at', times[size], 'id', ids[size]))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.following_page (
  user_id uuid,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id           uuid,
    published_at timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Of each creator no more than a page, in the order of the index.
  select n.id, n.published_at
  from public.hub_follows f
  cross join lateral (
    select a.id, a.published_at
    from public.hub_assets a
    where a.creator_id = f.creator_id and a.is_visible
      and (a.published_at, a.id) < (
        coalesce((following_page.place ->> 'at')::timestamptz, 'infinity'),
        coalesce((following_page.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by a.published_at desc, a.id desc
    limit following_page.wanted
  ) n
  where f.user_id = following_page.user_id
  order by n.published_at desc, n.id desc
  limit following_page.wanted;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_check_text()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  edited constant boolean := (select auth.uid()) is not null;
  before public.hub_assets;
  sent_tags constant text[] := new.tags;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
  if octet_length(new.title) > 4000 then
    faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if octet_length(new.description) > 40000 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
  end if;
  if cardinality(new.tags) > 100 or octet_length(array_to_string(new.tags, '')) > 20000
    or exists (select from unnest(new.tags) u (tag) where octet_length(u.tag) > 1000)
  then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if octet_length(new.thumbnail_url) > 4000 then
    faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  perform private.refuse_faults(faults);

  if tg_op = 'INSERT' or new.title is distinct from before.title then
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    elsif private.has_breaks_or_invisible(new.title) then
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    elsif private.has_invisible_characters(new.description) then
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and new.published_at is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      or exists (select from unnest(new.tags) u (tag) where private.has_breaks_or_invisible(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
    then
      faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.thumbnail_url is distinct from before.thumbnail_url then
    new.thumbnail_url := private.clean(new.thumbnail_url);
    if not private.is_https_url(new.thumbnail_url) then
      faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);
  -- Of what readers see: a copy keeps the title of its original until it is published.
  if (new.is_public or new.published_at is not null) and (before.published_at is null or new.title is distinct from before.title)
    and private.mixes_scripts(new.title)
  then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "title"}';
  end if;

  -- Edge functions have removed secrets by more exact rules before, which leave placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Also the tags as sent: some secrets do not match their pattern in lower case.
  if private.adds_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
    or private.adds_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_follows_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
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
  -- Exact: begin_write serializes a user's writes.
  if (select count(*) from public.hub_follows f where f.user_id = new.user_id) >= 1000 then
    raise exception using errcode = 'PT422', message = 'limit_reached', detail = '{"limit": "follows", "most": 1000}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row is locked already: no new row can refer to it.
  -- First the user's own ban and those that the user imposed: lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  -- Also those who follow the user: two who follow each other may go at once.
  perform from public.hub_follows f
  where f.user_id = old.id or f.creator_id = old.id
  order by f.user_id, f.creator_id
  for update;
  perform private.lock_own_sources(old.id);
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    select s.asset_id from public.hub_stars s where s.user_id = old.id
    union
    select i.asset_id from public.hub_imports i where i.user_id = old.id
  )
  -- Assets are locked in the order of their ids.
  order by a.id
  for no key update;
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.mixes_scripts (
  title text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Word by word. Greek letters stand in names of substances behind capitals (TNFα), so there they mix with small Latin letters only.
  select mixes_scripts.title collate pg_catalog.pg_c_utf8 ~ (
    '[A-Za-z][[:alpha:]]*[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ]|[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ][[:alpha:]]*[A-Za-z]'
    || '|[a-z][[:alpha:]]*[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[a-z]'
    || '|[A-Z][[:alpha:]]*[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[A-Z]'
  );
$function$;

CREATE OR REPLACE FUNCTION private.name_keys (
  username     text,
  display_name text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select ' ' || private.username_key(name_keys.username) || ' ' || coalesce(private.name_key(name_keys.display_name), '');
$function$;

CREATE OR REPLACE FUNCTION private.publication (
  user_id    uuid,
  asset_id   uuid,
  version    integer,
  created    boolean,
  shown_slug text    DEFAULT NULL::text,
  same_as    text    DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- json, because jsonb would change the order of the columns.
  select json_build_object(
    'created', publication.created,
    'asset', row_to_json(jsonb_populate_record(
      a,
      case when publication.shown_slug is null then '{}' else jsonb_build_object('slug', publication.shown_slug) end
    )),
    'version', v.version,
    'label', v.label,
    'changelog', v.changelog,
    'same_as', publication.same_as,
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
$function$;

CREATE OR REPLACE FUNCTION private.publish_asset (
  user_id         uuid,
  publication     jsonb,
  scan_token      text,
  dry_run         boolean,
  hourly_limit    integer,
  idempotency_key text,
  request_sha256  text
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  -- The requests of a user are serialized.
  perform private.begin_write(publish_asset.user_id);
  answer := private.get_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  if answer is not null then
    return answer;
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
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end,
      label => wanted ->> 'label',
      changelog => wanted ->> 'changelog'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
      end,
      made ->> 'same_as'
    );
    if publish_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.publish_snapshot (
  user_id       uuid,
  asset_type    text,
  ref_id        uuid,
  slug          text,
  title         text,
  description   text,
  tags          text[],
  license       text,
  payload       jsonb,
  sha256        text,
  thumbnail_url text    DEFAULT NULL::text,
  scan          jsonb   DEFAULT NULL::jsonb,
  redactions    jsonb   DEFAULT '[]'::jsonb,
  items         jsonb   DEFAULT '[]'::jsonb,
  confirmed     boolean DEFAULT true,
  hourly_limit  integer DEFAULT NULL::integer,
  label         text    DEFAULT NULL::text,
  changelog     text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<publish>>
declare
  asset public.hub_assets;
  parent public.hub_assets;
  first boolean;
  next_version integer;
  notes record;
  same record;
begin
  -- Serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if publish_snapshot.license = 'paid' then
    raise exception using errcode = 'PT422', message = 'license_not_available';
  end if;
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  select * into notes from private.check_version_notes(publish_snapshot.label, publish_snapshot.changelog);
  if not private.lock_source(publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.user_id) then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.asset_type = publish_snapshot.asset_type and a.ref_id = publish_snapshot.ref_id
  for no key update;
  if asset.creator_id is distinct from publish_snapshot.user_id and asset.id is not null then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  if asset.hidden_reason = 'removed' then
    raise exception using errcode = 'PT409', message = 'removed';
  end if;

  if asset.deleted_at is null
    and (asset.title, asset.tags, asset.license) = (
      private.clean(publish_snapshot.title), private.normalize_tags(publish_snapshot.tags), publish_snapshot.license
    )
    and asset.description = private.clean(publish_snapshot.description)
    and asset.thumbnail_url is not distinct from publish_snapshot.thumbnail_url
    and private.is_current_content(
      asset.id, asset.current_version, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.items
    )
  then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
    -- The same content with words of its own: they are of the version that is there.
    if coalesce(notes.label, notes.changelog) is not null then
      perform private.write_version_notes(
        asset.id, asset.current_version, notes.label, notes.changelog, keeps_missing => true
      );
    end if;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  select * into same
  from private.same_content(
    publish_snapshot.user_id, asset, publish_snapshot.asset_type, publish_snapshot.payload, publish_snapshot.sha256
  );
  if same.id is not null then
    perform private.refuse_same_content(publish_snapshot.user_id, same.id, same.slug, same.license);
  end if;
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.published_at is null;
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- A claimed origin is not a parent.
      if asset.attribution ? 'parent' and asset.parent_asset_id is null then
        -- Locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (asset.attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (asset.attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
      for attempt in 1..30 loop
        begin
          update public.hub_assets a set slug = private.nth_slug(publish_snapshot.slug, attempt) where a.id = asset.id;
          exit;
        exception
          when unique_violation then null;
        end;
      end loop;
    end if;
    update public.hub_assets a
    set title = publish_snapshot.title,
      description = publish_snapshot.description,
      tags = publish_snapshot.tags,
      thumbnail_url = publish_snapshot.thumbnail_url,
      license = publish_snapshot.license,
      current_version = next_version,
      is_public = true,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan, is_open)
  values (
    asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan, true
  );
  perform private.write_version_notes(asset.id, next_version, notes.label, notes.changelog);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license', nullif(i.item -> 'attribution', 'null')
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  if same.id is not null then
    insert into public.hub_events (actor_id, action, asset_id, user_id, details)
    values (
      (select auth.uid()), 'same_content', asset.id, publish_snapshot.user_id, jsonb_build_object('same_as', same.id, 'version', next_version)
    );
  end if;
  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', first, 'same_as', same.slug
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_same_content (
  user_id  uuid,
  asset_id uuid,
  slug     text,
  license  text
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- cc0 asks for nothing; every other license asks that the lineage is kept.
  if refuse_same_content.license <> 'cc0' and not exists (
    select from private.hub_allowed_content c
    where c.user_id = refuse_same_content.user_id and c.asset_id = refuse_same_content.asset_id
  ) then
    raise exception using
      errcode = 'PT409', message = 'duplicate_content', detail = jsonb_build_object('slug', refuse_same_content.slug)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rename_creator()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.hub_creators t set names = private.name_keys(new.username, new.display_name) where t.user_id = new.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.root_of (
  asset public.hub_assets
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    (root_of.asset).attribution #>> '{root,id}', (root_of.asset).attribution #>> '{parent,id}', (root_of.asset).source_asset_id::text, (root_of.asset).id::text
  );
$function$;

CREATE OR REPLACE FUNCTION private.same_content (
  user_id    uuid,
  asset      public.hub_assets,
  asset_type text,
  payload    jsonb,
  sha256     text
)
  RETURNS TABLE (
    id      uuid,
    slug    text,
    license text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select a.id, a.slug, v.license
  from public.hub_asset_versions v
  join public.hub_assets a on a.id = v.asset_id
  where v.sha256 = same_content.sha256
    and a.asset_type = same_content.asset_type
    -- Short prompts, settings and pipelines without a stage are alike by chance.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or same_content.payload -> 'nodes' @? '$[0]')
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- Who has published it twice is named by a copy of one of the two.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION public.hub_allow_content (
  asset_id uuid,
  username text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.allow_content(hub_allow_content.asset_id, hub_allow_content.username);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_allow_content"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_check_counters()
  RETURNS TABLE (
    asset_id uuid,
    counter  text,
    stored   integer,
    counted  integer
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select c.asset_id, c.counter, c.stored, c.counted
  from (
    select a.id as asset_id, 'star_count' as counter, a.star_count as stored, coalesce(s.stars, 0) as counted
    from public.hub_assets a
    left join (select o.asset_id, count(*)::integer as stars from public.hub_stars o group by o.asset_id) s on s.asset_id = a.id
    union all
    select a.id, 'install_count', a.install_count, coalesce(i.users, 0)
    from public.hub_assets a
    left join (
      select o.asset_id, count(distinct o.user_id)::integer as users
      from public.hub_imports o
      join public.hub_assets of on of.id = o.asset_id
      where o.counts or o.user_id is distinct from of.creator_id
      group by o.asset_id
    ) i on i.asset_id = a.id
    union all
    select a.id, 'open_reports', m.open_reports, coalesce(r.open, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as open from public.hub_reports o where not o.resolved group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    select a.id, 'counting_reports', m.counting_reports, coalesce(r.counting, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as counting
      from public.hub_reports o
      where not o.resolved and o.counts
      group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    -- Of an account, not of a listing: its id stands in the same column.
    select u.user_id, u.counter, u.stored, u.counted from private.compare_usage() u
    union all
    select u.user_id, u.counter, u.stored, u.counted from private.compare_creators() u
  ) c
  where c.stored is distinct from c.counted;
$function$;

CREATE OR REPLACE FUNCTION public.hub_creators (
  q         text    DEFAULT NULL::text,
  sort      text    DEFAULT NULL::text,
  cursor    text    DEFAULT NULL::text,
  page_size integer DEFAULT 24
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.directory(hub_creators.q, hub_creators.sort, hub_creators.cursor, hub_creators.page_size);
$function$;

CREATE OR REPLACE FUNCTION public.hub_following (
  cursor    text    DEFAULT NULL::text,
  page_size integer DEFAULT 24
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  page jsonb;
begin
  perform private.judge_page_size(hub_following.page_size);
  page := private.following(hub_following.cursor, hub_following.page_size);
  return json_build_object(
    'items', private.asset_cards(array(select i.id::uuid from jsonb_array_elements_text(page -> 'ids') with ordinality i (id, n) order by i.n)),
    'next_cursor', page -> 'next_cursor'
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_following"(text, integer) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."hub_allowed_content"
  ADD CONSTRAINT "hub_allowed_content_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_allowed_content"
  ADD CONSTRAINT "hub_allowed_content_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_creators"
  ADD CONSTRAINT "hub_creators_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_events"
  ADD CONSTRAINT "hub_events_action_check"
    CHECK
    ((action = ANY (ARRAY['published'::text, 'same_content'::text, 'content_allowed'::text, 'unpublished'::text, 'republished'::text, 'yanked'::text, 'unyanked'::text,
    'deleted'::text,
    'hidden'::text,
    'restored'::text,
    'removed'::text,
    'erased'::text,
    'report_resolved'::text, 'banned'::text, 'unbanned'::text, 'admin_added'::text, 'admin_removed'::text, 'appealed'::text, 'appeal_accepted'::text, 'appeal_rejected'::text])));

ALTER TABLE "public"."hub_follows"
  ADD CONSTRAINT "hub_follows_creator_id_fkey" FOREIGN KEY (creator_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

CREATE INDEX hub_allowed_content_asset_id_idx ON private.hub_allowed_content USING btree (asset_id);

CREATE INDEX hub_creators_most_installed_idx ON private.hub_creators USING btree (total_installs DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_creators_most_starred_idx ON private.hub_creators USING btree (total_stars DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_creators_newest_idx ON private.hub_creators USING btree (listed_at DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_asset_versions_sha256_idx ON public.hub_asset_versions USING btree (sha256);

CREATE INDEX hub_follows_creator_id_idx ON public.hub_follows USING btree (creator_id);

CREATE TRIGGER hub_assets_90_count_creators_insert
  AFTER INSERT ON public.hub_assets REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_91_count_creators_update
  AFTER UPDATE ON public.hub_assets REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_92_count_creators_delete
  AFTER DELETE ON public.hub_assets REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_95_clear_audit_note
  AFTER UPDATE OF is_hidden, deleted_at ON public.hub_assets
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.clear_audit_note();

CREATE TRIGGER hub_follows_before_insert
  BEFORE INSERT ON public.hub_follows
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_follows_before_insert();

CREATE TRIGGER hub_follows_refuse_banned
  BEFORE DELETE ON public.hub_follows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_banned();

CREATE TRIGGER hub_profiles_10_keep_former_name
  AFTER UPDATE OF username ON public.hub_profiles
  FOR EACH ROW
  WHEN ((private.username_key(new.username) <> private.username_key(old.username)))
  EXECUTE FUNCTION private.keep_former_name();

CREATE TRIGGER hub_profiles_20_rename_creator
  AFTER UPDATE ON public.hub_profiles
  FOR EACH ROW
  WHEN (((old.username IS DISTINCT FROM new.username) OR (old.display_name IS DISTINCT FROM new.display_name)))
  EXECUTE FUNCTION private.rename_creator();

CREATE POLICY "hub_allowed_content_service_select" ON "private"."hub_allowed_content"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_creators_service_select" ON "private"."hub_creators"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_follows_service_select" ON "public"."hub_follows"
  FOR SELECT
  TO "service_role"
  USING (true);

COMMENT ON COLUMN "private"."hub_creators"."listed_at" IS 'When the creator''s first listing became visible.';

COMMENT ON COLUMN "private"."hub_creators"."names" IS 'The keys of username and display name, as private.name_keys writes them.';

COMMENT ON FUNCTION "private"."add_to_creators"(private.creator_change[]) IS 'Adds to the sums of creators what their visible listings have more than before.';

COMMENT ON FUNCTION "private"."allow_content"(uuid, text) IS 'Implements hub_allow_content.';

COMMENT ON FUNCTION "private"."compare_creators"() IS 'What private.hub_creators says of each creator, and what the visible listings make.';

COMMENT ON FUNCTION "private"."count_creators"() IS 'Keeps private.hub_creators: what a statement has changed of visible listings.';

COMMENT ON FUNCTION "private"."creator_cards"(uuid[]) IS 'Creators as the directory shows them, in this order.';

COMMENT ON FUNCTION "private"."creators_page"(text, text, jsonb, integer) IS 'Creators with visible listings, one page and one more: those whose user name or shown name has q in it, however it is written.';

COMMENT ON FUNCTION "private"."directory"(text, text, text, integer) IS 'Implements hub_creators.';

COMMENT ON FUNCTION "private"."following"(text, integer) IS 'The ids of a page of hub_following, and its cursor.';

COMMENT ON FUNCTION "private"."following_page"(uuid, jsonb, integer) IS 'Visible listings of the creators whom a user follows, newest first, behind a place.';

COMMENT ON FUNCTION "private"."hub_assets_check_text"() IS 'Normalises and checks the changed ones of title, description, tags and thumbnail. Raises PT422 mixed_script, validation_failed or secret_detected; never repeats a value.';

COMMENT ON FUNCTION "private"."hub_follows_before_insert"() IS 'Makes following idempotent, and bounds it. Raises PT403 banned, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "private"."mixes_scripts"(text) IS 'Whether a word has Latin letters and Cyrillic or Greek ones that look like Latin letters.';

COMMENT ON FUNCTION "private"."name_keys"(text, text) IS 'The keys of both names of a creator, each behind a blank.';

COMMENT ON FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text, text) IS 'A version of a listing as readers get it, with its receipt; shown_slug replaces the slug in a preview.';

COMMENT ON FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. Raises PT403 banned, PT404 source_not_found, PT409 duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 license_not_available, mixed_script or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."refuse_same_content"(uuid, uuid, text, text) IS 'Raises PT409 duplicate_content with the slug of the listing, unless its license or an admin allows the content.';

COMMENT ON FUNCTION "private"."rename_creator"() IS 'Creators are found by the names that they have now.';

COMMENT ON FUNCTION "private"."root_of"(public.hub_assets) IS 'The listing that a lineage begins with, as text; of an original its own id.';

COMMENT ON FUNCTION "private"."same_content"(uuid, public.hub_assets, text, jsonb, text) IS 'The oldest visible listing of somebody else that has this content in a version, and neither it nor its creator is in the lineage of the asset.';

COMMENT ON FUNCTION "public"."hub_allow_content"(uuid, text) IS 'For admins: lets a user publish content that is equal to a version of this listing. Raises 42501, PT404 asset_not_found or user_not_found.';

COMMENT ON FUNCTION "public"."hub_creators"(text, text, text, integer) IS 'The directory: creators with visible listings, by installs, stars or when they began, those whose names have q in them: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_following"(text, integer) IS 'What the creators whom the caller follows have published, newest first: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 source_not_found, PT409 duplicate_content, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, license_not_available, mixed_script, secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON TABLE "private"."hub_allowed_content" IS 'Who may publish content that is equal to a version of this listing, because an admin has looked.';

COMMENT ON TABLE "private"."hub_creators" IS 'Who has listings, or had some: the sums over the visible ones. Maintained by triggers; hub_check_counters compares them.';

COMMENT ON TABLE "public"."hub_follows" IS 'Who follows which creators; at most 1,000 of a user. Following is idempotent.';

REVOKE ALL ON FUNCTION "private"."add_to_creators"(private.creator_change[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."allow_content"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."allow_content"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."compare_creators"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."compare_creators"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_creators"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."creator_cards"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."creators_page"(text, text, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."directory"(text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."directory"(text, text, text, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."following"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."following"(text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."following_page"(uuid, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_follows_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mixes_scripts"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."name_keys"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_same_content"(uuid, uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rename_creator"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."root_of"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."same_content"(uuid, public.hub_assets, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_allow_content"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_allow_content"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_allow_content"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_creators"(text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_creators"(text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_following"(text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_following"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_following"(text, integer) TO "postgres";

GRANT SELECT ON TABLE "private"."hub_allowed_content" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_creators" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "authenticated";

REVOKE ALL ("creator_id") ON TABLE "public"."hub_follows" FROM "authenticated";

GRANT INSERT ("creator_id") ON TABLE "public"."hub_follows" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."hub_follows" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_follows" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_follows" TO "service_role";

ALTER TABLE "public"."hub_follows"
  ADD CONSTRAINT "hub_follows_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "hub_follows_delete" ON "public"."hub_follows"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "hub_follows_insert" ON "public"."hub_follows"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_profiles p
  WHERE (p.user_id = hub_follows.creator_id)))));

CREATE POLICY "hub_follows_select" ON "public"."hub_follows"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."hub_follows" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."hub_follows" TO "authenticated";

INSERT INTO private.hub_creators (user_id, names, published_assets, total_installs, total_stars, listed_at)
SELECT p.user_id, private.name_keys(p.username, p.display_name), count(*), sum(a.install_count), sum(a.star_count), min(a.published_at)
FROM public.hub_assets a
JOIN public.hub_profiles p ON p.user_id = a.creator_id
WHERE a.is_visible
GROUP BY p.user_id;
