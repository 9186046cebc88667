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
    from: "h.settled_generation <= key_generation",
    to: "h.settled_generation is not null",
  },
  {
    name: "steady: only on a key of which the health row remembers that it is on",
    in: "public.report_api_key",
    from: "        and h.settled_generation <= key_generation\n",
    to: "",
  },
  {
    name: "steady: no success after failures",
    in: "public.report_api_key",
    from: "            h.consecutive_failures = 0\n            and (",
    to: "            (",
  },
  {
    name: "steady: no success inside a block",
    in: "public.report_api_key",
    from: "            and (h.blocked_until is null or h.blocked_until <= clock_timestamp())\n",
    to: "",
  },
  {
    name: "steady: no success on a lease from before the last failure",
    in: "public.report_api_key",
    from: "            and (h.last_failure_at is null or h.last_failure_at < issued)\n",
    to: "",
  },
  {
    name: "steady: no server errors to be forgotten",
    in: "public.report_api_key",
    from: "        and h.recent_server_errors = '{}'\n",
    to: "",
  },
  {
    name: "steady: a failure of the known outage alone",
    in: "public.report_api_key",
    from: "          else issued < h.rate_blocked_until\n",
    to: "          else true\n",
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
    from: "where l.id = report_api_key.lease_id and l.outcome is null",
    to: "where l.id = report_api_key.lease_id",
  },
  {
    name: "steady: a duplicate is told at once",
    in: "public.report_api_key",
    from: "      l.outcome is null and not report_api_key.hint_given and (",
    to: "      not report_api_key.hint_given and (",
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
    from: "        and (h.xmax = 0 or h.xmax = h.xmin)\n",
    to: "",
  },
  {
    name: "steady: a row is free again that its own maker had locked",
    in: "public.report_api_key",
    from: "(h.xmax = 0 or h.xmax = h.xmin)",
    to: "h.xmax = 0",
  },
  {
    name: "steady: after a report that was weighed",
    in: "private.settle_report",
    from: "set settled_generation = generation,\n      consecutive_failures",
    to: "set consecutive_failures",
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
