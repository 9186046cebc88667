import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { Pool } from "./pool.ts";
import type { RunRecord } from "./record.ts";
import type { AnswerCounts } from "./upstream.ts";

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
  outcomes: Record<string, number> | null;
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
  provider: (name: string) => AnswerCounts,
): Promise<Audit> {
  const books = await readBooks(sql, pool.userId);
  const mismatches: string[] = [];
  const compare = (what: string, one: number, other: number) => {
    if (one !== other) mismatches.push(`${what}: ${one} and ${other}`);
  };
  const viaGateway = record.gateway.attempts > 0;
  let unseen = 0;
  let calls = 0;
  let served = 0;
  for (const { id, name, startCount } of pool.keys) {
    const book = books.find((candidate) => candidate.id === id);
    if (book === undefined) {
      mismatches.push(`${name}: its row is gone`);
      continue;
    }
    const { leases, answers } = record.key(id);
    const provided = provider(name);
    unseen += book.leases - book.unused - leases;
    calls += total(provided);
    served += provided["200"] ?? 0;
    compare(
      `${name}: usage_count since the start, leases in the log`,
      book.usage_count - startCount,
      book.leases,
    );
    for (const kind of new Set([...Object.keys(provided), ...Object.keys(answers)])) {
      // The other answers went to the gateway.
      if (viaGateway && (provided[kind] ?? 0) >= (answers[kind] ?? 0)) continue;
      compare(
        `${name}: answers ${kind} by the provider, by the agents`,
        provided[kind] ?? 0,
        answers[kind] ?? 0,
      );
    }
    for (const [outcome, kinds] of OUTCOMES) {
      const logged = book.outcomes?.[outcome] ?? 0;
      const counted = viaGateway ? provided : answers;
      const seen = kinds.reduce((sum, kind) => sum + (counted[kind] ?? 0), 0);
      const who = viaGateway ? "of the provider" : "seen by the agents";
      compare(`${name}: ${outcome} in the log, ${kinds.join(" or ")} ${who}`, logged, seen);
    }
    compare(
      `${name}: leases in the log, calls to the provider`,
      book.leases - book.unreported - book.unused,
      total(provided),
    );
  }
  if (viaGateway && record.lost === 0) {
    unseen -= record.gateway.attempts;
    compare("calls to the provider, by the agents and the gateway", calls, seenCalls(record, pool));
    compare("calls that the provider served, that the agents got", served, record.answers("200"));
  } else if (viaGateway) unseen = 0;
  // A lost answer may have been a lease. Nothing else explains a lease that no agent saw.
  const unreported = books.reduce((sum, book) => sum + book.unreported, 0);
  if (unseen < 0 || unseen > record.lost) mismatches.push(`leases in the log that no agent got: ${unseen}`);
  if (unreported > record.lost) mismatches.push(`leases without a report: ${unreported}`);
  return {
    wrong: books.reduce((sum, book) => sum + book.inside_block, 0),
    leases: books.reduce((sum, book) => sum + book.leases, 0),
    mismatches,
  };
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
      select id, user_api_key_id, reported_at,
        case when state_after = 'disabled' then 'infinity' else blocked_until end as blocked_until
      from log
      where state_after = 'disabled' or blocked_until is not null
    )
    select k.id, k.usage_count::int as usage_count,
      (select count(*)::int from log l where l.user_api_key_id = k.id and l.issued_at is not null) as leases,
      (select count(*)::int from log l where l.user_api_key_id = k.id and l.reported_at is null) as unreported,
      (
        select count(*)::int from log l where l.user_api_key_id = k.id and lower(l.error_code) like 'cancel%'
      ) as unused,
      (
        select count(*)::int
        from log l
        where l.user_api_key_id = k.id
          and exists (
            select from blocks b
            where b.user_api_key_id = k.id and b.reported_at <= l.issued_at and l.issued_at < b.blocked_until
          )
      ) as inside_block,
      (
        select jsonb_object_agg(o.outcome, o.n)
        from (
          select l.outcome, count(*) as n
          from log l
          where l.user_api_key_id = k.id and l.outcome is not null
          group by l.outcome
        ) o
      ) as outcomes
    from public.user_api_keys k
    where k.user_id = ${userId}`;
}

function total(counts: AnswerCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function seenCalls(record: RunRecord, { keys }: Pool): number {
  return keys.reduce((sum, { id }) => sum + total(record.key(id).answers), record.gateway.attempts);
}
