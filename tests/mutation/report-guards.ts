import type { Mutation } from "./mutation.ts";

/** Of settle_report. */
export const reportMutations: Mutation[] = [
  {
    name: "issue-time test: an old lease cannot escalate",
    in: "private.settle_report",
    from: "if issued < rate_until then",
    to: "if false then",
  },
  {
    name: "generation test: leases from before an operator's edit are stale",
    in: "private.settle_report",
    from: "when lease_generation < generation then 'stale'",
    to: "when false then 'stale'",
  },
  {
    name: "greatest(): a new block never shortens the one there is",
    in: "private.settle_report",
    from: "until := greatest(\n          until,\n          at + make_interval(secs => coalesce(",
    to: "until := greatest(\n          at + make_interval(secs => coalesce(",
  },
  {
    name: "greatest(): a hint never shortens a block",
    in: "private.settle_report",
    from: "until := greatest(until, at + make_interval(secs => hint));",
    to: "until := coalesce(at + make_interval(secs => hint), until);",
  },
  {
    name: "row lock of a report",
    in: "private.settle_report",
    from: "perform from public.user_api_keys k where k.id = target_id for no key update;",
    to: "",
  },
  {
    name: "giving way to an operator who holds the health row",
    in: "private.settle_report",
    from: "for no key update skip locked;\n  if not found then",
    to: "for no key update;\n  if not found then",
  },
  {
    name: "a key of somebody else is not held up",
    in: "private.settle_report",
    from: "where k.id = settle_report.key_id and k.user_id = settle_report.user_id;",
    to: "where k.id = settle_report.key_id;",
  },
  {
    name: "duplicate test: one lease, one effect",
    in: "private.settle_report",
    from: "    and l.outcome is null;",
    to: ";",
  },
  {
    name: "another outcome on a reported lease is refused",
    in: "private.settle_report",
    from: "if first.outcome is distinct from settle_report.outcome then",
    to: "if false then",
  },
  {
    name: "stale success: during a block",
    in: "private.settle_report",
    from: "when blocked > at or issued <= failed_at or",
    to: "when issued <= failed_at or",
  },
  {
    name: "stale success: on a lease from before the last failure",
    in: "private.settle_report",
    from: "when blocked > at or issued <= failed_at or",
    to: "when blocked > at or",
  },
  {
    name: "pool test of a report",
    in: "private.settle_report",
    from: "where k.id = target_id and k.user_id = settle_report.user_id;\n  if not found then\n    raise",
    to: "where k.id = target_id;\n  if not found then\n    raise",
  },
  {
    name: "pool test of a lease",
    in: "public.report_api_key",
    from: "where l.id = report_api_key.lease_id and l.user_id = report_api_key.user_id and l.issued_at is not null;",
    to: "where l.id = report_api_key.lease_id and l.issued_at is not null;",
  },
  {
    name: "a report on a disabled key changes nothing",
    in: "private.settle_report",
    from: "when not is_active or settle_report.rule = 'ignore' then 'ignored'",
    to: "when settle_report.rule = 'ignore' then 'ignored'",
  },
  {
    name: "server errors inside a block are not counted",
    in: "private.settle_report",
    from: "if not coalesce(blocked > at, false) then\n        errors := array(",
    to: "if true then\n        errors := array(",
  },
  {
    name: "forgetting after 24 hours",
    in: "private.settle_report",
    from: "failures := 0;\n        end if;\n        failures",
    to: "null;\n        end if;\n        failures",
  },
  {
    name: "exponent is bounded",
    in: "private.settle_report",
    from: "least(failures - 1, 64)",
    to: "(failures - 1)",
  },
  {
    name: "a report that adds a log row locks the key first",
    in: "private.settle_report",
    from: "or by_key;",
    to: ";",
  },
  {
    name: "a failure of an outage that has been reset meanwhile counts",
    in: "private.settle_report",
    from: "when not moves_key and issued < rate_until then 'ignored'",
    to: "when not moves_key then 'ignored'",
  },
  {
    name: "a lease that has vanished is not reported on, also when its key is named",
    in: "private.settle_report",
    from: "if not by_key then",
    to: "if settle_report.key_id is null then",
  },
  {
    name: "who waits for the health table has no key in hand",
    in: "private.settle_report",
    from: "        from public.api_key_health h\n        where h.user_api_key_id = target_id\n      ),",
    to: "        from (select null::timestamptz as rate_blocked_until) h\n      ),",
  },
  {
    name: "a report reads no table from end to end",
    in: "public.report_api_key",
    from: "SET enable_seqscan TO 'off'",
    to: "",
  },
  {
    name: "a report does not walk through all open leases",
    in: "private.settle_report",
    from: "    and l.outcome is null;",
    to: "    and l.reported_at is null;",
  },
];

/** Of the steady report in report_api_key: what it may be written for without being weighed. */
export const steadyMutations: Mutation[] = [
  {
    name: "steady: not on a lease from before an operator's edit",
    in: "public.report_api_key",
    from: "          and k.generation <= report.key_generation\n",
    to: "",
  },
  {
    name: "steady: not on a disabled key",
    in: "public.report_api_key",
    from: "          and k.is_active\n",
    to: "",
  },
  {
    name: "steady: not on a key that cannot be opened",
    in: "public.report_api_key",
    from: "          and k.unusable_reason is null\n",
    to: "",
  },
  {
    name: "steady: no success after failures",
    in: "public.report_api_key",
    from: "              steady.consecutive_failures = 0\n              and (",
    to: "              (",
  },
  {
    name: "steady: no success inside a block",
    in: "public.report_api_key",
    from: "              and (steady.blocked_until is null or steady.blocked_until <= clock_timestamp())\n",
    to: "",
  },
  {
    name: "steady: no success on a lease from before the last failure",
    in: "public.report_api_key",
    from: "              and (steady.last_failure_at is null or steady.last_failure_at < issued)\n",
    to: "",
  },
  {
    name: "steady: no server errors to be forgotten",
    in: "public.report_api_key",
    from: "          and steady.recent_server_errors = '{}'\n",
    to: "",
  },
  {
    name: "steady: a failure of the known outage alone",
    in: "public.report_api_key",
    from: "            else issued < steady.rate_blocked_until\n",
    to: "            else true\n",
  },
  {
    name: "steady: a hint is weighed",
    in: "public.report_api_key",
    from: "or report_api_key.rule = 'escalate' and report_api_key.hint_seconds is null and report_api_key.hint_at is null",
    to: "or report_api_key.rule = 'escalate'",
  },
  {
    name: "steady: one lease, one effect",
    in: "public.report_api_key",
    from: "          and l.outcome is null\n          and k.id",
    to: "          and k.id",
  },
  {
    name: "steady: a duplicate is told at once",
    in: "public.report_api_key",
    from: "      l.outcome is null and (",
    to: "      (",
  },
  {
    name: "steady: a duplicate that was late leaves no trace",
    in: "private.settle_report",
    from: "      if settle_report.has_touched then",
    to: "      if false then",
  },
  {
    name: "steady: who holds the health row is not waited for",
    in: "public.report_api_key",
    from: "for no key update skip locked",
    to: "for no key update",
  },
  {
    name: "steady: what a caller wrote before is not the report's",
    in: "public.report_api_key",
    from: "may_be_steady and not has_written",
    to: "may_be_steady",
  },
  {
    name: "steady: who may hold the health row does not wait for the key",
    in: "private.settle_report",
    from: "if settle_report.may_hold_health and",
    to: "if false and",
  },
];

/** Of calls that are made as one. */
export const togetherMutations: Mutation[] = [
  {
    name: "together: always the least used",
    in: "private.lease_several",
    from: "order by h.usage_count + more, h.id",
    to: "order by h.id, more",
  },
  {
    name: "together: each key is counted once, by all its turns",
    in: "private.lease_several",
    from: "usage_count = k.usage_count + turns.number",
    to: "usage_count = k.usage_count + 1",
  },
  {
    name: "together: who holds a key waits for no other",
    in: "private.lease_several",
    from: "for no key update skip locked",
    to: "for no key update",
  },
  {
    name: "together: the provider counts for all",
    in: "private.lease_several",
    from: "(lease_several.provider is null or k.provider is null or k.provider = lease_several.provider)",
    to: "true",
  },
  {
    name: "together: a key of a pair that is not live is left out",
    in: "private.lease_several",
    from: "and k.sealed_kid = any (lease_several.live_kids)",
    to: "",
  },
  {
    name: "together: only what is ready",
    in: "private.lease_several",
    from: "and k.is_ready",
    to: "",
  },
  {
    name: "together: somebody else's lease is left alone",
    in: "public.report_successes",
    from: "and l.user_id = report_successes.user_id",
    to: "",
  },
  {
    name: "together: a lease that was reported is weighed alone",
    in: "public.report_successes",
    from: "and l.outcome is null",
    to: "",
  },
  {
    name: "together: a lease is not waited for",
    in: "public.report_successes",
    from: "for no key update of l skip locked",
    to: "for no key update of l",
  },
  {
    name: "together: a key's queue is not waited in",
    in: "public.report_successes",
    from: "where q.is_ours",
    to: "",
  },
  {
    name: "together: a health row is not waited for",
    in: "public.report_successes",
    from: "for no key update of steady skip locked",
    to: "for no key update of steady",
  },
  {
    name: "together: server errors in a row are weighed alone",
    in: "public.report_successes",
    from: "where steady.recent_server_errors = '{}'\n        and",
    to: "where",
  },
  {
    name: "together: failures are forgotten alone",
    in: "public.report_successes",
    from: "and steady.consecutive_failures = 0",
    to: "",
  },
  {
    name: "together: a block is weighed alone",
    in: "public.report_successes",
    from: "and (steady.blocked_until is null or steady.blocked_until <= clock_timestamp())",
    to: "",
  },
  {
    name: "together: a failure after the lease is weighed alone",
    in: "public.report_successes",
    from: "and (steady.last_failure_at is null or steady.last_failure_at < o.issued_at)",
    to: "",
  },
  {
    name: "together: what is not in the log is not told of",
    in: "public.report_successes",
    from: "t.key_id <> all (coalesce(written_keys, '{}'))",
    to: "false",
  },
  {
    name: "together: the same lease twice is one report",
    in: "public.report_successes",
    from: "w.key_id is not null and a.turn = 1",
    to: "w.key_id is not null",
  },
];
