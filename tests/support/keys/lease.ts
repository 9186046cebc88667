import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { pair } from "./pool.ts";
import { callWithRetries, isTransaction } from "./retry.ts";

export interface LeasedKey {
  kind: "leased";
  lease_id: string;
  key_id: string;
  leased_at: string;
  generation: number;
  model: string | null;
}
export interface NoKey {
  kind: "none";
  cooling_down: number;
  limited: number;
  disabled: number;
  retry_after: number | null;
  other_providers: string[] | null;
}

/** The answer of lease_api_key when it must be called again. */
export interface Retry {
  kind: "retry";
}

export interface LeaseOptions {
  provider?: string;
  model?: string;
  kids?: string[];
  exclude?: string[];
  releaseLease?: string;
  /** The hash of the calling agent's token; without it the pool's owner calls. */
  tokenHash?: string;
  attempt?: number;
}

/** Calls the RPC of get-active-key once, without retries. */
export async function askOnce(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<LeasedKey | NoKey | Retry> {
  const [row] = await sql<{ answer: LeasedKey | NoKey | Retry }[]>`
    select public.lease_api_key(
      user_id => ${userId}, provider => ${options.provider ?? null}, live_kids => ${options.kids ?? [pair.kid]},
      token_hash => ${options.tokenHash ?? null}, release_lease_id => ${options.releaseLease ?? null}, attempt => ${options.attempt ?? 0},
      exclude => ${options.exclude ?? []}, model => ${options.model ?? null}) as answer`;
  if (row === undefined) throw new Error("no row came back");
  return row.answer;
}

/** Calls the RPC with the retries of get-active-key: while the answer is of kind `retry` or the error is retryable. */
export async function tryLease(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<LeasedKey | NoKey> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const ask = (times: number) => askOnce(sql, userId, { ...options, attempt: attempt + times });
    const answer = await callWithRetries(ask, isTransaction(sql) ? 0 : undefined);
    if (answer.kind !== "retry") return answer;
    await sleep(Math.random() * Math.min(attempt, 20));
  }
  throw new Error("retried too often");
}

/** Leases a key. Throws when the pool has no available key. */
export async function lease(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<LeasedKey> {
  const answer = await tryLease(sql, userId, options);
  if (answer.kind === "none") throw new Error(`no key: ${JSON.stringify(answer)}`);
  return answer;
}

/** Leases `calls` keys with one call of the RPC. Returns the leases, or one answer for all when there is no key. */
export async function leaseMany(
  sql: postgres.ISql,
  userId: string,
  calls: number,
  options: LeaseOptions = {},
): Promise<LeasedKey[] | NoKey> {
  const [row] = await sql<{ answers: LeasedKey[] | NoKey }[]>`
    select public.lease_api_key(
      calls => ${calls}, user_id => ${userId}, provider => ${options.provider ?? null},
      live_kids => ${options.kids ?? [pair.kid]}, model => ${options.model ?? null}) as answers`;
  if (row === undefined) throw new Error("no row came back");
  return row.answers;
}
