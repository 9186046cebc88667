import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { answersOf, MEANINGS, type Meaning, sum } from "./record.ts";
import type { DemoRun } from "./run.ts";

/** The service's own data about one key. */
interface Books {
  id: string;
  usage_count: number;
  disabled: boolean;
  leases: number;
  /** Leases that were released without a call: the same key was leased again. */
  unused: number;
  /** Leases with a report of a call. */
  calls: number;
  /** Leases during a reported cooldown, or after the report that disabled the key. */
  inside_block: number;
  /** Of each report. */
  outcomes: string[];
}

export type Audit = Awaited<ReturnType<typeof audit>>;

/**
 * Compares three records: the service's and the provider's key by key, and the agents' in all, since callers of the gateway do not know
 * which keys it used. Gives the wrong leases in the log, the names of keys that are disabled though the provider has not revoked them, and
 * a line for each number that differs between two records.
 */
export async function audit({ sql, pool: { userId, keys }, record, provider }: DemoRun) {
  const books = await readBooks(sql, userId);
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
  // A lost answer may have been a lease and a call. Nothing else explains one that no agent saw.
  const unseen = (what: string, number: number) => {
    if (number < 0 || number > record.lost) mismatches.push(`${what}: ${number}`);
  };
  const all = (meaning?: Meaning) => sum(provided, (counts) => answersOf(counts, meaning));
  unseen("calls to the provider that no agent made", all() - answersOf(record.byFetch) - record.attempts);
  unseen("calls that the provider served and no agent got", all("served") - record.answers("served"));
  const used = sum(books, ({ leases, unused }) => leases - unused);
  unseen("leases in the log that no agent got", used - record.leases - record.attempts);
  unseen("leases without a report", used - sum(books, (of) => of.calls));
  const disabled = keys.filter(({ id }) => books.some((of) => of.id === id && of.disabled));
  return {
    wrong: sum(books, (of) => of.inside_block),
    leases: sum(books, (of) => of.leases),
    wronglyDisabled: disabled.map(({ name }) => name).filter((name) => !provider.isRevoked(name)),
    ...{ mismatches, provided },
  };
}

/** The gateway reports after its answer. Waits until no report is missing, at most five seconds; a missing report then counts. */
export async function settle({ sql, pool: { userId } }: DemoRun): Promise<void> {
  for (const end = performance.now() + 5_000; performance.now() < end; await sleep(50)) {
    const [open] = await sql`
      select from public.api_key_usage_log where user_id = ${userId} and reported_at is null limit 1`;
    if (open === undefined) return;
  }
}

async function readBooks(sql: postgres.Sql, userId: string): Promise<Books[]> {
  return sql<Books[]>`
    with log as materialized (select * from public.api_key_usage_log where user_id = ${userId}),
    blocks as materialized (
      select user_api_key_id, reported_at as since,
        case when state_after = 'disabled' then 'infinity' else blocked_until end as until
      from log
      where state_after = 'disabled' or blocked_until is not null
    )
    select k.id, (k.usage_count - k.skipped_count)::int as usage_count, not k.is_active as disabled,
      count(l.issued_at)::int as leases,
      (count(l.id) filter (where l.error_code ilike 'cancel%'))::int as unused,
      (count(l.id) filter (where l.reported_at is not null and (l.error_code ilike 'cancel%') is not true))::int as calls,
      (count(l.id) filter (where exists (
        select from blocks b
        where b.user_api_key_id = l.user_api_key_id and b.since <= l.issued_at and l.issued_at < b.until
      )))::int as inside_block,
      coalesce(array_agg(l.outcome) filter (where l.outcome is not null), '{}') as outcomes
    from public.user_api_keys k
    left join log l on l.user_api_key_id = k.id
    where k.user_id = ${userId}
    group by k.id`;
}
