-- Locks all rows that the deletion of an account will change, in the lock order (docs/design/locks.md). The cascades of the
-- deletion delete stars, imports, workspace rows and the profile; listings and reports stay. The cascades do not follow the lock
-- order, so without these locks two concurrent deletions could deadlock on the counters of assets that both users have starred.
create function private.lock_before_user_deletion()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- The user's row in auth.users is already locked, so no new row can refer to it. Locks the user's own ban and the bans that the
  -- user imposed. They come before all other rows, because lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  -- Locks the organizations, because two owners of one organization may delete their accounts at the same time.
  perform from public.organizations o
  where o.id in (select m.organization_id from public.organization_members m where m.user_id = old.id)
  order by o.id
  for update;
  -- Also locks the rows of the user's followers, because two users who follow each other may delete their accounts at the same
  -- time.
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
    -- These listings are on the shelf of an organization that has no other member, so the organization will be closed.
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
  -- Locks assets in the order of their ids, so that two writers who lock several assets do not deadlock.
  order by a.id
  for no key update;
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$$;
comment on function private.lock_before_user_deletion is 'Locks all rows that the cascades of a deleted account will change, in the lock order.';
revoke execute on function private.lock_before_user_deletion from public, anon, authenticated, service_role;

create trigger keyhub_lock_before_deletion
before delete on auth.users
for each row execute function private.lock_before_user_deletion();
