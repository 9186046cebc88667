/** A guard of the key service, and how to take it out of the function that holds it. */
export interface Mutation {
  name: string;
  /** Schema-qualified SQL function. */
  in: string;
  from: string;
  to: string;
}

export const mutations: Mutation[] = [
  {
    name: "issue-time test: an old lease cannot escalate",
    in: "public.report_api_key",
    from: "if issued < health.rate_blocked_until then",
    to: "if false then",
  },
  {
    name: "generation test: leases from before an operator's edit are stale",
    in: "public.report_api_key",
    from: "if lease.key_generation < key.generation then",
    to: "if false then",
  },
  {
    name: "greatest(): a new block never shortens the one there is",
    in: "public.report_api_key",
    from: "until := greatest(\n        until,\n        at + make_interval(secs => coalesce(",
    to: "until := greatest(\n        at + make_interval(secs => coalesce(",
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
    from: "where k.id = target_id and k.user_id = caller.pool_user_id\n      for no key update;",
    to: "where k.id = target_id and k.user_id = caller.pool_user_id;",
  },
  {
    name: "giving way to an operator who holds the health row",
    in: "public.report_api_key",
    from: "for no key update skip locked;",
    to: "for no key update;",
  },
  {
    name: "duplicate test: one lease, one effect",
    in: "public.report_api_key",
    from: "if lease.reported_at is not null then",
    to: "if false then",
  },
  {
    name: "another outcome on a reported lease is refused",
    in: "public.report_api_key",
    from: "if lease.outcome is distinct from report_api_key.outcome then",
    to: "if false then",
  },
  {
    name: "stale success: during a block",
    in: "public.report_api_key",
    from: "if in_block or issued <= health.last_failure_at or",
    to: "if issued <= health.last_failure_at or",
  },
  {
    name: "stale success: on a lease from before the last failure",
    in: "public.report_api_key",
    from: "if in_block or issued <= health.last_failure_at or",
    to: "if in_block or",
  },
  {
    name: "pool test of a report",
    in: "public.report_api_key",
    from: "where k.id = target_id and k.user_id = caller.pool_user_id",
    to: "where k.id = target_id",
  },
  {
    name: "pool test of a lease",
    in: "public.report_api_key",
    from: "where l.id = report_api_key.lease_id and l.user_id = caller.pool_user_id and l.issued_at is not null;",
    to: "where l.id = report_api_key.lease_id and l.issued_at is not null;",
  },
  {
    name: "a report on a disabled key changes nothing",
    in: "public.report_api_key",
    from: "elsif not key.is_active then",
    to: "elsif false then",
  },
  {
    name: "server errors inside a block are not counted",
    in: "public.report_api_key",
    from: "if not in_block then\n      errors := array(",
    to: "if true then\n      errors := array(",
  },
  {
    name: "forgetting after 24 hours",
    in: "public.report_api_key",
    from: "health.consecutive_failures := 0;\n      end if;\n      health.consecutive_failures",
    to: "null;\n      end if;\n      health.consecutive_failures",
  },
  {
    name: "exponent is bounded",
    in: "public.report_api_key",
    from: "least(health.consecutive_failures - 1, 64)",
    to: "(health.consecutive_failures - 1)",
  },
  {
    name: "second look: locked for a moment is not none",
    in: "public.lease_api_key",
    from: "continue when waited_for is null;",
    to: "continue;",
  },
  {
    name: "looking anew after waiting: the key",
    in: "public.lease_api_key",
    from: "where k.id = waited_for and k.is_ready",
    to: "where k.id = waited_for",
  },
  {
    name: "looking anew after waiting: a better tier",
    in: "public.lease_api_key",
    from: "tier.priority < top_priority\n",
    to: "false\n",
  },
  {
    name: "row lock of a hand-out",
    in: "public.lease_api_key",
    from: "for no key update skip locked",
    to: "",
  },
  {
    name: "only texts sealed to a live pair",
    in: "public.lease_api_key",
    from: "and free.sealed_kid = any (lease_api_key.live_kids)",
    to: "",
  },
  {
    name: "keys whose block is over are woken before the choice",
    in: "public.lease_api_key",
    from: "if over between 1 and 64 or",
    to: "if",
  },
  {
    name: "a key that joins lowers the floor",
    in: "private.lower_tier_floor",
    from: "if (new.usage_count, new.id) < (tier.floor_count, tier.floor_id) then",
    to: "if false then",
  },
  {
    name: "a key that joins keeps the floor from being raised past it",
    in: "private.lower_tier_floor",
    from: "for no key update;",
    to: ";",
  },
  {
    name: "tiers that do not lead to a ready key are rebuilt",
    in: "public.lease_api_key",
    from: "perform private.rebuild_tiers(pool_user_id);",
    to: "",
  },
  {
    name: "a void gives the count back",
    in: "private.void_lease",
    from: "set usage_count = greatest(k.usage_count - 1, 0)",
    to: "set usage_count = k.usage_count",
  },
  {
    name: "a void flags only the ciphertext that was tried",
    in: "private.void_lease",
    from: "where k.id = key_id and k.generation = lease.key_generation;",
    to: "where k.id = key_id;",
  },
  {
    name: "a void is for the caller's own lease",
    in: "private.void_lease",
    from: "where l.id = void_lease.lease_id and l.user_id = void_lease.user_id and l.reported_at is null",
    to: "where l.id = void_lease.lease_id and l.reported_at is null",
  },
  {
    name: "revoked tokens are refused",
    in: "private.key_caller",
    from: "and (a.revoked_at is null or a.revoked_at > clock_timestamp())",
    to: "",
  },
  {
    name: "tier minimum on insert",
    in: "private.user_api_keys_before_insert",
    from: "if new.usage_count = 0 then",
    to: "if false then",
  },
  {
    name: "unsealed text is refused on insert",
    in: "private.user_api_keys_before_insert",
    from: "perform private.refuse_unsealed_key(new.api_key_encrypted);",
    to: "",
  },
  {
    name: "unsealed text is refused on update",
    in: "private.user_api_keys_before_update",
    from: "perform private.refuse_unsealed_key(new.api_key_encrypted);",
    to: "",
  },
  {
    name: "the copy of the block cannot be edited",
    in: "private.user_api_keys_before_update",
    from: "new.cooling_until := case when woken then null else old.cooling_until end;",
    to: "",
  },
  {
    name: "tier minimum on re-activation and move",
    in: "private.user_api_keys_before_update",
    from: "if joins and",
    to: "if false and",
  },
  {
    name: "a replaced or re-enabled key raises its generation",
    in: "private.user_api_keys_before_update",
    from: "new.generation := old.generation + 1;",
    to: "",
  },
  {
    name: "a reset raises the generation",
    in: "private.copy_block_to_key",
    from: "generation = k.generation + reset::integer",
    to: "generation = k.generation",
  },
  {
    name: "a replaced or re-enabled key starts with clean health",
    in: "private.user_api_keys_after_update",
    from: "set blocked_until = null,\n      consecutive_failures = 0,",
    to: "set",
  },
  {
    name: "a block moved by hand moves the rate block",
    in: "private.api_key_health_before_update",
    from: "new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);",
    to: "",
  },
  {
    name: "an emptied health table comes back",
    in: "private.keep_all_api_key_health",
    from: "insert into public.api_key_health (user_api_key_id)\n  select k.id from public.user_api_keys k;",
    to: "",
  },
  {
    name: "a caller that voids does not wait for another key",
    in: "public.lease_api_key",
    from: "if lease_api_key.void_lease_id is not null then\n        return",
    to: "if false then\n        return",
  },
  {
    name: "a deleted health row comes back",
    in: "private.keep_api_key_health",
    from: "insert into public.api_key_health (user_api_key_id) values (old.user_api_key_id);",
    to: "",
  },
];
