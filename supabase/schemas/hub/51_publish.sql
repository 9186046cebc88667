create function private.publish_asset(
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
  -- Serializes the requests of a user, so that a repeated request finds the stored answer of the first one.
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
      organization => wanted ->> 'organization',
      price_cents => (wanted -> 'price_cents')::integer,
      currency => wanted ->> 'currency',
      teaser => wanted ->> 'teaser'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one, the preview shows the slug that it would probably get.
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
      -- A preview runs the real publication and rolls it back, so that a preview cannot differ from the publication.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- Leaves out the content, because a listing can be removed later, and its content must not stay in a stored answer.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$$;
comment on function private.publish_asset is 'Publishes, or in a dry run publishes and rolls back; a repeated request gets the stored answer. Called by public.hub_publish. hourly_limit is the limit of publications and does not apply to a dry run, because hub_begin_preview counts previews. The ids and times in a preview belong to rows that were rolled back.';
revoke execute on function private.publish_asset from public, anon, authenticated, service_role;
grant execute on function private.publish_asset to service_role;

create function public.hub_publish(
  user_id uuid,
  publication jsonb,
  scan_token text,
  dry_run boolean,
  hourly_limit integer,
  idempotency_key text,
  request_sha256 text
)
returns json
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.publish_asset(
    hub_publish.user_id, hub_publish.publication, hub_publish.scan_token, hub_publish.dry_run, hub_publish.hourly_limit,
    hub_publish.idempotency_key, hub_publish.request_sha256
  );
$$;
comment on function public.hub_publish is 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';
revoke execute on function public.hub_publish from public, anon, authenticated, service_role;
grant execute on function public.hub_publish to service_role;

create function private.publication(user_id uuid, asset_id uuid, version integer, created boolean, shown_slug text default null, same_as text default null)
returns json
language sql
stable
security definer
set search_path = ''
as $$
  -- The answer is json, because jsonb would change the order of the columns.
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
$$;
comment on function private.publication is 'Returns the answer to a publication: the listing, the version with its content, and the receipt. In a preview, shown_slug replaces the slug of the listing.';
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
      -- A preview does not disclose the slug of an invisible listing.
      where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible and a.id <> preview_slug.asset_id
    )
    order by n.attempt
    limit 1
  ), 10));
$$;
comment on function private.preview_slug is 'Returns the form of a slug that a new listing would get if only visible listings existed, so that a preview discloses no others.';
revoke execute on function private.preview_slug from public, anon, authenticated, service_role;
