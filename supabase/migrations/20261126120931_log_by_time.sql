SET local check_function_bodies = off;

DROP VIEW "public"."api_key_pools";

CREATE OR REPLACE FUNCTION private.check_key_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  new.settings := coalesce(new.settings, '{}');
  if jsonb_typeof(new.settings) <> 'object'
    or new.settings - array['base_url', 'organization', 'project'] <> '{}'
    or exists (
      select
      from jsonb_each(new.settings) s
      where jsonb_typeof(s.value) <> 'string'
        or private.looks_secret(s.value #>> '{}')
        or char_length(s.value #>> '{}') > case s.key when 'base_url' then 2048 else 200 end
        or s.value #>> '{}' !~ case s.key
          -- No user info, no query, no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- What stands in it may be a secret, and is not repeated.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$function$;

CREATE VIEW "public"."api_key_pools" WITH (security_invoker=true) AS  SELECT p.user_id,
    p.provider,
    p.available,
    p.limited,
    p.cooling_down,
    p.disabled,
    p.soonest_seconds,
    l.leases AS leases_last_hour,
    l.failures AS failures_last_hour
   FROM (( SELECT k.user_id,
            k.provider,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND (NOT k.is_limited))) AS available,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND k.is_limited)) AS limited,
            count(*) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) AS cooling_down,
            count(*) FILTER (WHERE (NOT k.is_usable)) AS disabled,
            (ceil(EXTRACT(epoch FROM (min(k.ready_at) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) - min(k.at)))))::bigint AS soonest_seconds
           FROM ( SELECT every.user_id,
                    every.provider,
                    every.ready_at,
                    (every.is_active AND (every.unusable_reason IS NULL)) AS is_usable,
                    (EXISTS ( SELECT
                           FROM unnest(every.limited_until) ends(ends)
                          WHERE (ends.ends > clock.at))) AS is_limited,
                    clock.at
                   FROM (( SELECT clock_timestamp() AS at) clock
                     CROSS JOIN public.user_api_keys every)) k
          GROUP BY k.user_id, k.provider) p
     LEFT JOIN LATERAL ( WITH recent AS MATERIALIZED (
                 SELECT r.user_api_key_id,
                    r.issued_at,
                    r.outcome
                   FROM public.api_key_usage_log r
                  WHERE ((r.user_id = p.user_id) AND (COALESCE(r.issued_at, r.reported_at) > (now() - '01:00:00'::interval)))
                )
         SELECT count(*) FILTER (WHERE (recent.issued_at IS NOT NULL)) AS leases,
            count(*) FILTER (WHERE (recent.outcome <> 'success'::text)) AS failures
           FROM (recent
             JOIN public.user_api_keys k ON ((k.id = recent.user_api_key_id)))
          WHERE (NOT (k.provider IS DISTINCT FROM p.provider))) l ON (true));

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "anon", "authenticated";

CREATE INDEX api_key_usage_log_time_idx ON public.api_key_usage_log USING btree (COALESCE(issued_at, reported_at));

COMMENT ON VIEW "public"."api_key_pools" IS 'For operators: how many keys of each provider of a pool are available for every model, limited for some, cooling down and disabled, when the first that cools is back (seconds), and how many leases of the last hour there are, and how many of them failed, by the keys that are there now.';

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_pools" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_pools" TO "service_role";
