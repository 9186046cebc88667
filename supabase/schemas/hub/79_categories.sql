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

create function private.estimate_categories(most integer)
returns jsonb
language sql
stable
security definer
set search_path = ''
set enable_seqscan = off
as $$
  -- Ids are random: the first ones are a fair sample. Where they are all, the counts are exact.
  with sample as materialized (
    select a.tags
    from public.hub_assets a
    where a.is_visible
    order by a.id
    limit estimate_categories.most
  ),
  size as (
    select case
      when count(*) < estimate_categories.most then 1
      else greatest(1, (select c.reltuples from pg_catalog.pg_class c where c.oid = 'private.hub_documents'::regclass) / count(*))
    end as scale
    from sample
  ),
  counted as (
    select u.tag, count(*) as listings from sample s cross join lateral unnest(s.tags) u (tag) group by u.tag
  )
  select jsonb_agg(
    jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
  )
  from private.suggested_tags() t
  cross join size z
  left join counted c on c.tag = t.tag;
$$;
comment on function private.estimate_categories is 'The same from a sample of so many listings; exact where there are fewer.';
revoke execute on function private.estimate_categories from public, anon, authenticated, service_role;

create function private.categories()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(private.snapshot('categories'), private.estimate_categories(4000));
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
