import type { Mutation } from "./mutation.ts";

/** Of report_api_key. */
export const reportMutations: Mutation[] = [
  {
    name: "issue-time test: an old lease cannot escalate",
    in: "public.report_api_key",
    from: "if issued < rate_until then",
    to: "if false then",
  },
  {
    name: "generation test: leases from before an operator's edit are stale",
    in: "public.report_api_key",
    from: "when lease_generation < generation then 'stale'",
    to: "when false then 'stale'",
  },
  {
    name: "greatest(): a new block never shortens the one there is",
    in: "public.report_api_key",
    from: "until := greatest(\n          until,\n          at + make_interval(secs => coalesce(",
    to: "until := greatest(\n          at + make_interval(secs => coalesce(",
  },
  {
    name: "greatest(): a hint never shortens a block",
    in: "public.report_api_key",
    from: "until := greatest(until, at + make_interval(secs => hint));",
    to: "until := coalesce(at + make_interval(secs => hint), until);",
  },
  {
    name: "row lock of a report",
    in: "public.report_api_key",
    from: "perform from public.user_api_keys k where k.id = target_id for no key update;",
    to: "",
  },
  {
    name: "giving way to an operator who holds the health row",
    in: "public.report_api_key",
    from: "for no key update skip locked;\n  if not found then",
    to: "for no key update;\n  if not found then",
  },
  {
    name: "a key of somebody else is not held up",
    in: "public.report_api_key",
    from: "where k.id = report_api_key.key_id and k.user_id = report_api_key.user_id;",
    to: "where k.id = report_api_key.key_id;",
  },
  {
    name: "duplicate test: one lease, one effect",
    in: "public.report_api_key",
    from: "    and l.outcome is null;",
    to: ";",
  },
  {
    name: "another outcome on a reported lease is refused",
    in: "public.report_api_key",
    from: "if first.outcome is distinct from report_api_key.outcome then",
    to: "if false then",
  },
  {
    name: "stale success: during a block",
    in: "public.report_api_key",
    from: "when blocked > at or issued <= failed_at or",
    to: "when issued <= failed_at or",
  },
  {
    name: "stale success: on a lease from before the last failure",
    in: "public.report_api_key",
    from: "when blocked > at or issued <= failed_at or",
    to: "when blocked > at or",
  },
  {
    name: "pool test of a report",
    in: "public.report_api_key",
    from: "where k.id = target_id and k.user_id = report_api_key.user_id;\n  if not found then\n    raise",
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
    in: "public.report_api_key",
    from: "when not is_active or report_api_key.rule = 'ignore' then 'ignored'",
    to: "when report_api_key.rule = 'ignore' then 'ignored'",
  },
  {
    name: "server errors inside a block are not counted",
    in: "public.report_api_key",
    from: "if not coalesce(blocked > at, false) then\n        errors := array(",
    to: "if true then\n        errors := array(",
  },
  {
    name: "forgetting after 24 hours",
    in: "public.report_api_key",
    from: "failures := 0;\n        end if;\n        failures",
    to: "null;\n        end if;\n        failures",
  },
  {
    name: "exponent is bounded",
    in: "public.report_api_key",
    from: "least(failures - 1, 64)",
    to: "(failures - 1)",
  },
  {
    name: "a report that adds a log row locks the key first",
    in: "public.report_api_key",
    from: "or report_api_key.lease_id is null;",
    to: ";",
  },
  {
    name: "a failure of an outage that has been reset meanwhile counts",
    in: "public.report_api_key",
    from: "when not moves_key and issued < rate_until then 'ignored'",
    to: "when not moves_key then 'ignored'",
  },
  {
    name: "a lease that has vanished is not reported on, also when its key is named",
    in: "public.report_api_key",
    from: "if by_key is not true then",
    to: "if report_api_key.key_id is null then",
  },
  {
    name: "who waits for the health table has no key in hand",
    in: "public.report_api_key",
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
    in: "public.report_api_key",
    from: "    and l.outcome is null;",
    to: "    and l.reported_at is null;",
  },
];
