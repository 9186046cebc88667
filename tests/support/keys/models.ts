import type postgres from "postgres";
import { expect } from "vitest";
import { lease } from "./lease.ts";
import { report } from "./report.ts";

/** Leases this key for a model and reports a limit of `retryAfter` seconds. The lease and the report are separate statements. */
export async function limitModel(
  sql: postgres.Sql,
  userId: string,
  keyId: string,
  model = "pro",
  retryAfter = 60,
) {
  const others = await sql`select id from user_api_keys where user_id = ${userId} and id <> ${keyId}`;
  const leased = await lease(sql, userId, { model, exclude: others.map(({ id }) => id) });
  expect(leased.key_id).toBe(keyId);
  return report(sql, userId, { leaseId: leased.lease_id, code: 429, retryAfter });
}

/** Blocks a model as an operator does; with null it resets the model. */
export const blockModel = (sql: postgres.ISql, keyId: string, seconds: number | null, model = "pro") => sql`
  insert into api_key_model_health (user_api_key_id, model, blocked_until)
  values (${keyId}, ${model}, clock_timestamp() + make_interval(secs => ${seconds}))
  on conflict on constraint api_key_model_health_pkey do update set blocked_until = excluded.blocked_until`;
