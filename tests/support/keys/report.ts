import type postgres from "postgres";
import {
  type Outcome,
  readReport,
  readRetryAfter,
  transitionFor,
} from "../../../packages/core/src/keys/index.ts";
import { type LeasedKey, type LeaseOptions, type NoKey, type Retry, tryLease } from "./lease.ts";
import { pair } from "./pool.ts";
import { callWithRetries, isTransaction } from "./retry.ts";

export interface ReportOptions {
  leaseId?: string | undefined;
  keyId?: string | undefined;
  status?: "success" | "fail";
  code?: number | string;
  message?: string;
  retryAfter?: number | string;
  random?: number;
  /** Replaces core's classification of code and message. */
  outcome?: Outcome;
  dead?: boolean;
  /** Replaces the scope of core's classification. */
  scope?: "model" | "key" | "account";
  model?: string;
  sameAnswerAs?: string;
  /** The hash of the calling agent's token; without it the pool's owner calls. */
  tokenHash?: string;
}
export interface Reported {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  consecutive_failures: number;
  outcome: string;
  effect: "cooled" | "disabled" | "recovered" | "none" | "ignored" | "stale" | "duplicate" | "lifted";
  scope: "request" | "model" | "key" | "account" | null;
  model: string | null;
  hint?: "used" | "capped" | "ignored";
}

/**
 * Returns the argument `report` of report_api_key: core's classification of the failure. Members that the test gives replace those of core.
 */
function readingOf(what: ReportOptions): Record<string, unknown> {
  const { scope, model, sameAnswerAs, dead } = what;
  return {
    ...classified(what),
    ...(scope && { scope }),
    ...(model && { model }),
    ...(dead && { dead }),
    ...(sameAnswerAs && { same_answer_as: sameAnswerAs }),
  };
}

function classified(what: ReportOptions): Record<string, unknown> {
  const status = what.status ?? (what.code === undefined && what.outcome === undefined ? "success" : "fail");
  const retryAfter = what.retryAfter ?? null;
  const told = { status, errorCode: what.code ?? null, errorMessage: what.message ?? null, retryAfter };
  const { outcome, dead = false } = what;
  if (outcome === undefined) return { ...readReport(told, what.random ?? 0) };
  const rule = transitionFor({ outcome, disables: dead }, readRetryAfter(retryAfter), what.random ?? 0);
  return { outcome, ...(retryAfter !== null && { hint_given: true }), ...rule };
}

/** Calls the RPC of set-key-state with core's classification, as the function does. */
export async function report(sql: postgres.Sql, userId: string, what: ReportOptions): Promise<Reported> {
  const call = () => reportOnce(sql, userId, what);
  return callWithRetries(call, isTransaction(sql) ? 0 : undefined);
}

async function reportOnce(sql: postgres.Sql, userId: string, what: ReportOptions): Promise<Reported> {
  const [row] = await sql<{ answer: Reported }[]>`
    select public.report_api_key(
      report => ${sql.json(readingOf(what) as postgres.JSONValue)}, user_id => ${userId}, token_hash => ${what.tokenHash ?? null},
      lease_id => ${what.leaseId ?? null}, key_id => ${what.keyId ?? null}) as answer`;
  if (row === undefined) throw new Error("no row came back");
  return row.answer;
}

/** Calls the RPC of get-active-key with a report on an earlier lease. */
export async function reportAndLease(
  sql: postgres.Sql,
  userId: string,
  what: ReportOptions,
  options: LeaseOptions = {},
): Promise<{ reported: Reported; lease: LeasedKey | NoKey }> {
  const told = { lease_id: what.leaseId ?? null, ...readingOf(what) };
  const call = () => sql<{ answer: { reported: Reported; lease: LeasedKey | NoKey | Retry } }[]>`
    select public.report_and_lease(
      report => ${sql.json(told as postgres.JSONValue)}, user_id => ${userId}, provider => ${options.provider ?? null},
      live_kids => ${options.kids ?? [pair.kid]}, exclude => ${options.exclude ?? []},
      model => ${options.model ?? null}) as answer`;
  const [row] = await callWithRetries(call, isTransaction(sql) ? 0 : undefined);
  if (row === undefined) throw new Error("no row came back");
  const { reported, lease: first } = row.answer;
  if (first.kind !== "retry") return { reported, lease: first };
  return { reported, lease: await tryLease(sql, userId, { ...options, attempt: 1 }) };
}

/** Calls the RPC that stores several successes at once, as set-key-state does for successes that arrive at the same time. */
export async function reportMany(
  sql: postgres.ISql,
  userId: string,
  leaseIds: string[],
): Promise<(Reported | Retry)[]> {
  const [row] = await sql<{ answers: (Reported | Retry)[] }[]>`
    select public.report_successes(user_id => ${userId}, lease_ids => ${leaseIds}) as answers`;
  return row?.answers ?? [];
}
