-- Checks of a publication before it is written: its offer, content that somebody else has published, and the notes of the version.

-- The offer of a paid listing: price, currency, teaser and payment provider.
create type private.offer as (price_cents integer, currency text, teaser text, provider text);

create function private.check_offer(user_id uuid, license text, price_cents integer, currency text, teaser text)
returns private.offer
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  faults jsonb := '[]';
  shown constant text := private.clean(check_offer.teaser);
  own constant text := (select s.currency from public.hub_settings s);
  account public.hub_payout_accounts;
begin
  if check_offer.license <> 'paid' then
    return row(0, null, null, null)::private.offer;
  end if;
  if (check_offer.price_cents between 100 and 100000) is not true then
    faults := faults || private.fault('price_cents', 'invalid_value', 'must be 100 to 100000');
  end if;
  if coalesce(check_offer.currency, own) <> own then
    faults := faults || private.fault('currency', 'invalid_value', 'must be ' || own);
  end if;
  if shown is null then
    faults := faults || private.fault('teaser', 'required', 'is required');
  elsif char_length(shown) > 2000 then
    faults := faults || private.fault('teaser', 'too_big', 'must be at most 2000 characters');
  elsif private.has_invisible_characters(shown) then
    faults := faults || private.fault('teaser', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  select a.* into account from public.hub_payout_accounts a where a.user_id = check_offer.user_id and a.charges_enabled;
  if not found then
    raise exception using errcode = 'PT422', message = 'payout_account_required';
  end if;
  return row(check_offer.price_cents, own, shown, account.provider)::private.offer;
end;
$$;
comment on function private.check_offer is 'Checks and returns the offer of a publication. For a free license, the price is 0 and the rest of the offer null. Raises PT422 payout_account_required or validation_failed.';
revoke execute on function private.check_offer from public, anon, authenticated, service_role;

create function private.product_id(offer private.offer, asset_id uuid)
returns text
language sql
immutable
set search_path = ''
as $$
  select (product_id.offer).provider || ':keyhub_' || replace(product_id.asset_id::text, '-', '');
$$;
comment on function private.product_id is 'Returns the id of the listing''s product at the payment provider, which gets the product with the listing''s first checkout; null for a free listing.';
revoke execute on function private.product_id from public, anon, authenticated, service_role;

-- The hub refuses to publish content that somebody else has already published, if its license requires attribution and the
-- attribution is missing. This table has the exceptions that admins have allowed.
create table private.hub_allowed_content (
  user_id uuid not null,
  asset_id uuid not null,
  constraint hub_allowed_content_pkey primary key (user_id, asset_id),
  constraint hub_allowed_content_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_allowed_content_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_allowed_content is 'Users who may publish content that equals a version of the listing asset_id, because an admin has allowed it.';
alter table private.hub_allowed_content enable row level security;
revoke all on table private.hub_allowed_content from public, anon, authenticated, service_role;
grant select on table private.hub_allowed_content to service_role;
create index hub_allowed_content_asset_id_idx on private.hub_allowed_content (asset_id);

create policy hub_allowed_content_service_select on private.hub_allowed_content for select to service_role using (true);

create function private.root_of(asset public.hub_assets)
returns text
language sql
immutable
set search_path = ''
as $$
  select coalesce(
    (root_of.asset).attribution #>> '{root,id}', (root_of.asset).attribution #>> '{parent,id}', (root_of.asset).source_asset_id::text, (root_of.asset).id::text
  );
$$;
comment on function private.root_of is 'Returns the id of the listing where a lineage begins, as text; for an original its own id.';
revoke execute on function private.root_of from public, anon, authenticated, service_role;

create function private.same_content(user_id uuid, asset public.hub_assets, asset_type text, payload jsonb)
returns table (id uuid, slug text, license text)
language sql
stable
security definer
set search_path = ''
as $$
  select a.id, a.slug, v.license
  from public.hub_asset_versions v
  join public.hub_assets a on a.id = v.asset_id
  where md5((v.payload - 'name')::text) = md5((same_content.payload - 'name')::text)
    and a.asset_type = same_content.asset_type
    -- Leaves out AI presets, prompts of fewer than 200 characters and orchestrations whose JSON has fewer than 1,000 characters,
    -- which can be equal by chance: every new orchestration starts with the same pipeline.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or char_length(same_content.payload::text) >= 1000)
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    -- Leaves out a version on a shelf, because nobody outside its organization may notice it.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- Leaves out a listing of a creator whom the lineage names: when a creator has published the content twice, a copy names only
    -- one of the two listings.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, (same_content.asset).shared_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$$;
comment on function private.same_content is 'Returns the oldest visible listing of somebody else that has this content in a version and was published before the asset, unless that listing or its creator is in the lineage of the asset.';
revoke execute on function private.same_content from public, anon, authenticated, service_role;

create function private.refuse_same_content(user_id uuid, asset_id uuid, slug text, license text)
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  -- cc0 requires nothing; every other license requires that the lineage is kept.
  if refuse_same_content.license <> 'cc0' and not exists (
    select from private.hub_allowed_content c
    where c.user_id = refuse_same_content.user_id and c.asset_id = refuse_same_content.asset_id
  ) then
    raise exception using
      errcode = 'PT409', message = 'duplicate_content', detail = jsonb_build_object('slug', refuse_same_content.slug)::text;
  end if;
end;
$$;
comment on function private.refuse_same_content is 'Raises PT409 duplicate_content with the slug of the listing that has the content already, unless its license is cc0 or an admin has allowed the user to publish the content.';
revoke execute on function private.refuse_same_content from public, anon, authenticated, service_role;

create function private.allow_content(asset_id uuid, username text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
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
$$;
comment on function private.allow_content is 'Stores that a user may publish content that equals a version of a listing, and logs it. Called by public.hub_allow_content.';
revoke execute on function private.allow_content from public, anon, authenticated, service_role;
grant execute on function private.allow_content to authenticated;

create function public.hub_allow_content(asset_id uuid, username text)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.allow_content(hub_allow_content.asset_id, hub_allow_content.username);
$$;
comment on function public.hub_allow_content is 'For admins: lets a user publish content that is equal to a version of this listing. Raises 42501, PT404 asset_not_found or user_not_found.';
revoke execute on function public.hub_allow_content from public, anon, authenticated, service_role;
grant execute on function public.hub_allow_content to authenticated;

-- The notes of a creator on a version: a label and what changed. Readers see both.
create function private.check_version_notes(inout label text, inout changelog text)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  faults jsonb := '[]';
begin
  -- Checks sizes first: normalising a long run of combining marks takes quadratic time.
  if octet_length(check_version_notes.label) > 400 or char_length(private.clean(check_version_notes.label)) > 32 then
    faults := faults || private.fault('label', 'too_big', 'must be at most 32 characters');
  elsif private.has_breaks_or_invisible(private.clean(check_version_notes.label)) then
    faults := faults || private.fault('label', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if octet_length(check_version_notes.changelog) > 40000 or char_length(private.clean(check_version_notes.changelog)) > 4000 then
    faults := faults || private.fault('changelog', 'too_big', 'must be at most 4000 characters');
  elsif private.has_invisible_characters(private.clean(check_version_notes.changelog)) then
    faults := faults || private.fault('changelog', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  label := private.clean(check_version_notes.label);
  changelog := private.clean(check_version_notes.changelog);
end;
$$;
comment on function private.check_version_notes is 'Checks label and changelog and returns them as they are stored; an empty text becomes null. Raises PT422 validation_failed.';
revoke execute on function private.check_version_notes from public, anon, authenticated, service_role;

create function private.write_version_notes(
  asset_id uuid,
  version integer,
  label text,
  changelog text,
  keeps_missing boolean default false
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_asset_versions v
  set label = coalesce(write_version_notes.label, case when keeps_missing then v.label end),
    changelog = coalesce(write_version_notes.changelog, case when keeps_missing then v.changelog end)
  where v.asset_id = write_version_notes.asset_id and v.version = write_version_notes.version;
exception
  when unique_violation then
    raise exception using errcode = 'PT409', message = 'label_taken';
end;
$$;
comment on function private.write_version_notes is 'Writes label and changelog of a version; with keeps_missing, a null leaves the stored value as it is. Raises PT409 label_taken.';
revoke execute on function private.write_version_notes from public, anon, authenticated, service_role;
