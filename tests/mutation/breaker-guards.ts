import type { Mutation } from "./mutation.ts";

/** Of the breaker, and of what operators bring back after it. */
export const breakerMutations: Mutation[] = [
  {
    name: "breaker: a third key is not disabled",
    in: "private.settle_report",
    from: "if cardinality(disabled_ids) >= settle_report.breaker_most then",
    to: "if false then",
  },
  {
    name: "breaker: one report at a time",
    in: "private.lately_disabled",
    from: "do update set provider = b.provider\n  returning b.key_ids into listed;",
    to: `do nothing;
  select b.key_ids into listed from private.api_key_breakers b
  where b.user_id = lately_disabled.user_id and b.provider = coalesce(lately_disabled.provider, '');`,
  },
  {
    name: "breaker: within a minute",
    in: "private.lately_disabled",
    from: "      and h.reason_since > clock_timestamp() - make_interval(secs => lately_disabled.window_seconds)\n",
    to: "",
  },
  {
    name: "breaker: an operator's enabling takes a key out of the count",
    in: "private.lately_disabled",
    from: "      and not k.is_active\n",
    to: "",
  },
  {
    name: "breaker: an operator's disabling does not count",
    in: "private.lately_disabled",
    from: "      and h.reason = 'invalid_key'\n",
    to: "",
  },
  {
    name: "breaker: a key that was given away does not count",
    in: "private.lately_disabled",
    from: "      and k.user_id = lately_disabled.user_id\n",
    to: "",
  },
  {
    name: "breaker: keys for any provider count among themselves",
    in: "private.settle_report",
    from: "and b.provider = coalesce(report.provider, '')",
    to: "and b.provider = report.provider",
  },
  {
    name: "breaker: only the last of the disabled are listed, with this one",
    in: "private.settle_report",
    from: "set key_ids = disabled_ids || target_id",
    to: "set key_ids = array[target_id]",
  },
  {
    name: "breaker: the same news again is no news",
    in: "private.settle_report",
    from: "h.blocked_until > at and h.reason = cause",
    to: "h.blocked_until > at and h.reason = settle_report.outcome",
  },
  {
    name: "breaker: the state says why",
    in: "private.settle_report",
    from: "      reason = cause,",
    to: "      reason = settle_report.outcome,",
  },
  {
    name: "breaker: an alert is told once",
    in: "private.alert_once",
    from: "        and a.created_at > clock_timestamp()",
    to: "        and false and a.created_at > clock_timestamp()",
  },
  {
    name: "breaker: an alert is told again after a while",
    in: "private.alert_once",
    from: "        and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)\n",
    to: "",
  },
  {
    name: "breaker: alerts are told for each provider",
    in: "private.alert_once",
    from: "        and a.provider is not distinct from alert_once.provider\n",
    to: "",
  },
  {
    name: "reenable: what operators disabled stays so",
    in: "public.reenable_keys",
    from: "      and h.reason = 'invalid_key'\n",
    to: "",
  },
  {
    name: "reenable: since a moment",
    in: "public.reenable_keys",
    from: "      and h.reason_since >= reenable_keys.since",
    to: "",
  },
  {
    name: "reenable: of one provider",
    in: "public.reenable_keys",
    from: "      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)\n",
    to: "",
  },
  {
    name: "reenable: of one pool",
    in: "public.reenable_keys",
    from: "where k.user_id = reenable_keys.user_id",
    to: "where true",
  },
  {
    name: "alerts are pruned",
    in: "public.prune_api_key_usage_log",
    from: "  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;\n",
    to: "",
  },
];
