-- Computes the stored results of discovery again. A schedule calls this function about every ten minutes.
create function public.hub_refresh_discovery()
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  insert into private.hub_snapshots (name, value, made_at)
  values
    ('trending', case when private.has_many_acts() then private.count_trending(null) end, clock_timestamp()),
    ('categories', private.count_categories(), clock_timestamp())
  on conflict (name) do update set value = excluded.value, made_at = excluded.made_at;
$$;
comment on function public.hub_refresh_discovery is 'For operators and schedules: computes trending and the counts of categories, so that no call of a reader has to count them.';
revoke execute on function public.hub_refresh_discovery from public, anon, authenticated, service_role;
