import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { type Outcome, readReport, readRetryAfter, ruleFor } from "../../packages/core/src/keys/index.ts";
import { generateSealPair, sealKey } from "../../packages/core/src/keys/seal.ts";

/** One seal pair for a test file's process. */
export const pair = await generateSealPair();

/** A text in sealed form that cannot be opened: for tests of SQL alone. */
export function envelope(kid = pair.kid): string {
  const filler = randomUUID().replaceAll("-", "") + randomUUID().replaceAll("-", "");
  return `hpke.v1.${kid}.${filler.slice(0, 43)}.${filler.slice(0, 40)}`;
}

/** A user, the way auth would have made one. */
export async function makeUser(sql: postgres.Sql): Promise<string> {
  const id = randomUUID();
  await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.test`})`;
  return id;
}

export interface KeyOptions {
  name?: string;
  priority?: number;
  provider?: string | null;
  usageCount?: number;
  active?: boolean;
  kid?: string;
  /** A really sealed key, which a function can open. */
  plaintext?: string;
}

/** Adds a key as the operator does; returns its id. */
export async function addKey(sql: postgres.Sql, userId: string, options: KeyOptions = {}): Promise<string> {
  const sealed = options.plaintext
    ? await sealKey(pair.sealKey, userId, options.plaintext)
    : envelope(options.kid);
  const [row] = await sql<{ id: string }[]>`
    insert into user_api_keys (user_id, key_name, api_key_encrypted, priority, provider, usage_count, is_active)
    values (${userId}, ${options.name ?? "key"}, ${sealed}, ${options.priority ?? 0}, ${options.provider ?? null},
      ${options.usageCount ?? 0}, ${options.active ?? true})
    returning id`;
  if (row === undefined) throw new Error("no row came back");
  return row.id;
}

/** Moves the low-water mark of every tier of a pool, as one lease in 64 does for its own tier. */
export const raiseLowWaterMarks = (sql: postgres.ISql, userId: string) => sql`
  select private.raise_low_water_mark(user_id, priority) from private.api_key_tiers where user_id = ${userId}`;

export interface Lease {
  leased: true;
  lease_id: string;
  key_id: string;
  leased_at: string;
  generation: number;
}
export interface NoKey {
  leased: false;
  retry: boolean;
  cooling_down: number;
  disabled: number;
  retry_after: number | null;
  other_providers: string[] | null;
}

export interface LeaseOptions {
  provider?: string;
  kids?: string[];
  exclude?: string[];
  releaseLease?: string;
  attempt?: number;
}

/** The RPC of get-active-key. */
export async function askOnce(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<Lease | NoKey> {
  const [row] = await sql<{ answer: Lease | NoKey }[]>`
    select public.lease_api_key(
      user_id => ${userId}, provider => ${options.provider ?? null}, live_kids => ${options.kids ?? [pair.kid]},
      release_lease_id => ${options.releaseLease ?? null}, attempt => ${options.attempt ?? 0},
      exclude => ${options.exclude ?? []}) as answer`;
  if (row === undefined) throw new Error("no row came back");
  return row.answer;
}

/** The same with the retries of get-active-key: while the answer says `retry` or the error is retryable. */
export async function tryLease(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<Lease | NoKey> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const ask = (times: number) => askOnce(sql, userId, { ...options, attempt: attempt + times });
    const answer = await insist(ask, isTransaction(sql) ? 0 : undefined);
    if (answer.leased || !answer.retry) return answer;
    await sleep(Math.random() * Math.min(attempt, 20));
  }
  throw new Error("retried too often");
}

/** How many calls of this process were retried so far. */
export const undone = { calls: 0 };

/**
 * Retries as the functions do (retryable errors) and as an agent does (unavailable, because a row stayed locked). Not for ever: a
 * caller that never gets its turn fails.
 */
export async function insist<T>(call: (times: number) => Promise<T>, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (let times = 0; ; times += 1) {
    try {
      return await call(times);
    } catch (error) {
      if (!/^(?:PT503|55P03)$/.test((error as { code?: string }).code ?? "") || Date.now() >= end)
        throw error;
      undone.calls += 1;
    }
    await sleep(Math.random() * Math.min(times, 20));
  }
}

/** Whether it is a transaction, in which nothing can be retried. */
const isTransaction = (sql: postgres.Sql) => "savepoint" in sql;

/** The same, when a key must be leased. */
export async function lease(sql: postgres.Sql, userId: string, options: LeaseOptions = {}): Promise<Lease> {
  const answer = await tryLease(sql, userId, options);
  if (!answer.leased) throw new Error(`no key: ${JSON.stringify(answer)}`);
  return answer;
}

/** The same for so many calls at once: the answers, or one for all of them. */
export async function leaseMany(
  sql: postgres.ISql,
  userId: string,
  calls: number,
  options: LeaseOptions = {},
): Promise<Lease[] | NoKey> {
  const [row] = await sql<{ answers: Lease[] | NoKey }[]>`
    select public.lease_api_key(
      calls => ${calls}, user_id => ${userId}, provider => ${options.provider ?? null},
      live_kids => ${options.kids ?? [pair.kid]}) as answers`;
  if (row === undefined) throw new Error("no row came back");
  return row.answers;
}

export interface Report {
  leaseId?: string | undefined;
  keyId?: string | undefined;
  status?: "success" | "fail";
  code?: number | string;
  message?: string;
  retryAfter?: number | string;
  random?: number;
  /** The provider of the key, where it decides how the answer is read. */
  provider?: string;
  /** Instead of core's classification of code and message. */
  outcome?: Outcome;
  dead?: boolean;
}
export interface Reported {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  consecutive_failures: number;
  outcome: string;
  effect: "cooled" | "disabled" | "recovered" | "none" | "ignored" | "stale" | "duplicate";
  hint?: "used" | "capped" | "ignored";
}

/** A report as core classifies it. */
function readingOf(what: Report): Record<string, unknown> {
  const status = what.status ?? (what.code === undefined && what.outcome === undefined ? "success" : "fail");
  const retryAfter = what.retryAfter ?? null;
  const told = { status, errorCode: what.code ?? null, errorMessage: what.message ?? null, retryAfter };
  const { outcome, dead = false } = what;
  if (outcome === undefined) return { ...readReport(told, what.random ?? 0, what.provider ?? null).report };
  const rule = ruleFor({ outcome, dead }, readRetryAfter(retryAfter), what.random ?? 0);
  return { outcome, ...(retryAfter !== null && { hint_given: true }), ...rule };
}

/** The RPC of set-key-state, with what core decides, as the function calls it. */
export async function report(sql: postgres.Sql, userId: string, what: Report): Promise<Reported> {
  const call = () => reportOnce(sql, userId, what);
  return insist(call, isTransaction(sql) ? 0 : undefined);
}

async function reportOnce(sql: postgres.Sql, userId: string, what: Report): Promise<Reported> {
  const [row] = await sql<{ answer: Reported }[]>`
    select public.report_api_key(
      report => ${sql.json(readingOf(what) as postgres.JSONValue)}, user_id => ${userId},
      lease_id => ${what.leaseId ?? null}, key_id => ${what.keyId ?? null}) as answer`;
  if (row === undefined) throw new Error("no row came back");
  return row.answer;
}

/** The RPC of get-active-key with a report on an earlier lease. */
export async function reportAndLease(
  sql: postgres.Sql,
  userId: string,
  what: Report,
  options: LeaseOptions = {},
): Promise<{ reported: Reported; lease: Lease | NoKey }> {
  const told = { lease_id: what.leaseId ?? null, ...readingOf(what) };
  const call = () => sql<{ answer: { reported: Reported; lease: Lease | NoKey } }[]>`
    select public.report_and_lease(
      report => ${sql.json(told as postgres.JSONValue)}, user_id => ${userId}, provider => ${options.provider ?? null},
      live_kids => ${options.kids ?? [pair.kid]}, exclude => ${options.exclude ?? []}) as answer`;
  const [row] = await insist(call, isTransaction(sql) ? 0 : undefined);
  if (row === undefined) throw new Error("no row came back");
  const { reported, lease: first } = row.answer;
  if (first.leased || !first.retry) return row.answer;
  return { reported, lease: await tryLease(sql, userId, { ...options, attempt: 1 }) };
}

/** The RPC of set-key-state for successes that come at the same time. */
export async function reportMany(
  sql: postgres.ISql,
  userId: string,
  leaseIds: string[],
): Promise<(Reported | { retry: true })[]> {
  const [row] = await sql<{ answers: (Reported | { retry: true })[] }[]>`
    select public.report_successes(user_id => ${userId}, lease_ids => ${leaseIds}) as answers`;
  return row?.answers ?? [];
}

export interface Health {
  blocked_until: Date | null;
  consecutive_failures: number;
  reason: string | null;
  last_outcome: string | null;
  last_effect: string | null;
  /** Seconds from the failure that is recorded to the end of the block, whatever the time is now. */
  length: number | null;
  is_active: boolean;
  generation: number;
  state: string;
}

/** A key's whole state, as an operator sees it. */
export async function health(sql: postgres.Sql, keyId: string): Promise<Health> {
  const [row] = await sql<Health[]>`
    select h.blocked_until, h.consecutive_failures, h.reason, h.last_outcome, h.last_effect,
      extract(epoch from h.blocked_until - h.last_failure_at)::float8 as length,
      k.is_active, k.generation, s.state
    from api_key_health h
    join user_api_keys k on k.id = h.user_api_key_id
    join api_key_states s on s.user_api_key_id = k.id
    where k.id = ${keyId}`;
  if (row === undefined) throw new Error("no health row");
  return row;
}

/** The whole seconds that are left of a key's block by the database's clock, as callers are told; at least 1. */
export async function secondsLeft(sql: postgres.Sql, keyId: string): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(1, ceil(extract(epoch from blocked_until - clock_timestamp())))::int as seconds
    from api_key_health where user_api_key_id = ${keyId}`;
  return row?.seconds ?? 0;
}

/** Lets time pass for one key: every timestamp of its health and leases becomes so much earlier. */
export async function passTime(sql: postgres.Sql, keyId: string, seconds: number): Promise<void> {
  await shiftTime(sql, [keyId], seconds);
}

/** The same for every key of a pool. */
export async function passPoolTime(sql: postgres.Sql, userId: string, seconds: number): Promise<void> {
  const rows = await sql<{ id: string }[]>`select id from user_api_keys where user_id = ${userId}`;
  await shiftTime(
    sql,
    rows.map(({ id }) => id),
    seconds,
  );
}

async function shiftTime(sql: postgres.Sql, keyIds: string[], seconds: number): Promise<void> {
  await sql.begin(async (tx) => {
    // Without triggers: this is no edit, only the clock moved.
    await tx`set local session_replication_role = replica`;
    const back = tx`make_interval(secs => ${seconds})`;
    await tx`
      update api_key_health
      set blocked_until = blocked_until - ${back}, rate_blocked_until = rate_blocked_until - ${back},
        reason_since = reason_since - ${back}, last_failure_at = last_failure_at - ${back},
        last_reported_at = last_reported_at - ${back},
        recent_server_errors = array(select e - ${back} from unnest(recent_server_errors) e)
      where user_api_key_id = any(${keyIds})`;
    await tx`update user_api_keys set cooling_until = cooling_until - ${back} where id = any(${keyIds})`;
    await tx`
      update private.api_key_tiers t set next_expiry_check_at = next_expiry_check_at - ${back}
      where t.user_id in (select k.user_id from user_api_keys k where k.id = any(${keyIds}))`;
    await tx`
      update api_key_usage_log
      set issued_at = issued_at - ${back}, reported_at = reported_at - ${back}, blocked_until = blocked_until - ${back}
      where user_api_key_id = any(${keyIds})`;
  });
}
