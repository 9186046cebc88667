import type { Keyring } from "@keyhub/core/seal";
import type postgres from "postgres";
import type { Sealer } from "./seal-key.ts";

export interface ResealOptions {
  /** Private keys, old and new. */
  keyring: Keyring;
  /** The newest pair. */
  sealer: Sealer;
  /** Rows read at a time. */
  batch?: number;
}

export interface ResealResult {
  resealed: number;
  already: number;
  /** Rows that no private key opens; they are left unchanged. */
  unopened: { id: string; name: string }[];
  /** Rows that others kept adding or changing during the run; run it again. */
  left: number;
}

interface Row {
  id: string;
  user_id: string;
  key_name: string;
  api_key_encrypted: string;
}

/** A pass over the table misses rows that are added behind it, so passes repeat until one changes nothing. At most: */
const MAX_WALKS = 10;
/** How often a row is tried that others keep changing. */
const MAX_TRIES = 10;

/**
 * Reseals every key that is not sealed to the newest pair. A row is updated only while it still holds the text that was opened;
 * a row that changed meanwhile is read again. Cooldowns, generations and leases stay as they are.
 */
export async function resealKeys(sql: postgres.Sql, options: ResealOptions): Promise<ResealResult> {
  const before = await countRows(sql, options.sealer.kid);
  let resealed = 0;
  for (let walks = 1; ; walks += 1) {
    const walk = await walkOnce(sql, options);
    resealed += walk.resealed;
    if (walk.resealed > 0 && walks < MAX_WALKS) continue;
    const { older } = await countRows(sql, options.sealer.kid);
    const left = Math.max(0, older - walk.unopened.length);
    return { resealed, already: before.newest, unopened: walk.unopened, left };
  }
}

async function countRows(sql: postgres.Sql, newest: string): Promise<{ newest: number; older: number }> {
  const [counts] = await sql<{ newest: number; older: number }[]>`
    select count(*) filter (where sealed_kid = ${newest})::int as newest,
      count(*) filter (where sealed_kid <> ${newest})::int as older
    from public.user_api_keys`;
  return counts ?? { newest: 0, older: 0 };
}

async function walkOnce(
  sql: postgres.Sql,
  options: ResealOptions,
): Promise<Pick<ResealResult, "resealed" | "unopened">> {
  const unopened: ResealResult["unopened"] = [];
  let resealed = 0;
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const rows = await sql<Row[]>`
      select id, user_id, key_name, api_key_encrypted
      from public.user_api_keys
      where id > ${after} and sealed_kid <> ${options.sealer.kid}
      order by id
      limit ${options.batch ?? 100}`;
    for (const row of rows) {
      const outcome = await resealRow(sql, row, options);
      if (outcome === "resealed") resealed += 1;
      if (outcome === "unopened") unopened.push({ id: row.id, name: row.key_name });
      after = row.id;
    }
    if (rows.length === 0) return { resealed, unopened };
  }
}

async function resealRow(
  sql: postgres.Sql,
  row: Row,
  { keyring, sealer }: ResealOptions,
): Promise<"resealed" | "unopened" | "moved"> {
  let now: Row | undefined = row;
  for (let tries = 0; now !== undefined && tries < MAX_TRIES; tries += 1) {
    const key = await keyring.open(now.api_key_encrypted, now.user_id);
    if (key !== null) {
      const resealed = await sealer.seal(now.user_id, key);
      const [answer] = await sql<{ replaced: boolean }[]>`
        select public.reseal_api_key(${now.id}, ${now.api_key_encrypted}, ${resealed}) as replaced`;
      if (answer?.replaced) return "resealed";
    }
    const before: Row = now;
    [now] = await sql<Row[]>`
      select id, user_id, key_name, api_key_encrypted
      from public.user_api_keys
      where id = ${row.id} and sealed_kid <> ${sealer.kid}`;
    if (
      key === null &&
      now?.api_key_encrypted === before.api_key_encrypted &&
      now.user_id === before.user_id
    ) {
      return "unopened";
    }
  }
  // Deleted, or resealed by somebody else; or still changing: then the final count shows it.
  return "moved";
}
