import type postgres from "postgres";

export interface Health {
  blocked_until: Date | null;
  consecutive_failures: number;
  reason: string | null;
  last_outcome: string | null;
  last_effect: string | null;
  /** The seconds from the last failure to the end of the block. They do not depend on the present time. */
  length: number | null;
  is_active: boolean;
  generation: number;
  state: string;
}

/** Returns a key's health and state, as an operator sees them. */
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

/** Returns the seconds until a key's block ends, in the form of `retry_after`: rounded up, at least 1, by the database's clock. */
export async function secondsLeft(sql: postgres.Sql, keyId: string): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(1, ceil(extract(epoch from blocked_until - clock_timestamp())))::int as seconds
    from api_key_health where user_api_key_id = ${keyId}`;
  return row?.seconds ?? 0;
}

/** Returns the lengths of consecutive blocks in seconds: the base, then its doubles below the cap, then the cap twice. */
export function backoff({ base, cap }: { base: number; cap: number }): number[] {
  const below = Math.ceil(Math.log2(cap / base));
  return [...Array.from({ length: below }, (_, step) => base * 2 ** step), cap, cap];
}
