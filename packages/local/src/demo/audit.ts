import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { answersOf, MEANINGS, type Meaning, sum } from "./record.ts";
import type { DemoRun } from "./run.ts";

/** The records of the service about one key. */
interface Books {
  id: string;
  usage_count: number;
  disabled: boolean;
  leases: number;
  /** Leases that were cancelled without a call to the provider. */
  unused: number;
  /** Leases of the lying agent, which made no calls. */
  lies: number;
  /** Leases with a report of a call. */
  calls: number;
  /** Leases during a reported cooldown, or after the report that disabled the key. */
  inside_block: number;
  /** `limited` counts blocks of the key for only one model. `served_beside` counts calls for the other model that it served meanwhile. */
  limited: number;
  served_beside: number;
  /** Refused prompts after which the service wrongly blocked the key. */
  blaming: number;
  /** Whether a report of the lying agent still blocks the key. */
  lied_about: boolean;
  /** The outcome of each report. */
  outcomes: string[];
}

export type Audit = Awaited<ReturnType<typeof audit>>;

/**
 * Compares the records of the service, the provider and the agents. The service and the provider must agree on each key. The agents' record
 * must agree only in total, because callers of the gateway do not know which keys it used. Returns the number of wrong leases in the log,
 * the names of keys that are disabled although the provider has not revoked them, and a line for each number that differs between two
 * records.
 */
export async function audit({ sql, pool: { userId, keys, liar }, record, provider }: DemoRun) {
  const books = await readBooks(sql, userId, liar.id, record.undoneAt);
  const mismatches: string[] = [];
  for (const { id, name, startCount } of keys) {
    const compare = (what: string, one?: number, other?: number) => {
      if (one !== other) mismatches.push(`${name}: ${what}: ${one} and ${other}`);
    };
    const of = books.find((one) => one.id === id);
    const provided = provider.counts(name);
    compare("usage_count, leases in the log", (of?.usage_count ?? 0) - startCount, of?.leases);
    compare("calls in the log, calls to the provider", of?.calls, answersOf(provided));
    for (const [meaning, { outcome }] of MEANINGS) {
      const logged = of?.outcomes.filter((one) => one === outcome).length;
      compare(`${outcome} in the log, answers of the provider`, logged, answersOf(provided, meaning));
    }
  }
  const provided = keys.map(({ name }) => provider.counts(name));
  // A lost answer may have contained a lease or a call, so up to `record.lost` leases and calls may be unknown to the agents.
  const unseen = (what: string, number: number) => {
    if (number < 0 || number > record.lost) mismatches.push(`${what}: ${number}`);
  };
  const all = (meaning?: Meaning) => sum(provided, (counts) => answersOf(counts, meaning));
  unseen("calls to the provider that no agent made", all() - answersOf(record.byFetch) - record.attempts);
  unseen("calls that the provider served and no agent got", all("served") - record.answers("served"));
  const used = sum(books, ({ leases, unused, lies }) => leases - unused - lies);
  unseen("leases in the log that no agent got", used - record.leases - record.attempts);
  unseen("leases without a report", used - sum(books, (of) => of.calls));
  const disabled = keys.filter(({ id }) => books.some((of) => of.id === id && of.disabled));
  return {
    wrong: sum(books, (of) => of.inside_block),
    leases: sum(books, (of) => of.leases),
    wronglyDisabled: disabled.map(({ name }) => name).filter((name) => !provider.isRevoked(name)),
    limited: sum(books, (of) => of.limited),
    servedBeside: sum(books, (of) => of.served_beside),
    blaming: sum(books, (of) => of.blaming),
    liedAbout: books.filter((of) => of.lied_about).length,
    ...{ mismatches, provided },
  };
}

/**
 * Waits up to five seconds for missing reports, because the gateway reports after its answer. A report that is missing after that becomes a
 * mismatch of the audit.
 */
export async function settle({ sql, pool: { userId } }: DemoRun): Promise<void> {
  for (const end = performance.now() + 5_000; performance.now() < end; await sleep(50)) {
    const [open] = await sql`
      select from public.api_key_usage_log where user_id = ${userId} and reported_at is null limit 1`;
    if (open === undefined) return;
  }
}

async function readBooks(
  sql: postgres.Sql,
  userId: string,
  liar: string,
  undoneAt: Date | null,
): Promise<Books[]> {
  return sql<Books[]>`
    with log as materialized (
      select *, agent_id is not distinct from ${liar} as is_lie, (error_code ilike 'cancel%') is true as is_unused
      from public.api_key_usage_log where user_id = ${userId}
    ),
    blocks as materialized (
      select l.user_api_key_id, l.reported_at as since, case when l.scope = 'model' then l.model end as model,
        -- Limits are shared by the keys of an account.
        case when l.outcome = 'rate_limited' then k.account end as account,
        case
          when l.state_after = 'disabled' then 'infinity'
          -- What the operator undid is over from then on.
          when l.reported_at < ${undoneAt}::timestamptz then least(l.blocked_until, ${undoneAt}::timestamptz)
          else l.blocked_until
        end as until
      from log l
      join public.user_api_keys k on k.id = l.user_api_key_id
      where l.state_after = 'disabled' or l.blocked_until is not null
    )
    select k.id, (k.usage_count - k.skipped_count)::int as usage_count, not k.is_active as disabled,
      count(l.issued_at)::int as leases,
      (count(l.id) filter (where l.is_unused and not l.is_lie))::int as unused,
      (count(l.id) filter (where l.is_lie))::int as lies,
      (count(l.id) filter (where l.reported_at is not null and not l.is_unused and not l.is_lie))::int as calls,
      (count(l.id) filter (where exists (
        select from blocks b
        where (b.user_api_key_id = k.id or b.account = k.account) and (b.model is null or b.model = l.model)
          and b.since <= l.issued_at and l.issued_at < b.until
      )))::int as inside_block,
      (count(l.id) filter (where l.scope = 'model' and l.effect = 'cooled' and not l.is_lie))::int as limited,
      (count(l.id) filter (where l.outcome = 'success' and exists (
        select from blocks b
        where (b.user_api_key_id = k.id or b.account = k.account) and b.model <> l.model
          and b.since <= l.issued_at and l.issued_at < b.until
      )))::int as served_beside,
      (count(l.id) filter (where l.outcome = 'caller_fault' and l.effect in ('cooled', 'disabled')))::int as blaming,
      exists (
        select from public.api_key_states s join log r on r.id = s.caused_by_log_id where s.user_api_key_id = k.id and r.is_lie
      ) or exists (
        select from public.api_key_model_health m join log r on r.id = m.caused_by_log_id
        where m.user_api_key_id = k.id and m.blocked_until > clock_timestamp() and r.is_lie
      ) as lied_about,
      coalesce(array_agg(l.outcome) filter (where l.outcome is not null and not l.is_lie), '{}') as outcomes
    from public.user_api_keys k
    left join log l on l.user_api_key_id = k.id
    where k.user_id = ${userId}
    group by k.id`;
}
