-- What is public can be read. A listing and its version are written in one transaction, the listing first, so that this
-- is looked at when it commits.

create function private.hub_assets_have_content()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.hub_assets a
    where a.id = new.id
      and a.is_public
      and not exists (
        select from public.hub_asset_versions v where v.asset_id = a.id and v.version = a.current_version
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "a listing is public with a stored version as its current one; publishing makes one"}';
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_have_content is 'Refuses a public listing whose current version is not stored. Raises PT409 version_missing.';
revoke execute on function private.hub_assets_have_content from public, anon, authenticated, service_role;

create constraint trigger hub_assets_have_content
after insert or update of is_public, current_version, deleted_at on public.hub_assets
deferrable initially deferred
for each row when (new.is_public)
execute function private.hub_assets_have_content();
