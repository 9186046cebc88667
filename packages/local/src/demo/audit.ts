import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { Pool, PoolKey } from "./pool.ts";
import { type RunRecord, type StatusCounts, sum } from "./record.ts";

/** The service's own data about one key. */
interface Books {
  id: string;
  usage_count: number;
  leases: number;
  unreported: number;
  /** Leases that were released without a call: the same key was leased again. */
  unused: number;
  /** Leases during a reported cooldown, or after the report that disabled the key. */
  inside_block: number;
  /** Of each report. */
  outcomes: string[];
}

export interface Audit {
  /** Wrong leases in the log. */
  wrong: number;
  leases: number;
  /** One line for each number that differs between two records. */
  mismatches: string[];
}

/** Which outcome the service must have written for the provider's answers. */
const OUTCOMES: [outcome: string, kinds: string[]][] = [
  ["success", ["200"]],
  ["rate_limited", ["429"]],
  ["invalid_key", ["400", "401", "403"]],
  ["server_error", ["500", "503", "529"]],
  ["intermediary", ["403 page", "502 page"]],
];

/**
 * Compares three records, key by key: the service's, the agents' and the provider's. Callers of the gateway do not know which keys
 * it used. For them, the provider's answers by key count, and only the totals of the agents are compared.
 */
export async function audit(
  sql: postgres.Sql,
  pool: Pool,
  record: RunRecord,
  provider: (name: string) => StatusCounts,
): Promise<Audit> {
  const books = await readBooks(sql, pool.userId);
  const { attempts } = record.gateway;
  const mismatches: string[] = [];
  const compare = (what: string, one: number, other: number) => {
    if (one !== other) mismatches.push(`${what}: ${one} and ${other}`);
  };
  for (const key of pool.keys) {
    const book = books.find(({ id }) => id === key.id);
    if (book === undefined) mismatches.push(`${key.name}: its row is gone`);
    else compareKey(key, book, record.key(key.id).answers, provider(key.name), attempts > 0, compare);
  }
  const kept = books.filter(({ id }) => pool.keys.some((key) => key.id === id));
  let unseen = sum(kept, ({ id, leases, unused }) => leases - unused - record.key(id).leases) - attempts;
  if (attempts > 0 && record.lost > 0) unseen = 0;
  else if (attempts > 0) {
    const provided = pool.keys.map(({ name }) => provider(name));
    const agents = sum(pool.keys, ({ id }) => total(record.key(id).answers));
    compare("calls to the provider, by the agents and the gateway", sum(provided, total), agents + attempts);
    const served = sum(provided, (counts) => counts["200"] ?? 0);
    compare("calls that the provider served, that the agents got", served, record.answers("200"));
  }
  // A lost answer may have been a lease. Nothing else explains a lease that no agent saw.
  const unreported = sum(books, (book) => book.unreported);
  if (unseen < 0 || unseen > record.lost) mismatches.push(`leases in the log that no agent got: ${unseen}`);
  if (unreported > record.lost) mismatches.push(`leases without a report: ${unreported}`);
  return {
    wrong: sum(books, (book) => book.inside_block),
    leases: sum(books, (book) => book.leases),
    mismatches,
  };
}

/** Compares what the three records say of one key. */
function compareKey(
  { name, startCount }: PoolKey,
  { usage_count, leases, unreported, unused, outcomes }: Books,
  answers: StatusCounts,
  provided: StatusCounts,
  viaGateway: boolean,
  compare: (what: string, one: number, other: number) => void,
): void {
  compare(`${name}: usage_count since the start, leases in the log`, usage_count - startCount, leases);
  for (const kind of new Set([...Object.keys(provided), ...Object.keys(answers)])) {
    const [of = 0, by = 0] = [provided[kind], answers[kind]];
    // The other answers went to the gateway.
    if (!viaGateway || of < by) compare(`${name}: answers ${kind} by the provider, by the agents`, of, by);
  }
  const [counted, who] = viaGateway ? [provided, "of the provider"] : [answers, "seen by the agents"];
  for (const [outcome, kinds] of OUTCOMES) {
    const logged = outcomes.filter((one) => one === outcome).length;
    const seen = sum(kinds, (kind) => counted[kind] ?? 0);
    compare(`${name}: ${outcome} in the log, ${kinds.join(" or ")} ${who}`, logged, seen);
  }
  const calls = leases - unreported - unused;
  compare(`${name}: leases in the log, calls to the provider`, calls, total(provided));
}

/** Longest wait for the gateway's last reports, in milliseconds. */
const REPORTS_MS = 5_000;

/** The gateway reports after its answer. Waits until no report is missing, or for the longest time; a missing report then counts. */
export async function settle(sql: postgres.Sql, { userId }: Pool): Promise<void> {
  for (const end = performance.now() + REPORTS_MS; performance.now() < end; await sleep(50)) {
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
    select k.id, k.usage_count::int as usage_count,
      count(l.issued_at)::int as leases,
      (count(l.id) filter (where l.reported_at is null))::int as unreported,
      (count(l.id) filter (where lower(l.error_code) like 'cancel%'))::int as unused,
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

function total(counts: StatusCounts): number {
  return sum(Object.values(counts), (count) => count);
}
