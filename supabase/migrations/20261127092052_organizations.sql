SET local check_function_bodies = off;

DROP POLICY "hub_asset_versions_select_anon" ON "public"."hub_asset_versions";

DROP POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions";

DROP POLICY "hub_assets_select" ON "public"."hub_assets";

DROP POLICY "hub_assets_update" ON "public"."hub_assets";

DROP POLICY "hub_reports_insert" ON "public"."hub_reports";

DROP POLICY "hub_stars_insert" ON "public"."hub_stars";

DROP TRIGGER "hub_assets_30_guard_update" ON "public"."hub_assets";

DROP TRIGGER "hub_assets_50_have_content" ON "public"."hub_assets";

DROP TRIGGER "hub_assets_60_log_update" ON "public"."hub_assets";

ALTER TABLE "public"."hub_assets"
  DROP CONSTRAINT "hub_assets_hidden_reason_check";

DROP FUNCTION "private"."asset_cards"(uuid[]);

DROP FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text);

DROP FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text);

DROP FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer);

CREATE TABLE "private"."organization_invitations" (
  "id"              uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "organization_id" uuid                     NOT NULL,
  "email_hash"      text,
  "role"            text                     NOT NULL DEFAULT 'member'::text,
  "token_sha256"    text                     NOT NULL,
  "invited_by"      uuid,
  "created_at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "expires_at"      timestamp with time zone NOT NULL,
  "max_uses"        integer                  NOT NULL DEFAULT 1,
  "used"            integer                  NOT NULL DEFAULT 0,
  "revoked_at"      timestamp with time zone,
  CONSTRAINT "organization_invitations_pkey" PRIMARY KEY (id),
  CONSTRAINT "organization_invitations_role_check" CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
  CONSTRAINT "organization_invitations_token_sha256_key" UNIQUE (token_sha256),
  CONSTRAINT "organization_invitations_uses_check" CHECK (((max_uses >= 1) AND (max_uses <= 1000) AND (used >= 0) AND (used <= max_uses)))
);

ALTER TABLE "private"."organization_invitations"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."shelf_documents" (
  "asset_id"        uuid     NOT NULL,
  "organization_id" uuid     NOT NULL,
  "title_key"       text     NOT NULL,
  "document"        tsvector NOT NULL,
  CONSTRAINT "shelf_documents_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "private"."shelf_documents"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."organization_members" (
  "organization_id" uuid                     NOT NULL,
  "user_id"         uuid                     NOT NULL,
  "role"            text                     NOT NULL DEFAULT 'member'::text,
  "created_at"      timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "organization_members_pkey" PRIMARY KEY (organization_id, user_id),
  CONSTRAINT "organization_members_role_check" CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);

ALTER TABLE "public"."organization_members"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."organization_members" FROM "anon";

CREATE TABLE "public"."organizations" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "slug"       text                     NOT NULL,
  "name"       text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "organizations_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  CONSTRAINT "organizations_pkey" PRIMARY KEY (id),
  CONSTRAINT "organizations_slug_check" CHECK (((char_length(slug) >= 3) AND (char_length(slug) <= 40) AND (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)))
);

ALTER TABLE "public"."organizations"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."organizations" FROM "anon";

ALTER TABLE "public"."hub_asset_versions"
  ADD COLUMN "organization_id" uuid;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "organization_id" uuid;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "shared_at" timestamp WITH time zone;

ALTER TABLE "public"."hub_assets"
  ADD COLUMN "is_shared" boolean GENERATED ALWAYS AS (((organization_id IS NOT NULL) AND (NOT is_public) AND (shared_at IS
    NOT NULL) AND (NOT is_hidden) AND (NOT hidden_by_ban) AND (deleted_at IS NULL))) STORED NOT NULL;

CREATE OR REPLACE FUNCTION private.accept_invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  sha256_of_token constant text := encode(sha256(convert_to(left(accept_invitation.token, 200), 'UTF8')), 'hex');
  live private.organization_invitations;
  joined jsonb;
begin
  perform private.begin_organization_write();
  -- Of whatever invitation it is; what it is worth is judged under the lock of the organization.
  perform private.lock_organization((
    select i.organization_id from private.organization_invitations i where i.token_sha256 = sha256_of_token
  ));
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) into joined
  from private.organization_invitations i
  join public.organizations o on o.id = i.organization_id
  where i.token_sha256 = sha256_of_token and private.is_member_of(caller, i.organization_id);
  if found then
    -- The same link twice: who is in stays in.
    return joined;
  end if;
  live := private.live_invitation(accept_invitation.token);
  if live.id is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  if live.email_hash is not null and not exists (
    select from auth.users u where u.id = caller and private.email_hash(live.id, u.email::text) = live.email_hash
  ) then
    raise exception using errcode = 'PT403', message = 'other_address';
  end if;
  perform private.refuse_more('members', (
    select count(*) from public.organization_members m where m.organization_id = live.organization_id
  ), 10000);
  insert into public.organization_members (organization_id, user_id, role) values (live.organization_id, caller, live.role);
  update private.organization_invitations i set used = i.used + 1 where i.id = live.id;
  return private.organization_card(live.organization_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.asset_card (
  asset public.hub_assets
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', (asset_card.asset).id,
    'slug', (asset_card.asset).slug,
    'asset_type', (asset_card.asset).asset_type,
    'title', (asset_card.asset).title,
    'description', (asset_card.asset).description,
    'tags', (asset_card.asset).tags,
    'thumbnail_url', (asset_card.asset).thumbnail_url,
    'picture', (asset_card.asset).picture,
    'license', (asset_card.asset).license,
    'creator', private.creator((asset_card.asset).creator_id),
    'install_count', (asset_card.asset).install_count,
    'star_count', (asset_card.asset).star_count,
    'published_at', coalesce((asset_card.asset).published_at, (asset_card.asset).shared_at),
    'content_updated_at', (asset_card.asset).content_updated_at,
    'remix_depth', (asset_card.asset).remix_depth
  );
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids       uuid[],
  organization_id uuid   DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    with listings as materialized (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.creator_id, a.install_count,
        a.star_count, coalesce(a.published_at, a.shared_at) as published_at, a.content_updated_at, a.remix_depth, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where case when asset_cards.organization_id is null then a.is_visible else a.is_shared and a.organization_id = asset_cards.organization_id end
    )
    select coalesce(json_agg(row_to_json(r) order by a.place), '[]')
    from listings a
    left join private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_organization_write (
  organization_id uuid DEFAULT NULL::uuid
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  held text;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  if begin_organization_write.organization_id is null then
    return null;
  end if;
  perform private.lock_organization(begin_organization_write.organization_id);
  select m.role into held
  from public.organization_members m
  where m.organization_id = begin_organization_write.organization_id and m.user_id = caller;
  if held is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return held;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_importable (
  user_id  uuid,
  asset_id uuid,
  version  integer,
  sha256   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into source from public.hub_assets a where a.id = check_importable.asset_id;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = source.id and v.version = check_importable.version and v.sha256 = check_importable.sha256;
  if content.version is null or (
    (source.deleted_at is null and source.creator_id = check_importable.user_id)
    or private.is_seen_by(source, check_importable.user_id)
      and (content.organization_id is null or private.is_member_of(check_importable.user_id, content.organization_id))
  ) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if content.yanked_at is not null then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_reports()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- The asset is locked before its moderation row.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not private.is_seen_by(a, n.reporter_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      having count(*) > 20
    ) then
      raise exception using errcode = 'PT409', message = 'too_many_open_reports';
    end if;
    with moved as (
      update private.hub_moderation m
      set open_reports = m.open_reports + d.open, counting_reports = m.counting_reports + d.counting
      from (
        select n.asset_id, count(*)::integer as open, count(*) filter (where n.counts)::integer as counting
        from added n
        group by n.asset_id
      ) d
      where m.asset_id = d.asset_id
      returning m.asset_id, m.counting_reports
    )
    select array_agg(m.asset_id) into reached from moved m where m.counting_reports >= threshold;
    update public.hub_assets a
    -- What is on a shelf, its organization decides about.
    set is_hidden = true, hidden_reason = case when a.is_shared then 'organization_reports' else 'reports' end
    where a.id = any (reached) and not a.is_hidden;
    return null;
  end if;

  perform from private.hub_moderation m where m.asset_id in (select o.asset_id from removed o) order by m.asset_id for no key update;
  if tg_op = 'UPDATE' then
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select
        o.asset_id,
        count(*) filter (where n.resolved)::integer as open,
        count(*) filter (where o.counts and (n.resolved or not n.counts))::integer as counting
      from removed o
      join added n on n.id = o.id
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id and (d.open <> 0 or d.counting <> 0);
  else
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select o.asset_id, count(*)::integer as open, count(*) filter (where o.counts)::integer as counting
      from removed o
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_stars()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    -- Assets are locked in the order of their ids.
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not private.is_seen_by(a, s.user_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_stars"';
    end if;
    update public.hub_assets a
    set star_count = a.star_count + s.stars
    from (select n.asset_id, count(*)::integer as stars from added n group by n.asset_id) s
    where a.id = s.asset_id;
  else
    perform from public.hub_assets a where a.id in (select s.asset_id from removed s) order by a.id for no key update;
    update public.hub_assets a
    set star_count = a.star_count - s.stars
    from (select o.asset_id, count(*)::integer as stars from removed o group by o.asset_id) s
    where a.id = s.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_organization (
  name text,
  slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  made public.organizations;
begin
  perform private.begin_organization_write();
  perform private.refuse_more('organizations', (
    select count(*) from public.organization_members m where m.user_id = caller and m.role = 'owner'
  ), 20);
  insert into public.organizations (name, slug)
  values (create_organization.name, create_organization.slug)
  returning * into made;
  insert into public.organization_members (organization_id, user_id, role) values (made.id, caller, 'owner');
  return jsonb_build_object('id', made.id, 'slug', made.slug, 'name', made.name);
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_unpublished_listings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.email_hash (
  id    uuid,
  email text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select encode(sha256(convert_to(email_hash.id::text || ':' || lower(btrim(email_hash.email)), 'UTF8')), 'hex');
$function$;

CREATE OR REPLACE FUNCTION private.first_attempt (
  organization_id uuid
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when first_attempt.organization_id is null then 0 else 9 end;
$function$;

CREATE OR REPLACE FUNCTION private.hide_asset (
  asset_id    uuid,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(hide_asset.asset_id);
begin
  if not (asset.is_visible or asset.is_shared) then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  if private.clean(hide_asset.note) is null then
    perform private.refuse_faults(private.fault('note', 'required', 'is required'));
  end if;
  perform private.set_audit_note(hide_asset.note, hide_asset.public_note);
  update public.hub_assets a set is_hidden = true, hidden_reason = 'moderator' where a.id = asset.id;
end;
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
    elsif new.description is null and coalesce(new.published_at, new.shared_at) is not null and before.description is not null then
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
  if (new.is_public or new.shared_at is not null or new.published_at is not null) and (coalesce(before.published_at, before.shared_at) is null or new.title is distinct from before.title)
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

CREATE OR REPLACE FUNCTION private.hub_assets_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- install_count depends on the creator. creator_id becomes null with the account and never changes otherwise.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null
      and new.attribution is distinct from old.attribution
      and not private.keeps_origins(old.attribution, new.attribution)
      and not (new.is_public and private.keeps_origins(private.public_attribution(old.attribution, old.creator_id), new.attribution))
    then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is set when a copy is made or first published. Later a reference can only become null, when its asset is erased.
    if (old.current_version > 0 or old.published_at is not null) and (
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- Never cleared: an asset without published_at counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.organization_id := null;
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if new.is_public or new.deleted_at is not null or new.organization_id is null then
    new.shared_at := null;
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- Without a creator the ban cannot be looked up any more: the old value stays.
  if new.creator_id is not null then
    -- Derived from the bans, whatever was written.
    new.hidden_by_ban := private.is_banned(new.creator_id);
  elsif tg_op = 'UPDATE' then
    new.hidden_by_ban := old.hidden_by_ban;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_have_content()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
    select from public.hub_assets a
    where a.id = new.id
      and (a.is_public or a.shared_at is not null)
      and not exists (
        select from public.hub_asset_versions v
        where v.asset_id = a.id and v.version = a.current_version and v.organization_id is not distinct from a.organization_id
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "the current version of a listing is stored, and for the same readers; publishing makes one"}';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_index_shelf()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made private.hub_documents;
begin
  if not new.is_shared then
    delete from private.shelf_documents d where d.asset_id = new.id;
  elsif tg_op = 'INSERT' or not old.is_shared or (new.title, new.description, new.tags, new.organization_id)
    is distinct from (old.title, old.description, old.tags, old.organization_id)
  then
    made := private.make_document(new);
    insert into private.shelf_documents (asset_id, organization_id, title_key, document)
    values (new.id, new.organization_id, made.title_key, made.document)
    on conflict on constraint shelf_documents_pkey do update
    set organization_id = excluded.organization_id, title_key = excluded.title_key, document = excluded.document;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_log()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  -- A version that is current again, by its owner or an operator, was published before.
  if new.current_version > old.current_version and new.content_updated_at is distinct from old.content_updated_at then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif (new.is_public or new.shared_at is not null) and not (old.is_public or old.shared_at is not null) then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif (old.is_public or old.shared_at is not null) and not (new.is_public or new.shared_at is not null) and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- The threshold hides it, not the user who sent the last report.
      by_system => new.hidden_reason in ('reports', 'organization_reports'));
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_reports_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
  faults jsonb := '[]';
begin
  -- For another user or without an account: row level security refuses the row later; no error here may disclose anything.
  if (select auth.uid()) is not null and (new.reporter_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  new.details := private.clean(new.details);
  if new.reason is null or new.reason not in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other') then
    perform private.refuse_faults(private.fault('reason', 'invalid_value', 'must be "spam" or "inappropriate" or "copyright" or "malicious_code" or "other"'));
  end if;
  if char_length(new.details) > 1000 then
    perform private.refuse_faults(private.fault('details', 'too_big', 'must be at most 1000 characters'));
  end if;
  new.work_url := private.clean(new.work_url);
  new.work_holder := private.clean(new.work_holder);
  if not private.is_https_url(new.work_url) then
    faults := faults || private.fault('work_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  if char_length(new.work_holder) > 200 or private.has_breaks_or_invisible(new.work_holder) then
    faults := faults || private.fault('work_holder', 'invalid_length', 'must be 1 to 200 visible characters');
  end if;
  if new.reason <> 'copyright' and coalesce(new.work_url, new.work_holder) is not null then
    faults := faults || private.fault('work_url', 'unexpected', 'is of a report for copyright');
  end if;
  perform private.refuse_faults(faults);
  if new.reason = 'other' and new.details is null then
    raise exception using errcode = 'PT422', message = 'details_required';
  end if;
  if new.reporter_id is not null then
    perform private.begin_write(new.reporter_id);
  end if;

  select a.* into asset from public.hub_assets a where a.id = new.asset_id;
  if asset.creator_id = new.reporter_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    if earlier.counts or earlier.version >= asset.current_version or not private.is_seen_by(asset, new.reporter_id) then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report was not counted and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  new.counts := new.reporter_id is not null and private.is_old_enough(new.reporter_id) and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- A reporter who was dismissed on a version counts again on the next one.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: reports made before, whatever their outcome, have been reviewed.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_stars_before_insert()
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
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and private.is_seen_by(a, new.user_id))
  then
    -- Starred already: idempotent, also for an insert without "on conflict". The lock of begin_write excludes a race.
    return null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_listing (
  creator_id      uuid,
  asset_type      text,
  ref_id          uuid,
  slug            text,
  title           text,
  description     text,
  tags            text[],
  thumbnail_url   text,
  license         text,
  organization_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made uuid;
begin
  for attempt in 1..30 loop
    insert into public.hub_assets (
      asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, license,
      organization_id, is_public, current_version, published_at, shared_at, content_updated_at
    )
    values (
      insert_listing.asset_type, insert_listing.ref_id, insert_listing.creator_id,
      private.nth_slug(insert_listing.slug, private.first_attempt(insert_listing.organization_id) + attempt),
      insert_listing.title, insert_listing.description, insert_listing.tags, insert_listing.thumbnail_url, insert_listing.license,
      insert_listing.organization_id, insert_listing.organization_id is null, 1,
      case when insert_listing.organization_id is null then clock_timestamp() end,
      case when insert_listing.organization_id is not null then clock_timestamp() end,
      clock_timestamp()
    )
    -- Waits for a concurrent transaction that inserts the same slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_name constant text := (
    select o.name from public.organizations o where o.id = (private.live_invitation(invitation.token)).organization_id
  );
begin
  if found_name is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  return jsonb_build_object('name', found_name);
end;
$function$;

CREATE OR REPLACE FUNCTION private.invite_member (
  organization_id uuid,
  role            text,
  email           text,
  days            integer,
  max_uses        integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(invite_member.organization_id);
  address constant text := private.clean(invite_member.email);
  -- Two random uuids carry 244 bits of the server's strong randomness.
  token constant text := 'kh_invite_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  id constant uuid := gen_random_uuid();
  expires constant timestamptz := clock_timestamp() + coalesce(invite_member.days, 7) * interval '1 day';
  faults jsonb := '[]';
begin
  perform private.refuse_role(held, '{owner,admin}');
  if coalesce(invite_member.role, 'member') not in ('admin', 'member') then
    faults := faults || private.fault('role', 'invalid_value', 'must be "admin" or "member"');
  end if;
  if char_length(address) > 320 or address !~ '^[^\s@]+@[^\s@]+$' then
    faults := faults || private.fault('email', 'invalid_format', 'must be an e-mail address');
  end if;
  if coalesce(invite_member.days, 7) not between 1 and 90 then
    faults := faults || private.fault('days', 'invalid_value', 'must be from 1 to 90');
  end if;
  if coalesce(invite_member.max_uses, 1) not between 1 and (case when address is null then 1000 else 1 end) then
    faults := faults || private.fault('max_uses', 'invalid_value', 'must be from 1 to 1000, and 1 for one address');
  end if;
  perform private.refuse_faults(faults);
  -- Who may lead is an owner's choice.
  if invite_member.role = 'admin' then
    perform private.refuse_role(held, '{owner}');
  end if;
  perform private.refuse_more('invitations', (
    select count(*)
    from private.organization_invitations i
    where i.organization_id = invite_member.organization_id
      and i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
  ), 100);
  insert into private.organization_invitations (id, organization_id, email_hash, role, token_sha256, invited_by, expires_at, max_uses)
  values (
    id, invite_member.organization_id, case when address is not null then private.email_hash(id, address) end,
    coalesce(invite_member.role, 'member'), encode(sha256(convert_to(token, 'UTF8')), 'hex'), (select auth.uid()), expires,
    coalesce(invite_member.max_uses, 1)
  );
  return jsonb_build_object('id', id, 'token', token, 'expires_at', expires);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_member_of (
  user_id         uuid,
  organization_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.organization_members m
    where m.organization_id = is_member_of.organization_id and m.user_id = is_member_of.user_id
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_own_shared (
  origin     jsonb,
  creator_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    is_own_shared.origin ->> 'organization_id' is not null and is_own_shared.origin ->> 'creator_id' = is_own_shared.creator_id::text, false
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_seen_by (
  asset   public.hub_assets,
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select (is_seen_by.asset).is_visible
    or ((is_seen_by.asset).is_shared and private.is_member_of(is_seen_by.user_id, (is_seen_by.asset).organization_id));
$function$;

CREATE OR REPLACE FUNCTION private.keep_owner()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changed uuid;
begin
  for changed in
    select distinct c.organization_id from changed_members c order by c.organization_id
  loop
    -- Gone when the organization itself was deleted.
    continue when not private.lock_organization(changed);
    if not exists (select from public.organization_members m where m.organization_id = changed) then
      -- Without members it is closed.
      delete from public.organizations o where o.id = changed;
    elsif not exists (select from public.organization_members m where m.organization_id = changed and m.role = 'owner') then
      update public.organization_members m
      set role = 'owner'
      where m.organization_id = changed and m.user_id = (
        select h.user_id
        from public.organization_members h
        where h.organization_id = changed
        order by h.role = 'admin' desc, h.created_at, h.user_id
        limit 1
      );
    end if;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.leave_organization (
  organization_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  held constant text := private.begin_organization_write(leave_organization.organization_id);
begin
  -- The last of all may go: that closes it.
  if held = 'owner' and exists (
    select from public.organization_members m where m.organization_id = leave_organization.organization_id and m.user_id <> caller
  ) then
    perform private.refuse_last_owner(leave_organization.organization_id, caller);
  end if;
  delete from public.organization_members m
  where m.organization_id = leave_organization.organization_id and m.user_id = caller;
end;
$function$;

CREATE OR REPLACE FUNCTION private.led_organization_ids()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  ROWS 5
  SET search_path TO ''
  AS $function$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid()) and m.role in ('owner', 'admin');
$function$;

CREATE OR REPLACE FUNCTION private.live_invitation (
  token text
)
  RETURNS private.organization_invitations
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select i.*
  from private.organization_invitations i
  where i.token_sha256 = encode(sha256(convert_to(left(live_invitation.token, 200), 'UTF8')), 'hex')
    and i.revoked_at is null
    and i.used < i.max_uses
    and i.expires_at > clock_timestamp();
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
  -- Two owners of one organization may go at once.
  perform from public.organizations o
  where o.id in (select m.organization_id from public.organization_members m where m.user_id = old.id)
  order by o.id
  for update;
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
    -- An organization without any other member is closed.
    select s.id
    from public.hub_assets s
    join public.organization_members m on m.organization_id = s.organization_id and m.user_id = old.id
    where not exists (
      select from public.organization_members o where o.organization_id = m.organization_id and o.user_id <> old.id
    )
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

CREATE OR REPLACE FUNCTION private.lock_organization (
  organization_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.organizations o where o.id = lock_organization.organization_id for no key update;
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.member_organization_ids()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  ROWS 5
  SET search_path TO ''
  AS $function$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid());
$function$;

CREATE OR REPLACE FUNCTION private.organization_by_slug (
  user_id uuid,
  slug    text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_id constant uuid := (select o.id from public.organizations o where o.slug = lower(organization_by_slug.slug));
begin
  perform private.organization_of(organization_by_slug.user_id, found_id);
  return found_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_card (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name)
  from public.organizations o
  where o.id = organization_card.organization_id and private.is_member_of((select auth.uid()), o.id);
$function$;

CREATE OR REPLACE FUNCTION private.organization_invitations (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_invitations.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'role', i.role, 'for_address', i.email_hash is not null, 'invited_by', private.creator(i.invited_by) -> 'username',
      'created_at', i.created_at, 'expires_at', i.expires_at, 'max_uses', i.max_uses, 'used', i.used,
      'live', i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
    ) order by i.created_at desc, i.id), '[]')
    from (
      select * from private.organization_invitations n
      where n.organization_id = organization_invitations.organization_id
      order by n.created_at desc, n.id
      limit 200
    ) i
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_of (
  user_id         uuid,
  organization_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Held until the commit: a member who is removed at this moment is removed after it, or finds this refused.
  perform from public.organization_members m
  where m.organization_id = organization_of.organization_id and m.user_id = organization_of.user_id
  for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_review (
  asset_id uuid,
  keep     boolean,
  note     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  select a.* into asset from public.hub_assets a where a.id = organization_review.asset_id;
  if asset.shared_at is null or not private.is_member_of((select auth.uid()), asset.organization_id) then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(asset.organization_id), '{owner,admin}');
  if organization_review.keep is null then
    perform private.refuse_faults(private.fault('keep', 'required', 'is required'));
  end if;
  perform private.set_audit_note(organization_review.note, organization_review.note);
  select a.* into asset
  from public.hub_assets a
  where a.id = organization_review.asset_id and a.organization_id = asset.organization_id and a.shared_at is not null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.hidden_by_ban or asset.hidden_reason not in ('organization', 'organization_reports') then
    raise exception using errcode = 'PT409', message = 'hidden_by_hub';
  end if;
  if not organization_review.keep then
    perform private.close_reports(array[asset.id], 'upheld');
    update public.hub_assets a set is_hidden = true, hidden_reason = 'organization' where a.id = asset.id;
  elsif asset.is_hidden then
    update public.hub_assets a set is_hidden = false where a.id = asset.id;
  else
    perform private.close_reports(array[asset.id], 'dismissed');
    perform private.set_audit_note(null);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_review_queue (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_review_queue.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'asset_id', q.id, 'asset_type', q.asset_type, 'slug', q.slug, 'title', q.title,
      'creator', private.creator(q.creator_id), 'is_hidden', q.is_hidden, 'hidden_reason', q.hidden_reason, 'open_reports', q.open_reports,
      -- Not by whom: an admin is a colleague of the reporters.
      'reports', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'reason', r.reason, 'details', r.details, 'version', r.version, 'created_at', r.created_at
        ) order by r.created_at, r.id), '[]')
        from public.hub_reports r
        where r.asset_id = q.id and not r.resolved
      )
    ) order by q.is_hidden desc, q.open_reports desc, q.id), '[]')
    from (
      select a.*, m.open_reports
      from public.hub_assets a
      join private.hub_moderation m on m.asset_id = a.id
      where a.organization_id = organization_review_queue.organization_id
        and a.shared_at is not null
        and (m.open_reports > 0 or a.is_hidden)
      order by a.is_hidden desc, m.open_reports desc, a.id
      limit 200
    ) q
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.organizations_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
begin
  if tg_op = 'UPDATE' and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if octet_length(new.name) > 2000 then
    perform private.refuse_faults(private.fault('name', 'too_big', 'must be 1 to 80 visible characters'));
  end if;
  new.name := private.clean(new.name);
  if new.name is null or char_length(new.name) > 80 then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 80 visible characters');
  elsif private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if new.slug is null or char_length(new.slug) not between 3 and 40 or new.slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    faults := faults || private.fault('slug', 'invalid_format', 'must be 3 to 40 small letters (a to z), digits and single hyphens');
  end if;
  perform private.refuse_faults(faults);
  if (tg_op = 'INSERT' or new.name <> old.name) and private.mixes_scripts(new.name) then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "name"}';
  end if;
  if private.adds_secret(case when tg_op = 'UPDATE' then old.name end, new.name) then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', private.fault('name', 'secret_detected', 'looks like a secret'))::text;
  end if;
  if tg_op = 'UPDATE' and new.slug = old.slug then
    return new;
  end if;
  -- Two who want one slug at once: the second waits here and then finds it taken.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.slug), 5));
  if private.is_reserved_name(private.username_key(new.slug)) or exists (
    select from public.organizations o where private.username_key(o.slug) = private.username_key(new.slug) and o.id <> new.id
  ) then
    raise exception using errcode = 'PT409', message = 'slug_taken';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_listing (
  asset_id   uuid,
  with_stars boolean DEFAULT false
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id;
  if asset.creator_id = caller and asset.deleted_at is null then
    perform private.lock_source(asset.asset_type, asset.ref_id, caller);
    if own_listing.with_stars then
      perform private.lock_with_stars(asset.id);
    end if;
    select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id for no key update;
  end if;
  if asset.deleted_at is null and asset.creator_id = caller then
    if asset.published_at is null and asset.current_version = 0 then
      raise exception using errcode = 'PT409', message = 'not_published';
    end if;
    return asset;
  end if;
  -- not_owner tells that the asset exists: only to who sees it.
  if private.is_seen_by(asset, caller) then
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  raise exception using errcode = 'PT404', message = 'asset_not_found';
end;
$function$;

CREATE OR REPLACE FUNCTION private.public_attribution (
  attribution jsonb,
  creator_id  uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  root jsonb;
  parent jsonb;
  via jsonb;
begin
  if not exists (
    select from private.origins(public_attribution.attribution) o where private.is_own_shared(o.origin, public_attribution.creator_id)
  ) then
    return public_attribution.attribution;
  end if;
  select o.origin into root from (values (public_attribution.attribution -> 'root')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select o.origin into parent from (values (public_attribution.attribution -> 'parent')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select jsonb_agg(v.origin order by v.place) into via
  from jsonb_array_elements(public_attribution.attribution -> 'via') with ordinality v (origin, place)
  where not private.is_own_shared(v.origin, public_attribution.creator_id);
  root := coalesce(root, parent, via -> 0);
  return nullif(
    (public_attribution.attribution - array['root', 'parent', 'via'])
    || case when root is null then '{}' else jsonb_build_object('root', root, 'parent', coalesce(parent, root)) end
    || case when via is null then '{}' else jsonb_build_object('via', via) end,
    '{}'
  );
end;
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
      changelog => wanted ->> 'changelog',
      organization => wanted ->> 'organization'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then case
          when wanted ->> 'organization' is null then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
          else private.nth_slug(wanted ->> 'slug', 10)
        end
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
  changelog     text    DEFAULT NULL::text,
  organization  text    DEFAULT NULL::text
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
  readers uuid;
  kept_attribution jsonb;
  first boolean;
  needs_slug boolean;
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
  if publish_snapshot.organization is not null then
    readers := private.organization_by_slug(publish_snapshot.user_id, publish_snapshot.organization);
  end if;
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
  -- What everybody may read is not taken away in passing.
  if asset.is_public and readers is not null then
    raise exception using errcode = 'PT409', message = 'already_public';
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
    and asset.organization_id is not distinct from readers
  then
    update public.hub_assets a
    set is_public = readers is null, shared_at = case when readers is not null then clock_timestamp() end
    where a.id = asset.id and not a.is_public and a.shared_at is null;
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
  perform private.refuse_other_readers(publish_snapshot.user_id, readers, asset.attribution, publish_snapshot.items);
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

  first := asset.id is null or (asset.published_at is null and asset.current_version = 0);
  -- For everybody the slug is made anew: that of the shelf may tell what the title was there.
  needs_slug := first or (readers is null and asset.published_at is null);
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license, readers
    );
    next_version := 1;
  else
    -- Not current_version + 1: an operator may have set current_version back, and the newer versions keep their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    kept_attribution := case
      when readers is null then private.public_attribution(asset.attribution, publish_snapshot.user_id)
      else asset.attribution
    end;
    -- An imported copy that is published becomes a remix of what was imported.
    if first then
      -- A claimed origin is not a parent.
      if kept_attribution ? 'parent' and (asset.parent_asset_id is null or kept_attribution is distinct from asset.attribution) then
        -- Locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (kept_attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (kept_attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
    end if;
    if needs_slug then
      for attempt in 1..30 loop
        begin
          update public.hub_assets a
          set slug = private.nth_slug(publish_snapshot.slug, private.first_attempt(readers) + attempt)
          where a.id = asset.id;
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
      attribution = kept_attribution,
      source_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.source_asset_id::text = kept_attribution #>> '{root,id}'
        then a.source_asset_id
      end,
      parent_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.parent_asset_id::text = kept_attribution #>> '{parent,id}'
        then a.parent_asset_id
      end,
      current_version = next_version,
      organization_id = readers,
      is_public = readers is null,
      shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan, is_open, organization_id)
  values (
    asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan, true, readers
  );
  perform private.write_version_notes(asset.id, next_version, notes.label, notes.changelog);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license',
    case
      when readers is null then private.public_attribution(nullif(i.item -> 'attribution', 'null'), publish_snapshot.user_id)
      else nullif(i.item -> 'attribution', 'null')
    end
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
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', needs_slug, 'same_as', same.slug
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_last_owner (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (
    select from public.organization_members m
    where m.organization_id = refuse_last_owner.organization_id and m.role = 'owner' and m.user_id <> refuse_last_owner.user_id
  ) then
    raise exception using errcode = 'PT409', message = 'last_owner';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_more (
  what text,
  held bigint,
  most integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if refuse_more.held >= refuse_more.most then
    raise exception using
      errcode = 'PT422', message = 'limit_reached', detail = jsonb_build_object('limit', refuse_more.what, 'most', refuse_more.most)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_other_readers (
  user_id         uuid,
  organization_id uuid,
  attribution     jsonb,
  items           jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  refused jsonb;
begin
  select jsonb_agg(
    private.fault(p.path, 'organization_only', 'comes from the shelf of an organization, and may be shared there only') -> 0 order by p.place
  ) into refused
  from (
    select 0, 'ref_id', refuse_other_readers.attribution
    union all
    select i.place, 'items.' || (i.place - 1) || '.ref_id', i.item -> 'attribution'
    from jsonb_array_elements(refuse_other_readers.items) with ordinality i (item, place)
  ) p (place, path, attribution)
  where exists (
    select from private.origins(nullif(p.attribution, 'null')) o
    where o.origin ->> 'organization_id' is not null
      and o.origin ->> 'organization_id' is distinct from refuse_other_readers.organization_id::text
      and not private.is_own_shared(o.origin, refuse_other_readers.user_id)
  );
  if refused is not null then
    raise exception using errcode = 'PT422', message = 'organization_only', detail = jsonb_build_object('errors', refused)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_role (
  held   text,
  needed text[]
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if refuse_role.held <> all (refuse_role.needed) then
    raise exception using
      errcode = 'PT403', message = 'role_required', detail = jsonb_build_object('roles', refuse_role.needed)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_member (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(remove_member.organization_id);
  removed constant text := (
    select m.role from public.organization_members m
    where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id
  );
begin
  perform private.refuse_role(held, '{owner,admin}');
  if removed is null then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if removed <> 'member' then
    perform private.refuse_role(held, '{owner}');
  end if;
  if removed = 'owner' then
    perform private.refuse_last_owner(remove_member.organization_id, remove_member.user_id);
  end if;
  delete from public.organization_members m
  where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.republish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(republish_asset.asset_id);
  content public.hub_asset_versions;
begin
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = asset.current_version;
  if content.version is null then
    raise exception using errcode = 'PT409', message = 'not_published';
  end if;
  if asset.organization_id is null then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
  else
    -- To the same readers as before, never to more.
    perform private.organization_of(asset.creator_id, asset.organization_id);
    update public.hub_assets a set shared_at = clock_timestamp() where a.id = asset.id and a.shared_at is null;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_queue()
  RETURNS TABLE (
    asset_id         uuid,
    asset_type       text,
    slug             text,
    title            text,
    creator_id       uuid,
    creator_username text,
    creator_banned   boolean,
    is_public        boolean,
    is_hidden        boolean,
    hidden_reason    text,
    hidden_at        timestamp with time zone,
    deleted_at       timestamp with time zone,
    current_version  integer,
    reviewed_version integer,
    open_reports     integer,
    counting_reports integer,
    reports          jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  return query
  select
    a.id, a.asset_type, a.slug, a.title, a.creator_id, p.username, private.is_banned(a.creator_id),
    a.is_public, a.is_hidden, a.hidden_reason, a.hidden_at, a.deleted_at,
    a.current_version, m.reviewed_version, m.open_reports, m.counting_reports,
    coalesce(r.reports, '[]')
  from public.hub_assets a
  join private.hub_moderation m on m.asset_id = a.id
  left join public.hub_profiles p on p.user_id = a.creator_id
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', o.id,
      'reason', o.reason,
      'details', o.details,
      'work_url', o.work_url,
      'work_holder', o.work_holder,
      'version', o.version,
      'counts', o.counts,
      'created_at', o.created_at,
      'reporter_id', o.reporter_id
    ) order by o.created_at, o.id) as reports
    from public.hub_reports o
    where o.asset_id = a.id and not o.resolved
  ) r on true
  where (m.open_reports > 0 or (a.is_hidden and a.deleted_at is null))
    -- Of a shelf the organization's own admins decide.
    and (a.organization_id is null or a.hidden_reason not in ('organization', 'organization_reports'))
  -- Hidden assets first, then those nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_invitation (
  invitation_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  organization constant uuid := (
    select i.organization_id from private.organization_invitations i where i.id = revoke_invitation.invitation_id
  );
begin
  if organization is null or not private.is_member_of((select auth.uid()), organization) then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(organization), '{owner,admin}');
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.id = revoke_invitation.invitation_id and i.revoked_at is null;
end;
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
    -- A version of a shelf is not there for anybody else.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- Who has published it twice is named by a copy of one of the two.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, (same_content.asset).shared_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.search_request (
  q               text,
  types           text[],
  tags            text[],
  model           text,
  cardinality     text,
  license         text,
  creator         text,
  sort            text,
  cursor          text,
  page_size       integer,
  organization_id uuid    DEFAULT NULL::uuid
)
  RETURNS private.search_request
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
  model text[];
  faults jsonb;
begin
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.page_size := coalesce(search_request.page_size, 24);
  request.types := nullif(search_request.types, '{}');
  if octet_length(search_request.q) <= 2000 and search_request.q ~ '[^\s\u3000]' then
    -- A blank behind a word says that it is finished.
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  if octet_length(search_request.model) <= 300 then
    model := private.normalize_tags(array[search_request.model]);
  end if;
  if pg_catalog.cardinality(search_request.tags) <= 20 and octet_length(array_to_string(search_request.tags, '')) <= 6000 then
    request.tags := private.normalize_tags(search_request.tags);
  end if;
  select jsonb_agg(f.fault -> 0) into faults from (values
    (octet_length(search_request.q) > 2000 or char_length(request.q) > 500, private.fault('q', 'too_big', 'must be at most 500 characters')),
    (not request.types <@ private.asset_types() or pg_catalog.cardinality(request.types) > pg_catalog.cardinality(private.asset_types()), private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '))),
    (search_request.tags is not null and request.tags is null or not private.tags_are_valid(request.tags), private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')),
    (search_request.model is not null and (model is null or not private.tags_are_valid(model) or pg_catalog.cardinality(model) <> 1), private.fault('model', 'invalid_format', 'must be the tag of a model')),
    (lower(ltrim(search_request.cardinality, '#')) not in ('1to1', '1ton', 'batch'), private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch')),
    (request.license not in ('cc0', 'cc-by', 'platform-free', 'paid'), private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid')),
    (char_length(request.creator) > 100, private.fault('creator', 'invalid_format', 'must be the username of a creator')),
    (request.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance'), private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance')),
    (request.sort = 'relevance' and request.q is null, private.fault('sort', 'invalid_value', 'relevance needs q')),
    (request.page_size not between 1 and 100, private.fault('page_size', 'invalid_value', 'must be from 1 to 100'))
  ) f (is_wrong, fault) where f.is_wrong;
  perform private.refuse_faults(coalesce(faults, '[]'));
  request.tags := nullif(private.normalize_tags(array_remove(request.tags || model || lower(ltrim(search_request.cardinality, '#')), null)), '{}');
  -- A cursor belongs to its query.
  request.list := to_jsonb('search ' || md5(jsonb_build_array(request.q, request.types, request.tags, request.license, request.creator, request.sort)::text)
    || coalesce(' on the shelf of ' || search_request.organization_id, ''));
  if search_request.cursor is not null then
    request.place := private.from_cursor(left(search_request.cursor, 2001), request.list);
    -- Only what was given here; anybody can write a text that decodes.
    if not coalesce(
      pg_input_is_valid(request.place ->> 'id', 'uuid') and case
        when request.sort in ('newest', 'recently_updated') then pg_input_is_valid(request.place ->> 'key', 'timestamptz')
        when request.sort <> 'relevance' then pg_input_is_valid(request.place ->> 'key', 'integer')
        when search_request.organization_id is not null then pg_input_is_valid(request.place ->> 'key', 'numeric(12,5)')
        else request.place ->> 'in' in ('ranked', 'rest') and jsonb_typeof(request.place -> 'score') = 'number'
          and pg_input_is_valid(request.place ->> 'score', case request.place ->> 'in' when 'rest' then 'smallint' else 'numeric(12,5)' end)
          and coalesce(
            pg_input_is_valid(request.place -> 'floor' ->> 'popularity', 'smallint') and pg_input_is_valid(request.place -> 'floor' ->> 'id', 'uuid')
              and jsonb_typeof(request.place -> 'floor' -> 'walk') = 'boolean',
            request.place ->> 'in' = 'ranked' and request.place ->> 'floor' is null
          )
      end, false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_member_role (
  organization_id uuid,
  user_id         uuid,
  role            text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(set_member_role.organization_id);
begin
  if set_member_role.role is null or set_member_role.role not in ('owner', 'admin', 'member') then
    perform private.refuse_faults(private.fault('role', 'invalid_value', 'must be "owner" or "admin" or "member"'));
  end if;
  perform private.refuse_role(held, '{owner}');
  if not exists (
    select from public.organization_members m
    where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id
  ) then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if set_member_role.role <> 'owner' then
    perform private.refuse_last_owner(set_member_role.organization_id, set_member_role.user_id);
  end if;
  update public.organization_members m
  set role = set_member_role.role
  where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id and m.role <> set_member_role.role;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shelf_page (
  request         private.search_request,
  organization_id uuid,
  wanted          integer,
  OUT             ids uuid[],
  OUT             keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
declare
  asked constant private.search_request := shelf_page.request;
  plan private.search_plan;
  -- In the order of an index, or for a query by how well it fits.
  sort_key constant text := case asked.sort
    when 'newest' then 'a.shared_at'
    when 'recently_updated' then 'a.content_updated_at'
    when 'most_installed' then 'a.install_count'
    when 'most_starred' then 'a.star_count'
    when 'relevance' then 'round((ts_rank(d.document, $6) + case when d.title_key = $7 then 2 else 0 end)::numeric, 5)'
  end;
begin
  if not private.is_member_of((select auth.uid()), shelf_page.organization_id) then
    return;
  end if;
  if asked.q is not null then
    plan := private.search_plan(asked.q);
    if plan.matches is null then
      return;
    end if;
  end if;
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, %1$s as key
       from public.hub_assets a %2$s
       where a.is_shared and a.organization_id = $1
         and ($2 is null or a.asset_type = any ($2)) and ($3 is null or a.license = $3) and ($4 is null or a.tags @> $4)
         and ($5 is null or a.creator_id = (select private.creator_by_name($5))) %3$s
       order by 2 desc, 1 desc
       limit %4$s
     ) f',
    sort_key,
    case when asked.q is not null then 'join private.shelf_documents d on d.asset_id = a.id and d.organization_id = $1 and d.document @@ $6' end,
    case when asked.place is not null then format('and (%s, a.id) < (%L, %L)', sort_key, asked.place ->> 'key', asked.place ->> 'id') end,
    shelf_page.wanted
  ) into ids, keys
  using shelf_page.organization_id, asked.types, asked.license, asked.tags, asked.creator, plan.matches, plan.title_key;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shown_origin (
  origin jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Of the original's current row only this is disclosed: whether it can be opened and whether it is deleted.
  -- An attribution shows no author's id.
  select shown_origin.origin - 'creator_id' - 'organization_id' || jsonb_build_object(
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- A hidden original cannot be opened, nor one on another's shelf.
    'available', coalesce(private.is_seen_by(a, (select auth.uid())), false),
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
$function$;

CREATE OR REPLACE FUNCTION private.tombstone (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  select a.* into asset
  from public.hub_assets a
  -- An asset that was never published has no public tombstone.
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null
    -- Nor has one that was last on a shelf.
    and a.organization_id is null;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- The tombstone of a hidden asset shows nothing of it.
  if asset.is_hidden or asset.hidden_by_ban then
    return '{"deleted": true}';
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'slug', asset.slug,
    'asset_type', asset.asset_type,
    'title', asset.title,
    'license', asset.license,
    'creator', private.creator(asset.creator_id),
    'remix_depth', asset.remix_depth,
    'attribution', private.shown_attribution(asset.attribution),
    'deleted', true
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.unpublish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(unpublish_asset.asset_id);
begin
  update public.hub_assets a
  set is_public = false, shared_at = null
  where a.id = asset.id and (a.is_public or a.shared_at is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.unshare_all()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Assets are locked in the order of their ids.
  perform from public.hub_assets a where a.organization_id = old.id and a.shared_at is not null order by a.id for no key update;
  update public.hub_assets a set shared_at = null where a.organization_id = old.id and a.shared_at is not null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(unyank_version.asset_id, unyank_version.version);
begin
  if yanked.yanked_at is null then
    return;
  end if;
  update public.hub_asset_versions v
  set yanked_at = null, yank_reason = null
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = yanked.version, license = yanked.license
  where a.id = yanked.asset_id and a.current_version < yanked.version
    -- What was for other readers does not come back to these.
    and a.organization_id is not distinct from yanked.organization_id;
  perform private.log_event('unyanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_copy (
  user_id   uuid,
  rows      jsonb,
  asset_id  uuid,
  version   integer,
  sha256    text,
  pinned    boolean,
  into_copy uuid,
  overwrite boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  made public.hub_imports;
  replaced record;
  held private.hub_copies;
  content jsonb;
  modified jsonb := '[]';
  added jsonb;
  created jsonb;
begin
  select i.* into made
  from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) r
  join public.hub_imports i on i.id = r.import_id
  limit 1;
  if made.id is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if made.asset_id is distinct from update_copy.asset_id then
    perform private.refuse_faults(private.fault('into', 'other_listing', 'is no copy of this listing'));
  end if;
  select a.* into source from public.hub_assets a where a.id = made.asset_id;
  perform private.lock_origins(update_copy.asset_id, update_copy.rows);

  for replaced in
    select r.value as planned, t.registry_id, a.asset_type, a.ref_id, a.attribution
    from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
    join private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t on t.source_id = (r.value ->> 'id')::uuid
    join public.hub_assets a on a.id = t.registry_id
    order by a.ref_id
  loop
    if not private.lock_source(replaced.asset_type, replaced.ref_id, update_copy.user_id) then
      perform private.refuse_changed_copy();
    end if;
    content := private.source_row(replaced.asset_type, replaced.ref_id);
    select c.* into held from private.hub_copies c where c.asset_id = replaced.registry_id;
    if held.sha256 is distinct from private.content_sha256(replaced.asset_type, content) then
      modified := modified || jsonb_build_object(
        'asset_type', replaced.asset_type, 'hub_asset_id', replaced.registry_id, 'title', content -> 'name'
      );
    end if;
    perform private.keep_overwritten(
      replaced.registry_id, private.content_of(replaced.asset_type, content), replaced.attribution, held.sha256
    );
    perform private.write_content(replaced.asset_type, replaced.ref_id, replaced.planned -> 'columns');
    update public.hub_assets a
    set attribution = private.joined_attribution(a.attribution, replaced.planned -> 'attribution'),
      pinned_version = case when update_copy.pinned then update_copy.version end,
      -- Of a copy that is published its owner has chosen the license.
      license = case when a.published_at is null and a.current_version = 0 then replaced.planned ->> 'license' else a.license end
    where a.id = replaced.registry_id;
    insert into private.hub_copies (asset_id, sha256)
    select replaced.registry_id,
      private.content_sha256(replaced.asset_type, private.source_row(replaced.asset_type, replaced.ref_id))
    on conflict on constraint hub_copies_pkey do update set sha256 = excluded.sha256;
  end loop;
  if modified <> '[]' and not update_copy.overwrite then
    raise exception using errcode = 'PT409', message = 'modified_copy', detail = jsonb_build_object('items', modified)::text;
  end if;

  -- What the version has besides: items that are new in it, or whose copies were deleted. A row that was deleted after it was planned to be
  -- replaced may have left its listing, whose id is not used again.
  select coalesce(jsonb_agg(r.value order by r.place), '[]') into added
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  where (r.value ->> 'id')::uuid not in (
    select t.source_id from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t
  );
  if exists (
    select from jsonb_array_elements(added) r (value) join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid
  ) then
    perform private.refuse_changed_copy();
  end if;
  added := private.insert_copies(
    update_copy.user_id, added, update_copy.rows #>> '{0,id}', source, made.mode,
    case when update_copy.pinned then update_copy.version end
  );
  select jsonb_agg(
    coalesce(n.value, jsonb_build_object(
      'asset_type', r.value -> 'asset_type', 'table', r.value -> 'table', 'id', r.value -> 'id', 'hub_asset_id', a.id,
      'title', private.source_row(a.asset_type, a.ref_id) -> 'name'
    ))
    order by r.place
  ) into created
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  left join jsonb_array_elements(added) n (value) on n.value ->> 'id' = r.value ->> 'id'
  left join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid and a.asset_type = r.value ->> 'asset_type';
  update public.hub_imports i set version = update_copy.version, created = copy.created where i.id = made.id;
  perform private.check_importable(update_copy.user_id, update_copy.asset_id, update_copy.version, update_copy.sha256);
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.updates()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version,
        'label', v.label,
        'changelog', v.changelog
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = s.current_version
    left join private.hub_copies k on k.asset_id = c.id
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and c.pinned_version is null
      and s.current_version > greatest((c.attribution #>> '{parent,version}')::integer, k.dismissed_version)
    union all
    select 'yanked', c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', v.version,
        'current_version', s.current_version,
        'reason', v.yank_reason
      )
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = (c.attribution #>> '{parent,version}')::integer
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and v.yanked_at is not null
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth' - 'organization_id'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- Harmful origins in via are listed, too.
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$function$;

CREATE OR REPLACE FUNCTION private.versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
  keeper boolean;
begin
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(versions.id_or_slug);
  keeper := asset.deleted_at is null and (asset.creator_id = caller or private.is_admin());
  if (private.is_seen_by(asset, caller) or keeper) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'version', v.version,
        'label', v.label,
        'changelog', v.changelog,
        'license', v.license,
        'sha256', v.sha256,
        'published_at', v.created_at,
        'yanked', v.yanked_at is not null,
        'yank_reason', v.yank_reason,
        'readable', v.version = asset.current_version
          or (v.is_open and v.yanked_at is null)
          or coalesce(keeper, false)
          or exists (
            select from public.hub_imports i
            where i.asset_id = asset.id and i.user_id = caller and (v.yanked_at is null or i.version = v.version)
          )
      )
      order by v.version desc
    ), '[]')
    from (
      select *
      from public.hub_asset_versions v
      where v.asset_id = asset.id
        and (v.organization_id is null or keeper or private.is_member_of(caller, v.organization_id))
      order by v.version desc
      limit 100
    ) v
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.yank_version (
  asset_id uuid,
  version  integer,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(yank_version.asset_id, yank_version.version);
  why constant text := private.as_one_line(left(yank_version.reason, 2000));
  instead public.hub_asset_versions;
begin
  if char_length(why) > 500 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 500 characters'));
  end if;
  perform private.refuse_secret('reason', yanked.yank_reason, why);
  select v.* into instead
  from public.hub_asset_versions v
  where v.asset_id = yanked.asset_id and v.version <> yanked.version and v.yanked_at is null
    -- For the same readers.
    and v.organization_id is not distinct from yanked.organization_id
  order by v.version desc
  limit 1;
  if not found then
    raise exception using errcode = 'PT409', message = 'last_version';
  end if;
  update public.hub_asset_versions v
  set yanked_at = coalesce(v.yanked_at, clock_timestamp()), yank_reason = nullif(why, '')
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = instead.version, license = instead.license
  where a.id = yanked.asset_id and a.current_version = yanked.version;
  if yanked.yanked_at is null then
    perform private.log_event('yanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.accept_invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.accept_invitation(accept_invitation.token);
$function$;

REVOKE ALL ON FUNCTION "public"."accept_invitation"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.create_organization (
  name text,
  slug text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.create_organization(create_organization.name, create_organization.slug);
$function$;

REVOKE ALL ON FUNCTION "public"."create_organization"(text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_asset (
  id_or_slug text,
  version    integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into asset
  from public.hub_assets a
  where a.id = private.find_asset(hub_asset.id_or_slug) and a.deleted_at is null;
  if not found then
    return private.tombstone(hub_asset.id_or_slug);
  end if;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = coalesce(hub_asset.version, asset.current_version);
  if content.version is null and hub_asset.version is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return private.asset_card(asset) || jsonb_build_object(
    'deleted', false,
    'is_visible', asset.is_visible,
    'organization', private.organization_card(asset.organization_id),
    'version_organization_id', content.organization_id,
    'creator_id', asset.creator_id,
    'source_asset_id', asset.source_asset_id,
    'parent_asset_id', asset.parent_asset_id,
    'remix_count', (
      select count(*)
      from public.hub_assets r
      where r.is_visible and (r.source_asset_id = asset.id or r.parent_asset_id = asset.id)
    ),
    'lineage', asset.attribution,
    'attribution', private.shown_attribution(asset.attribution),
    'current_version', asset.current_version,
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'version', v.version, 'license', v.license, 'created_at', v.created_at, 'label', v.label, 'yanked', v.yanked_at is not null
        )
        order by v.version desc
      ), '[]')
      from public.hub_asset_versions v
      where v.asset_id = asset.id
    ),
    'version', content.version,
    'version_license', content.license,
    'label', content.label,
    'changelog', content.changelog,
    'yanked', content.yanked_at is not null,
    'yank_reason', content.yank_reason,
    'payload', content.payload,
    'sha256', content.sha256,
    'scan', content.scan,
    'items', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'asset_type', i.asset_type,
          'ref_id', i.ref_id,
          'title', i.title,
          'payload', i.payload,
          'sha256', i.sha256,
          'license', i.license,
          'lineage', i.attribution,
          'attribution', private.shown_attribution(i.attribution)
        )
        order by i.position
      ), '[]')
      from public.hub_bundle_items i
      where i.asset_id = asset.id and i.version = content.version
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_shelf (
  organization text,
  q            text    DEFAULT NULL::text,
  types        text[]  DEFAULT NULL::text[],
  tags         text[]  DEFAULT NULL::text[],
  model        text    DEFAULT NULL::text,
  cardinality  text    DEFAULT NULL::text,
  license      text    DEFAULT NULL::text,
  creator      text    DEFAULT NULL::text,
  sort         text    DEFAULT NULL::text,
  cursor       text    DEFAULT NULL::text,
  page_size    integer DEFAULT 24
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  shelf constant public.organizations := (select o from public.organizations o where o.slug = lower(hub_shelf.organization));
  request private.search_request;
  page record;
  next_cursor text;
begin
  -- Row level security shows an organization to its members only.
  if shelf.id is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  request := private.search_request(
    hub_shelf.q, hub_shelf.types, hub_shelf.tags, hub_shelf.model, hub_shelf.cardinality, hub_shelf.license, hub_shelf.creator, hub_shelf.sort,
    hub_shelf.cursor, hub_shelf.page_size, shelf.id
  );
  select * into page from private.shelf_page(request, shelf.id, request.page_size + 1);
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object(
      'list', request.list, 'key', page.keys[request.page_size], 'id', page.ids[request.page_size]
    ));
  end if;
  return json_build_object('items', private.asset_cards(page.ids[:request.page_size], shelf.id), 'next_cursor', next_cursor);
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.invitation(invitation.token);
$function$;

REVOKE ALL ON FUNCTION "public"."invitation"(text) FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.invite_member (
  organization_id uuid,
  role            text    DEFAULT 'member'::text,
  email           text    DEFAULT NULL::text,
  days            integer DEFAULT 7,
  max_uses        integer DEFAULT 1
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.invite_member(
    invite_member.organization_id, invite_member.role, invite_member.email, invite_member.days, invite_member.max_uses
  );
$function$;

REVOKE ALL ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.leave_organization (
  organization_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.leave_organization(leave_organization.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."leave_organization"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_organizations()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'since', m.created_at,
      'members', (select count(*) from public.organization_members n where n.organization_id = o.id)
    )
    order by o.name, o.id
  ), '[]')
  from public.organization_members m
  join public.organizations o on o.id = m.organization_id
  where m.user_id = (select auth.uid());
$function$;

REVOKE ALL ON FUNCTION "public"."my_organizations"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_invitations (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.organization_invitations(organization_invitations.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_invitations"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_review (
  asset_id uuid,
  keep     boolean,
  note     text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.organization_review(organization_review.asset_id, organization_review.keep, organization_review.note);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_review"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_review_queue (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.organization_review_queue(organization_review_queue.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_review_queue"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.remove_member (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_member(remove_member.organization_id, remove_member.user_id);
$function$;

REVOKE ALL ON FUNCTION "public"."remove_member"(uuid, uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.revoke_invitation (
  invitation_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.revoke_invitation(revoke_invitation.invitation_id);
$function$;

REVOKE ALL ON FUNCTION "public"."revoke_invitation"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_member_role (
  organization_id uuid,
  user_id         uuid,
  role            text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_member_role(set_member_role.organization_id, set_member_role.user_id, set_member_role.role);
$function$;

REVOKE ALL ON FUNCTION "public"."set_member_role"(uuid, uuid, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."organization_invitations"
  ADD CONSTRAINT "organization_invitations_invited_by_fkey" FOREIGN KEY (invited_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."shelf_documents"
  ADD CONSTRAINT "shelf_documents_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_hidden_reason_check"
    CHECK
    ((hidden_reason = ANY (ARRAY['reports'::text, 'moderator'::text, 'organization_reports'::text, 'organization'::text, 'spam'::text, 'inappropriate'::text, 'copyright'::text,
    'malicious_code'::text, 'other'::text, 'removed'::text])));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_shared_check" CHECK (((shared_at IS NULL) OR ((organization_id IS NOT NULL) AND (current_version >= 1) AND (NOT is_public) AND (deleted_at IS NULL))));

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_profile_fkey" FOREIGN KEY (user_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."organization_invitations"
  ADD CONSTRAINT "organization_invitations_organization_id_fkey" FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_organization_id_fkey" FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

CREATE INDEX organization_invitations_invited_by_idx ON private.organization_invitations USING btree (invited_by);

CREATE INDEX organization_invitations_organization_id_idx ON private.organization_invitations USING btree (organization_id);

CREATE INDEX shelf_documents_organization_id_idx ON private.shelf_documents USING btree (organization_id);

CREATE INDEX hub_assets_organization_id_idx ON public.hub_assets USING btree (organization_id)
  WHERE (organization_id IS NOT NULL);

CREATE INDEX hub_assets_shelf_installed_idx ON public.hub_assets USING btree (organization_id, install_count DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_newest_idx ON public.hub_assets USING btree (organization_id, shared_at DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_starred_idx ON public.hub_assets USING btree (organization_id, star_count DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_updated_idx ON public.hub_assets USING btree (organization_id, content_updated_at DESC, id DESC)
  WHERE is_shared;

CREATE INDEX organization_members_user_id_idx ON public.organization_members USING btree (user_id);

CREATE TRIGGER hub_assets_30_guard_update
  BEFORE UPDATE OF id,
    asset_type,
    ref_id,
    creator_id,
    slug,
    title,
    description,
    tags,
    thumbnail_url,
    source_asset_id,
    parent_asset_id,
    remix_depth,
    is_public,
    published_at,
    is_hidden,
    license,
    price_cents,
    payment_product_id,
    created_at,
    updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at, organization_id, shared_at, picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard();

CREATE CONSTRAINT TRIGGER hub_assets_50_have_content
  AFTER INSERT OR UPDATE OF is_public, shared_at, organization_id, current_version, deleted_at ON public.hub_assets DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN ((new.is_public OR (new.shared_at IS NOT NULL)))
  EXECUTE FUNCTION private.hub_assets_have_content();

CREATE TRIGGER hub_assets_60_log_update
  AFTER UPDATE OF is_public, shared_at, organization_id, current_version, is_hidden, hidden_reason, deleted_at ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_log();

CREATE TRIGGER hub_assets_84_index_shelf_insert
  AFTER INSERT ON public.hub_assets
  FOR EACH ROW
  WHEN (new.is_shared)
  EXECUTE FUNCTION private.hub_assets_index_shelf();

CREATE TRIGGER hub_assets_85_index_shelf_update
  AFTER UPDATE ON public.hub_assets
  FOR EACH ROW
  WHEN ((old.is_shared OR new.is_shared))
  EXECUTE FUNCTION private.hub_assets_index_shelf();

CREATE TRIGGER organization_members_keep_owner_delete
  AFTER DELETE ON public.organization_members REFERENCING OLD TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organization_members_keep_owner_insert
  AFTER INSERT ON public.organization_members REFERENCING NEW TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organization_members_keep_owner_update
  AFTER UPDATE ON public.organization_members REFERENCING OLD TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organizations_before_write
  BEFORE INSERT OR UPDATE ON public.organizations
  FOR EACH ROW
  EXECUTE FUNCTION private.organizations_before_write();

CREATE TRIGGER organizations_unshare_all
  AFTER DELETE ON public.organizations
  FOR EACH ROW
  EXECUTE FUNCTION private.unshare_all();

CREATE POLICY "organization_invitations_service_select" ON "private"."organization_invitations"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "shelf_documents_service_select" ON "private"."shelf_documents"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_asset_versions_select_anon" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "anon"
  USING (((organization_id IS NULL) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND a.is_visible AND ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS
    NULL))))))));

CREATE POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND (((a.deleted_at IS NULL) AND ((a.creator_id = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR
    (((hub_asset_versions.organization_id IS NULL) OR (hub_asset_versions.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) AND
    ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS NULL)) OR (EXISTS ( SELECT
           FROM public.hub_imports i
          WHERE
            ((i.asset_id = a.id) AND (i.user_id = ( SELECT auth.uid() AS uid)) AND ((hub_asset_versions.yanked_at IS NULL) OR (i.version = hub_asset_versions.version))))))))))));

CREATE POLICY "hub_assets_select" ON "public"."hub_assets"
  FOR SELECT
  TO "authenticated"
  USING
    ((is_visible OR (is_shared AND (organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) OR ((deleted_at IS NULL) AND ((creator_id
    = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR ((shared_at IS
    NOT NULL) AND (NOT hidden_by_ban) AND (organization_id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids))))));

CREATE POLICY "hub_assets_update" ON "public"."hub_assets"
  FOR UPDATE
  TO "authenticated"
  USING
    (((deleted_at IS NULL) AND (creator_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND ((shared_at IS NULL) OR (organization_id = ANY (ARRAY(
    SELECT private.member_organization_ids() AS member_organization_ids))))))
  WITH CHECK ((creator_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_reports_insert" ON "public"."hub_reports"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((reporter_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_reports.asset_id) AND (a.is_visible OR (a.is_shared AND (a.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS
    member_organization_ids))))))))));

CREATE POLICY "hub_stars_insert" ON "public"."hub_stars"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_stars.asset_id) AND (a.is_visible OR (a.is_shared AND (a.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS
    member_organization_ids))))))))));

CREATE POLICY "organization_members_select" ON "public"."organization_members"
  FOR SELECT
  TO "authenticated"
  USING ((organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids))));

CREATE POLICY "organization_members_service_select" ON "public"."organization_members"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organizations_select" ON "public"."organizations"
  FOR SELECT
  TO "authenticated"
  USING ((id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids))));

CREATE POLICY "organizations_service_select" ON "public"."organizations"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organizations_update" ON "public"."organizations"
  FOR UPDATE
  TO "authenticated"
  USING ((id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids))))
  WITH CHECK ((id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids))));

COMMENT ON COLUMN "private"."organization_invitations"."email_hash" IS 'Of an invitation for one address: SHA-256 over the id of the row and the address in lower case. Null: whoever has the link.';

COMMENT ON COLUMN "private"."shelf_documents"."title_key" IS 'The title, folded: what is exactly this is found first.';

COMMENT ON COLUMN "public"."hub_asset_versions"."organization_id" IS 'Whose members may read it; null: everybody. It stays with the version, whatever becomes of the listing. No foreign key: a closed organization has no members.';

COMMENT ON COLUMN "public"."hub_assets"."is_shared" IS 'On the shelf of its organization: members see it, nobody else.';

COMMENT ON COLUMN "public"."hub_assets"."organization_id" IS 'The organization that it is shared in, or was when it was taken off the shelf or the organization was closed. Null: never shared, or published for everybody since. No foreign key: what was for members only stays so when there are none.';

COMMENT ON COLUMN "public"."hub_assets"."shared_at" IS 'Since when its organization''s members see it; null: not on a shelf.';

COMMENT ON COLUMN "public"."organization_members"."role" IS 'owner: everything. admin: invites, removes members and decides about reported listings. member: reads, shares, imports, stars and reports.';

COMMENT ON COLUMN "public"."organizations"."slug" IS 'Part of the address of its shelf: 3 to 40 small letters, digits and single hyphens. Unique by private.username_key.';

COMMENT ON FUNCTION "private"."accept_invitation"(text) IS 'Implements accept_invitation.';

COMMENT ON FUNCTION "private"."asset_cards"(uuid[], uuid) IS 'The cards of visible listings in the order of their ids, or of those on the shelf of an organization.';

COMMENT ON FUNCTION "private"."begin_organization_write"(uuid) IS 'Locks the caller''s profile and the organization; returns the caller''s role in it. Raises 42501 without an account, PT403 banned, PT404 organization_not_found.';

COMMENT ON FUNCTION "private"."create_organization"(text, text) IS 'Implements create_organization.';

COMMENT ON FUNCTION "private"."email_hash"(uuid, text) IS 'How the address of an invitation is stored; the id keeps equal addresses apart.';

COMMENT ON FUNCTION "private"."first_attempt"(uuid) IS 'How many forms of a slug (private.nth_slug) are passed over for readers of that organization; null: for everybody.';

COMMENT ON FUNCTION "private"."hub_assets_have_content"() IS 'Refuses a public or shared listing whose current version is not stored, or is for other readers. Raises PT409 version_missing.';

COMMENT ON FUNCTION "private"."hub_assets_index_shelf"() IS 'The shelf finds a listing from the moment it is shared, as it is, and no longer.';

COMMENT ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid) IS 'Inserts a listing with the first free form of its slug.';

COMMENT ON FUNCTION "private"."invitation"(text) IS 'Implements invitation.';

COMMENT ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) IS 'Implements invite_member.';

COMMENT ON FUNCTION "private"."is_member_of"(uuid, uuid) IS 'Whether that user belongs to that organization.';

COMMENT ON FUNCTION "private"."is_own_shared"(jsonb, uuid) IS 'Whether an origin is a version that its own creator had shared in an organization.';

COMMENT ON FUNCTION "private"."is_seen_by"(public.hub_assets, uuid) IS 'Whether a user sees a listing as a reader: it is visible, or on a shelf of theirs.';

COMMENT ON FUNCTION "private"."keep_owner"() IS 'An organization that has lost its last owner gets its oldest admin as owner, else its oldest member; without members it is closed.';

COMMENT ON FUNCTION "private"."leave_organization"(uuid) IS 'Implements leave_organization.';

COMMENT ON FUNCTION "private"."led_organization_ids"() IS 'The organizations of which the caller is an owner or admin; for policies, as private.member_organization_ids.';

COMMENT ON FUNCTION "private"."live_invitation"(text) IS 'The invitation of that token, if somebody can still join by it.';

COMMENT ON FUNCTION "private"."lock_organization"(uuid) IS 'Locks an organization; false when there is none.';

COMMENT ON FUNCTION "private"."member_organization_ids"() IS 'The organizations of the caller. Policies write = any (array(select private.member_organization_ids())), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."organization_by_slug"(uuid, text) IS 'The organization of that slug, of which the user is a member and stays one until the commit. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "private"."organization_card"(uuid) IS 'An organization as its members see it; null for everybody else.';

COMMENT ON FUNCTION "private"."organization_invitations"(uuid) IS 'Implements organization_invitations.';

COMMENT ON FUNCTION "private"."organization_of"(uuid, uuid) IS 'Locks the membership of a user who writes to a shelf. Raises PT404 organization_not_found for whoever is no member.';

COMMENT ON FUNCTION "private"."organization_review"(uuid, boolean, text) IS 'Implements organization_review.';

COMMENT ON FUNCTION "private"."organization_review_queue"(uuid) IS 'Implements organization_review_queue.';

COMMENT ON FUNCTION "private"."organizations_before_write"() IS 'Checks name and slug. Raises PT403 banned, PT409 slug_taken, PT422 mixed_script, secret_detected or validation_failed.';

COMMENT ON FUNCTION "private"."own_listing"(uuid, boolean) IS 'Locks and returns the caller''s own listing. Raises PT403 banned or not_owner (only for assets that the caller sees), PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "private"."public_attribution"(jsonb, uuid) IS 'An attribution as everybody may read it: without the versions that this creator had shared in an organization. What is theirs needs no credit.';

COMMENT ON FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. With an organization it is for its members only. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 license_not_available, mixed_script, organization_only or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."refuse_last_owner"(uuid, uuid) IS 'Called under the lock of the organization. Raises PT409 last_owner when nobody but this user is an owner.';

COMMENT ON FUNCTION "private"."refuse_more"(text, bigint, integer) IS 'Raises PT422 limit_reached when there are that many already.';

COMMENT ON FUNCTION "private"."refuse_other_readers"(uuid, uuid, jsonb, jsonb) IS 'Refuses to publish a copy of a shared listing to others than its organization, also as an item of a kit; its creator may. Raises PT422 organization_only with each item.';

COMMENT ON FUNCTION "private"."refuse_role"(text, text[]) IS 'Raises PT403 role_required when a member''s role is none of these.';

COMMENT ON FUNCTION "private"."remove_member"(uuid, uuid) IS 'Implements remove_member.';

COMMENT ON FUNCTION "private"."revoke_invitation"(uuid) IS 'Implements revoke_invitation.';

COMMENT ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) IS 'A search that has been judged. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';

COMMENT ON FUNCTION "private"."set_member_role"(uuid, uuid, text) IS 'Implements set_member_role.';

COMMENT ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) IS 'The listings of one page of a shelf that the caller belongs to, each with its value in the order.';

COMMENT ON FUNCTION "private"."unshare_all"() IS 'When an organization is closed: its shelf is empty, its listings are their creators'' own again.';

COMMENT ON FUNCTION "public"."accept_invitation"(text) IS 'The caller joins the organization: {id, slug, name}; a member stays one. Raises PT403 banned or other_address, PT404 invitation_not_found, PT422 limit_reached.';

COMMENT ON FUNCTION "public"."create_organization"(text, text) IS 'Makes an organization whose owner is the caller: {id, slug, name}. A user owns at most 20. Raises PT403 banned, PT409 slug_taken, PT422 limit_reached, mixed_script, secret_detected or validation_failed.';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, license_not_available, mixed_script, organization_only, secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_republish_asset"(uuid) IS 'Republishes the caller''s own listing with its current version, to the same readers as before; a hidden listing stays hidden. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) IS 'For members: the listings that an organization shares, by the filters and sorts of hub_search: {items, next_cursor}. Raises PT400 malformed_cursor, PT404 organization_not_found, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_unpublish_asset"(uuid) IS 'Unpublishes the caller''s own listing, or takes it off its shelf; slug, stars, versions and published_at stay. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."invitation"(text) IS 'What an invitation is to: {name}. Raises PT404 invitation_not_found, also when it is used up, expired or revoked.';

COMMENT ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) IS 'For owners and admins: makes an invitation, for an admin''s role by owners only: {id, token, expires_at}; the token is told this once. With email only that account can accept it. At most 100 live ones. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."leave_organization"(uuid) IS 'The caller leaves; the last member closes the organization. Raises PT403 banned, PT404 organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."my_organizations"() IS 'The organizations of the caller: [{id, slug, name, role, since, members}].';

COMMENT ON FUNCTION "public"."organization_invitations"(uuid) IS 'For owners and admins: the newest 200 invitations: [{id, role, for_address, invited_by, created_at, expires_at, max_uses, used, live}]. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "public"."organization_review"(uuid, boolean, text) IS 'For owners and admins: keep dismisses the open reports on a listing of their shelf and shows it again; otherwise it is hidden, and its creator reads the note. Raises PT403 banned or role_required, PT404 asset_not_found, PT409 hidden_by_hub, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."organization_review_queue"(uuid) IS 'For owners and admins: what is reported or hidden on their shelf, hidden ones first, at most 200: [{asset_id, asset_type, slug, title, creator, is_hidden, hidden_reason, open_reports, reports}]. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "public"."remove_member"(uuid, uuid) IS 'For owners, and for admins of what is neither owner nor admin: removes a member, who keeps imported copies and gets no more updates. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."revoke_invitation"(uuid) IS 'For owners and admins: nobody joins by this invitation any more. Raises PT403 banned or role_required, PT404 invitation_not_found.';

COMMENT ON FUNCTION "public"."set_member_role"(uuid, uuid, text) IS 'For owners: makes a member an owner, admin or member. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner, PT422 validation_failed.';

COMMENT ON TABLE "private"."organization_invitations" IS 'Links by which users join an organization. Only the hash of a token is stored.';

COMMENT ON TABLE "private"."shelf_documents" IS 'What members find a shared listing by. Kept by trigger.';

COMMENT ON TABLE "public"."hub_assets" IS 'Central registry of the hub: listings, private rows of imported copies, and tombstones. Everybody sees the rows with is_visible, members of an organization those with is_shared.';

COMMENT ON TABLE "public"."organization_members" IS 'Who belongs to which organization. An organization with members has an owner: triggers keep it so.';

COMMENT ON TABLE "public"."organizations" IS 'Teams that share listings among their members. Only members see the row. The last member who leaves closes it: the row is deleted.';

REVOKE ALL ON FUNCTION "private"."accept_invitation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."accept_invitation"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."asset_cards"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_cards"(uuid[], uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."begin_organization_write"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."create_organization"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_organization"(text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."email_hash"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."first_attempt"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_index_shelf"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."invitation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invitation"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_member_of"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_own_shared"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_seen_by"(public.hub_assets, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_owner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."leave_organization"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."leave_organization"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."led_organization_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."led_organization_ids"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."live_invitation"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_organization"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."member_organization_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."member_organization_ids"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organization_by_slug"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."organization_card"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_card"(uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."organization_invitations"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_invitations"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organization_of"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."organization_review"(uuid, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_review"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organization_review_queue"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_review_queue"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organizations_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."public_attribution"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text)
  FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_last_owner"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_more"(text, bigint, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_other_readers"(uuid, uuid, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_role"(text, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_member"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_member"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."revoke_invitation"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revoke_invitation"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."set_member_role"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_member_role"(uuid, uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unshare_all"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."accept_invitation"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."accept_invitation"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."accept_invitation"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_organization"(text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_organization"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_organization"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."invitation"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."invitation"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."invitation"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."leave_organization"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."leave_organization"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."leave_organization"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_organizations"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_organizations"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_organizations"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_invitations"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_invitations"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_invitations"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_review"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review_queue"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_review_queue"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review_queue"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_member"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_member"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_member"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_invitation"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."revoke_invitation"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_invitation"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_member_role"(uuid, uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."set_member_role"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_member_role"(uuid, uuid, text) TO "postgres";

GRANT SELECT ON TABLE "private"."organization_invitations" TO "service_role";

GRANT SELECT ON TABLE "private"."shelf_documents" TO "service_role";

REVOKE ALL ON TABLE "public"."organization_members" FROM "authenticated";

GRANT SELECT ON TABLE "public"."organization_members" TO "authenticated";

REVOKE ALL ON TABLE "public"."organization_members" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."organization_members" TO "postgres";

REVOKE ALL ON TABLE "public"."organization_members" FROM "service_role";

GRANT SELECT ON TABLE "public"."organization_members" TO "service_role";

REVOKE ALL ON TABLE "public"."organizations" FROM "authenticated";

REVOKE ALL ("name") ON TABLE "public"."organizations" FROM "authenticated";

GRANT UPDATE ("name") ON TABLE "public"."organizations" TO "authenticated";

GRANT SELECT ON TABLE "public"."organizations" TO "authenticated";

REVOKE ALL ON TABLE "public"."organizations" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."organizations" TO "postgres";

REVOKE ALL ON TABLE "public"."organizations" FROM "service_role";

GRANT SELECT ON TABLE "public"."organizations" TO "service_role";

CREATE UNIQUE INDEX organizations_slug_key ON public.organizations USING btree (private.username_key(slug));
