import type { Mutation } from "./mutation.ts";

/** Of the triggers that follow edits of keys and their health, and of pruning. */
export const editMutations: Mutation[] = [
  {
    name: "a key that is moved when its block is over is awake",
    in: "private.user_api_keys_before_update",
    from: "if joins and new.cooling_until <= clock_timestamp() then",
    to: "if false then",
  },
  {
    name: "only a key that joins a tier is woken by an edit",
    in: "private.user_api_keys_before_update",
    from: "if joins and new.cooling_until <= clock_timestamp() then",
    to: "if new.cooling_until <= clock_timestamp() then",
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
    name: "a deleted health row comes back",
    in: "private.keep_api_key_health",
    from: "insert into public.api_key_health (user_api_key_id) values (old.user_api_key_id);",
    to: "",
  },
  {
    name: "pruning: what explains a block or a disabled key stays",
    in: "public.prune_api_key_usage_log",
    from: "and h.reason_log_id = old.id",
    to: "and false",
  },
  {
    name: "pruning: a block that is over explains nothing",
    in: "public.prune_api_key_usage_log",
    from: "and k.ready_at > clock_timestamp()",
    to: "",
  },
  {
    name: "pruning: a recent report keeps its row",
    in: "public.prune_api_key_usage_log",
    from: "and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep",
    to: "",
  },
  {
    name: "pruning: the batch bound",
    in: "public.prune_api_key_usage_log",
    from: "limit prune_api_key_usage_log.batch - pruned",
    to: "",
  },
  {
    name: "pruning: a row that is being reported is not waited for",
    in: "public.prune_api_key_usage_log",
    from: "for update skip locked",
    to: "for update",
  },
  {
    name: "pruning: two pruners take turns",
    in: "public.prune_api_key_usage_log",
    from: "from private.api_key_log_pruning p for no key update;",
    to: "from private.api_key_log_pruning p;",
  },
  {
    name: "pruning: round again from the start",
    in: "public.prune_api_key_usage_log",
    from: "page := 0;\n    end if;",
    to: "null;\n    end if;",
  },
  {
    name: "pruning: the next call goes on where this one stopped",
    in: "public.prune_api_key_usage_log",
    from: "update private.api_key_log_pruning p set next_page = page;",
    to: "",
  },
  {
    name: "pruning: the least keep",
    in: "public.prune_api_key_usage_log",
    from: "prune_api_key_usage_log.keep < interval '1 day'",
    to: "false",
  },
];
