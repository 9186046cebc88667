-- Defines who may read the content of a paid version: its creator and its buyers (policies add admins). Policies and functions use
-- no other predicate for this.
create function private.paid_content(user_id uuid)
returns setof uuid
-- The language is plpgsql, because Postgres checks the tables in a plpgsql body only when it runs. The policies of these tables
-- call this function, so the function is created before the tables.
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return query
  select a.id
  from public.hub_assets a
  where a.creator_id = paid_content.user_id and a.published_at is not null
  union all
  select p.asset_id
  from public.hub_purchases p
  join public.hub_assets a on a.id = p.asset_id
  where p.user_id = paid_content.user_id
    and p.revoked_at is null
    -- Moderation hides a listing from its buyers, too; they can still read a listing that its creator has unpublished.
    and not a.is_hidden
    and a.deleted_at is null;
end;
$$;
comment on function private.paid_content is 'Returns the listings whose paid versions that user may read: the user''s own listings that were ever published, and the listings of the user''s live purchases unless they are hidden or deleted.';
revoke execute on function private.paid_content from public, anon, authenticated, service_role;

create function private.my_paid_content()
returns setof uuid
language sql
stable
security definer
set search_path = ''
as $$
  select private.paid_content((select auth.uid()));
$$;
comment on function private.my_paid_content is 'Returns private.paid_content of the caller. Policies write (select private.my_paid_content()), so that the function runs once per statement, not once per row.';
revoke execute on function private.my_paid_content from public, anon, authenticated, service_role;
grant execute on function private.my_paid_content to authenticated;
