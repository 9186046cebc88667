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
comment on function private.suggested_tags is 'Returns the suggested tags for browsing the hub: use cases and domains.';
revoke execute on function private.suggested_tags from public, anon, authenticated, service_role;

create function private.count_categories()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  -- Only visible listings have documents.
  select jsonb_agg(jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', c.listings) order by t.place)
  from private.suggested_tags() t
  cross join lateral (
    select count(*) as listings
    from private.hub_documents d
    where d.document @@ ('''=tag:' || t.tag || '''')::tsquery
  ) c;
$$;
comment on function private.count_categories is 'Returns how many visible listings have each of the suggested tags.';
revoke execute on function private.count_categories from public, anon, authenticated, service_role;

create function private.estimate_categories(most integer)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set jit = off
as $$
begin
  return (
    -- Ids are random, so the tags of the listings with the lowest ids are a fair sample. When the sample holds all tags, the counts
    -- are exact.
    with sample as (
      select t.tag
      from private.hub_listing_tags t
      order by t.asset_id, t.tag
      limit estimate_categories.most
    ),
    counted as materialized (
      select s.tag, count(*) as listings from sample s group by s.tag
    ),
    size as (
      select case
        when sum(c.listings) = estimate_categories.most then greatest(
          1, (select p.reltuples from pg_catalog.pg_class p where p.oid = 'private.hub_listing_tags'::regclass) / estimate_categories.most
        )
        else 1
      end as scale
      from counted c
    )
    select jsonb_agg(
      jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
    )
    from private.suggested_tags() t
    cross join size z
    left join counted c on c.tag = t.tag
  );
end;
$$;
comment on function private.estimate_categories is 'Returns the counts of count_categories, estimated from a sample of `most` tags of listings; exact when the hub has fewer.';
revoke execute on function private.estimate_categories from public, anon, authenticated, service_role;

create function private.categories()
returns jsonb
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(private.snapshot('categories', '30 minutes'), private.estimate_categories(5000));
$$;
comment on function private.categories is 'Returns the stored counts of categories if they are at most 30 minutes old, otherwise an estimate. Called by public.hub_categories.';
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
comment on function public.hub_categories is 'Returns the suggested use-case and domain tags with the number of listings that have them: {items: [{tag, kind, count}]}.';
revoke execute on function public.hub_categories from public, anon, authenticated, service_role;
grant execute on function public.hub_categories to anon, authenticated, service_role;
