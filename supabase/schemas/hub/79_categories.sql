create function private.suggested_tags()
returns table (tag text, kind text, place integer)
language sql
immutable
set search_path = ''
as $$
  select t.tag, k.kind, (k.place * 100 + t.place)::integer
  from (
    values
      (1, 'use-case', '{education,marketing,data-extraction,summarization,code-generation,content-creation,qa,translation,classification}'::text[]),
      (2, 'domain', '{healthcare,legal,ecommerce,research}')
  ) k (place, kind, tags)
  cross join lateral unnest(k.tags) with ordinality t (tag, place);
$$;
comment on function private.suggested_tags is 'The tags that the hub is browsed by: use cases and domains.';
revoke execute on function private.suggested_tags from public, anon, authenticated, service_role;

create function private.count_categories()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  -- Documents are of visible listings only.
  select jsonb_agg(jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', c.listings) order by t.place)
  from private.suggested_tags() t
  cross join lateral (
    select count(*) as listings
    from private.hub_documents d
    where d.document @@ ('''=tag:' || t.tag || '''')::tsquery
  ) c;
$$;
comment on function private.count_categories is 'How many visible listings have each of the suggested tags.';
revoke execute on function private.count_categories from public, anon, authenticated, service_role;

create function private.categories()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(private.snapshot('categories'), private.count_categories());
$$;
comment on function private.categories is 'The work of hub_categories.';
revoke execute on function private.categories from public, anon, authenticated, service_role;
grant execute on function private.categories to anon, authenticated, service_role;

create function public.hub_categories()
returns jsonb
language sql
stable
security invoker
set search_path = ''
as $$
  select jsonb_build_object('items', private.categories());
$$;
comment on function public.hub_categories is 'The suggested use-case and domain tags with the number of listings that have them: {items: [{tag, kind, count}]}.';
revoke execute on function public.hub_categories from public, anon, authenticated, service_role;
grant execute on function public.hub_categories to anon, authenticated, service_role;
