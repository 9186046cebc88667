import type { Mutation } from "./mutation.ts";

/** Of what a caller may say of the key that it wants, of hints, and of settings. */
export const leaseRequestMutations: Mutation[] = [
  {
    name: "exclude: a key that is free",
    in: "public.lease_api_key",
    from: "        and k.id <> all (lease_api_key.exclude)\n      order by k.usage_count, k.id\n      limit 1\n      for no key",
    to: "      order by k.usage_count, k.id\n      limit 1\n      for no key",
  },
  {
    name: "exclude: a key that is held",
    in: "public.lease_api_key",
    from: "          and k.id <> all (lease_api_key.exclude)\n        order by k.usage_count, k.id\n        limit 1;",
    to: "        order by k.usage_count, k.id\n        limit 1;",
  },
  {
    name: "exclude: a key that has just been woken",
    in: "public.lease_api_key",
    from: "              and k.id <> all (lease_api_key.exclude)\n            order by k.usage_count",
    to: "            order by k.usage_count",
  },
  {
    name: "exclude: a key that is asleep and held",
    in: "public.lease_api_key",
    from: "              and k.id <> all (lease_api_key.exclude)\n            order by k.cooling_until",
    to: "            order by k.cooling_until",
  },
  {
    name: "exclude: a better key that is ready",
    in: "private.has_better_key",
    from: "          and k.id <> all (has_better_key.exclude)\n        limit 1",
    to: "        limit 1",
  },
  {
    name: "exclude: a better key that is asleep",
    in: "private.has_better_key",
    from: "          and k.id <> all (has_better_key.exclude)\n        order by k.cooling_until",
    to: "        order by k.cooling_until",
  },
  {
    name: "exclude: is not looked for when the pool is surveyed",
    in: "private.survey_pool",
    from: "          and k.id <> all (survey_pool.exclude)\n",
    to: "",
  },
  {
    name: "exclude: better than none",
    in: "public.lease_api_key",
    from: "if pool.first_ready is null and lease_api_key.exclude <> '{}' then",
    to: "if false then",
  },
  {
    name: "unknown provider: not where a key is disabled or cools",
    in: "public.lease_api_key",
    from: "when pool.cooling_down + pool.disabled = 0 and lease_api_key.provider is not null",
    to: "when lease_api_key.provider is null",
  },
  {
    name: "hint: told also where nothing moves",
    in: "public.report_api_key",
    from: "l.outcome is null and not report_api_key.hint_given and (",
    to: "l.outcome is null and (",
  },
  {
    name: "hint: capped",
    in: "private.settle_report",
    from: "> settle_report.hint_cap_seconds\n        then 'capped'",
    to: "> 1e12\n        then 'capped'",
  },
  {
    name: "hint: used only where it set the block",
    in: "private.settle_report",
    from: "if effect = 'cooled' and until = at + make_interval(secs => hint) then",
    to: "if hint is not null then",
  },
  {
    name: "hint: a duplicate tells the first answer",
    in: "private.settle_report",
    from: "private.hint_member(first.hint)",
    to: "private.hint_member(hint_word)",
  },
  {
    name: "settings: nothing secret",
    in: "private.check_key_settings",
    from: "        or private.looks_secret(s.value #>> '{}')\n",
    to: "",
  },
  {
    name: "settings: no other members",
    in: "private.check_key_settings",
    from: "    or new.settings - array['base_url', 'organization', 'project'] <> '{}'\n",
    to: "",
  },
];
