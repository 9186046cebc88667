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
  /** Rows left as they are, for no private key opens them. */
  unopened: { id: string; name: string }[];
  /** Rows that others kept adding or changing; another run is needed. */
  left: number;
}

interface Row {
  id: string;
  user_id: string;
  key_name: string;
  api_key_encrypted: string;
}

/** Walking once misses a row that was added behind the walk, so it goes on until a walk moves nothing; at most: */
const MAX_WALKS = 10;
/** How often a row is tried that others keep changing. */
const MAX_TRIES = 10;

/**
 * Seals every key anew that is not sealed to the newest pair. A row is replaced only if its text is still the one
 * that was opened; one that changed meanwhile is read again. Blocks, generations and leases stand.
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
  // Deleted, or sealed to the newest pair by somebody else; or still changing, which the last count shows.
  return "moved";
}
