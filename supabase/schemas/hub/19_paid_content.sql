-- Who reads the content of a paid version: its creator, admins, and who has bought it. One predicate; policies and functions ask it.
create function private.paid_content(user_id uuid)
returns setof uuid
-- plpgsql, because the policies of tables that it reads name it.
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
    -- What moderation hides, it hides from buyers, too; what left the shelf in another way stays theirs.
    and not a.is_hidden
    and a.deleted_at is null;
end;
$$;
comment on function private.paid_content is 'The listings whose paid versions that user may read: own ones, and those with a live purchase.';
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
comment on function private.my_paid_content is 'The same for the caller. Policies write (select private.my_paid_content()), so that it runs once per statement.';
revoke execute on function private.my_paid_content from public, anon, authenticated, service_role;
grant execute on function private.my_paid_content to authenticated;
