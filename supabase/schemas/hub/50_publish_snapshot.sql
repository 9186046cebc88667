-- All content reaches the hub through publish_snapshot, which makes a version from a snapshot without secrets. The edge function has
-- already decided about secrets, slug and license; this file does the steps that need locks.
create function private.is_current_content(asset_id uuid, version integer, sha256 text, license text, items jsonb)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.hub_asset_versions v
    where v.asset_id = is_current_content.asset_id
      and v.version = is_current_content.version
      and v.sha256 = is_current_content.sha256
      and v.license = is_current_content.license
  )
  and (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        -- These members of an item are compared: a change of any of them makes a new version of the kit.
        'asset_type', i.asset_type, 'ref_id', i.ref_id, 'sha256', i.sha256, 'title', i.title, 'license', i.license
      )
      order by i.position
    ), '[]')
    from public.hub_bundle_items i
    where i.asset_id = is_current_content.asset_id and i.version = is_current_content.version
  ) = (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', i.item -> 'asset_type', 'ref_id', i.item -> 'ref_id', 'sha256', i.item -> 'sha256',
        'title', i.item -> 'title', 'license', i.item -> 'license'
      )
      order by i.position
    ), '[]')
    from jsonb_array_elements(is_current_content.items) with ordinality as i (item, position)
  );
$$;
comment on function private.is_current_content is 'Returns whether a version has exactly this content: the same hash, license, and items in the same order.';
revoke execute on function private.is_current_content from public, anon, authenticated, service_role;

-- Limits the publications of a user. Counts them in the audit log, because a creator who deletes listings deletes no entries
-- there. The count is exact, because begin_write serializes a user's writes.
create function private.limit_publications(user_id uuid, hourly_limit integer)
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
  perform private.enforce_hourly_limit('publications', recent, limit_publications.hourly_limit);
end;
$$;
comment on function private.limit_publications is 'Refuses a publication when the user has reached the hourly limit; null means no limit. Raises PT429 rate_limited.';
revoke execute on function private.limit_publications from public, anon, authenticated, service_role;

-- Refuses items that moderation has hidden, so that they are not published again inside a kit.
create function private.refuse_hidden_items(user_id uuid, items jsonb)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  hidden jsonb;
begin
  select jsonb_agg(
    private.fault('items.' || (i.position - 1) || '.ref_id', a.hidden_reason, 'is hidden by moderation') -> 0 order by i.position
  ) into hidden
  from jsonb_array_elements(refuse_hidden_items.items) with ordinality i (item, position)
  join public.hub_assets a
    on a.asset_type = i.item ->> 'asset_type'
    and a.ref_id = (i.item ->> 'ref_id')::uuid
    and a.creator_id = refuse_hidden_items.user_id
  where a.is_hidden;
  if hidden is not null then
    raise exception using errcode = 'PT409', message = 'item_hidden', detail = jsonb_build_object('errors', hidden)::text;
  end if;
end;
$$;
comment on function private.refuse_hidden_items is 'Refuses items whose own listing moderation has hidden or removed. Raises PT409 item_hidden.';
revoke execute on function private.refuse_hidden_items from public, anon, authenticated, service_role;

-- Refuses to publish content from the shelf of an organization for readers outside that organization; only the creator of that
-- content may do so.
create function private.refuse_other_readers(user_id uuid, organization_id uuid, attribution jsonb, items jsonb)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.refuse_other_readers is 'Refuses to publish a copy of a shared listing for readers outside its organization, also as an item of a kit; the creator of the shared listing may do so. Raises PT422 organization_only with one error for each refused content.';
revoke execute on function private.refuse_other_readers from public, anon, authenticated, service_role;

-- Publishes a snapshot as a new version of its listing. An operator may set current_version back, so that readers see an older
-- version again. The newer versions stay stored for users who imported them, and the next publication gets a number above all
-- stored versions.
create function private.publish_snapshot(
  user_id uuid,
  asset_type text,
  ref_id uuid,
  slug text,
  title text,
  description text,
  tags text[],
  license text,
  payload jsonb,
  sha256 text,
  thumbnail_url text default null,
  scan jsonb default null,
  redactions jsonb default '[]',
  items jsonb default '[]',
  confirmed boolean default true,
  hourly_limit integer default null,
  label text default null,
  changelog text default null,
  organization text default null,
  price_cents integer default null,
  currency text default null,
  teaser text default null
)
returns jsonb
language plpgsql
volatile
security definer
set search_path = ''
as $$
<<publish>>
declare
  asset public.hub_assets;
  offer constant private.offer := private.check_offer(
    publish_snapshot.user_id, publish_snapshot.license, publish_snapshot.price_cents, publish_snapshot.currency, publish_snapshot.teaser
  );
  parent public.hub_assets;
  readers uuid;
  kept_attribution jsonb;
  first boolean;
  needs_slug boolean;
  next_version integer;
  notes record;
  same record;
begin
  -- This call is serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  if publish_snapshot.organization is not null and publish_snapshot.license = 'paid' then
    perform private.refuse_faults(private.fault('organization', 'not_allowed', 'is for free listings only'));
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
  -- Sharing must not silently take a listing away from the public or from its buyers.
  if readers is not null and (
    asset.is_public or exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null)
  ) then
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
    set is_public = readers is null, shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      price_cents = offer.price_cents, currency = offer.currency, teaser = offer.teaser
    where a.id = asset.id
      and (a.is_public or a.shared_at is not null, a.price_cents, a.currency, a.teaser)
        is distinct from (true, offer.price_cents, offer.currency, offer.teaser);
    -- When the same content comes with a new label or changelog, writes these to the existing version.
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
  from private.same_content(publish_snapshot.user_id, asset, publish_snapshot.asset_type, publish_snapshot.payload);
  if same.id is not null then
    perform private.refuse_same_content(publish_snapshot.user_id, same.id, same.slug, same.license);
  end if;
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.id is null or (asset.published_at is null and asset.current_version = 0);
  -- The first publication for everybody makes a new slug: the slug from the shelf may disclose the title that the listing had
  -- there.
  needs_slug := first or (readers is null and asset.published_at is null);
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license, readers, offer
    );
    next_version := 1;
  else
    -- The next version is not current_version + 1: an operator may have set current_version back, and the newer versions keep
    -- their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    kept_attribution := case
      when readers is null then private.public_attribution(asset.attribution, publish_snapshot.user_id)
      else asset.attribution
    end;
    -- An imported copy that is published becomes a remix of the imported listing.
    if first then
      -- Only a listing that the hub recorded at the import becomes the parent, not an original that an imported file claims to
      -- have.
      if kept_attribution ? 'parent' and (asset.parent_asset_id is null or kept_attribution is distinct from asset.attribution) then
        -- The parent is locked, so that it is not erased before the reference to it is written.
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
      price_cents = offer.price_cents,
      currency = offer.currency,
      teaser = offer.teaser,
      payment_product_id = coalesce(a.payment_product_id, private.product_id(offer, a.id)),
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
$$;
comment on function private.publish_snapshot is 'Publishes a snapshot, with secrets removed, of a user''s source: makes a listing or a new version, or changes nothing when the content is unchanged. With an organization, only its members can read it. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';
revoke execute on function private.publish_snapshot from public, anon, authenticated, service_role;
