create function private.versions(id_or_slug text)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
  keeper boolean;
  has_content boolean;
begin
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(versions.id_or_slug);
  keeper := asset.deleted_at is null and (asset.creator_id = caller or private.is_admin());
  has_content := asset.id in (select private.paid_content(caller)) or private.is_admin();
  if (private.is_seen_by(asset, caller) or keeper or (asset.deleted_at is null and has_content)) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'version', v.version,
        'label', v.label,
        'changelog', v.changelog,
        'license', v.license,
        -- The hash of a paid version is only for users who may read its content: short content, such as an AI preset, could be
        -- guessed from the hash.
        'sha256', case when v.license <> 'paid' or has_content then v.sha256 end,
        'published_at', v.created_at,
        'yanked', v.yanked_at is not null,
        'yank_reason', v.yank_reason,
        'readable', (v.license <> 'paid' or has_content) and (
          v.version = asset.current_version
          or (v.is_open and v.yanked_at is null)
          or coalesce(keeper, false)
          or exists (
            select from public.hub_imports i
            where i.asset_id = asset.id and i.user_id = caller and (v.yanked_at is null or i.version = v.version)
          )
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
$$;
comment on function private.versions is 'Returns the versions of a listing that the caller may know of. Called by public.hub_versions.';
revoke execute on function private.versions from public, anon, authenticated, service_role;
grant execute on function private.versions to anon, authenticated, service_role;

create function public.hub_versions(id_or_slug text)
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select private.versions(hub_versions.id_or_slug);
$$;
comment on function public.hub_versions is 'Returns the newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable: whether hub_asset returns the content of the version to the caller; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';
revoke execute on function public.hub_versions from public, anon, authenticated, service_role;
grant execute on function public.hub_versions to anon, authenticated, service_role;
