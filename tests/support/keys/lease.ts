import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { pair } from "./pool.ts";
import { callWithRetries, isTransaction } from "./retry.ts";

export interface LeasedKey {
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
): Promise<LeasedKey | NoKey> {
  const [row] = await sql<{ answer: LeasedKey | NoKey }[]>`
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
): Promise<LeasedKey | NoKey> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const ask = (times: number) => askOnce(sql, userId, { ...options, attempt: attempt + times });
    const answer = await callWithRetries(ask, isTransaction(sql) ? 0 : undefined);
    if (answer.leased || !answer.retry) return answer;
    await sleep(Math.random() * Math.min(attempt, 20));
  }
  throw new Error("retried too often");
}

/** The same, when a key must be leased. */
export async function lease(
  sql: postgres.Sql,
  userId: string,
  options: LeaseOptions = {},
): Promise<LeasedKey> {
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
): Promise<LeasedKey[] | NoKey> {
  const [row] = await sql<{ answers: LeasedKey[] | NoKey }[]>`
    select public.lease_api_key(
      calls => ${calls}, user_id => ${userId}, provider => ${options.provider ?? null},
      live_kids => ${options.kids ?? [pair.kid]}) as answers`;
  if (row === undefined) throw new Error("no row came back");
  return row.answers;
}
