import type { Sealer } from "@keyhub/cli/source";
import type { Keyring } from "@keyhub/core/seal";
import type postgres from "postgres";

interface ResealOptions {
  /** Private keys, old and new. */
  keyring: Keyring;
  /** Seals with the newest pair. */
  sealer: Sealer;
  /** The number of rows that are read at a time. */
  batch?: number;
}

type Named = Pick<Row, "id" | "key_name">;

interface Row {
  id: string;
  user_id: string;
  key_name: string;
  api_key_encrypted: string;
  sealed_kid: string;
}

/**
 * The largest number of passes over the table. A pass misses rows that others add or change meanwhile, so passes repeat until one changes
 * nothing.
 */
const MAX_WALKS = 10;

/**
 * Reseals every key that is not sealed to the newest pair or has no fingerprint. A row is updated only while it still contains the sealed
 * text that was opened. If somebody has changed the row meanwhile, the next pass reads it again. Cooldowns, generations and leases stay as
 * they are.
 * Returns numbers of rows: `resealed` by this run, `already` sealed to the newest pair before, and `left` to reseal because others added or
 * changed them during the run (run it again). `unopened` lists the rows that no private key opens; they are unchanged. `twice` lists the
 * rows whose key is in their pool a second time; they are sealed to the newest pair, but without a fingerprint.
 */
export async function resealKeys(sql: postgres.Sql, options: ResealOptions) {
  const already = await countRows(sql, sql`not (${todoOf(sql, options)})`);
  let resealed = 0;
  for (let walks = 1; ; walks += 1) {
    const walk = await walkOnce(sql, options);
    resealed += walk.resealed;
    if (walk.resealed + walk.changed > 0 && walks < MAX_WALKS) continue;
    const { unopened, twice } = walk;
    const left = Math.max(0, (await countRows(sql, todoOf(sql, options))) - unopened.length - twice.length);
    return { resealed, already, unopened, twice, left };
  }
}

/** Returns the SQL condition of the rows to reseal: rows of another pair, and rows without a fingerprint whose pair is in the keyring. */
function todoOf(
  sql: postgres.Sql,
  { sealer, keyring }: ResealOptions,
): postgres.PendingQuery<postgres.Row[]> {
  return sql`(sealed_kid <> ${sealer.kid} or (fingerprint is null and sealed_kid = any (${keyring.kids})))`;
}

async function countRows(sql: postgres.Sql, which: postgres.PendingQuery<postgres.Row[]>): Promise<number> {
  const [counted] = await sql<{ n: number }[]>`
    select count(*)::int as n from public.user_api_keys where ${which}`;
  return counted?.n ?? 0;
}

async function walkOnce(sql: postgres.Sql, options: ResealOptions) {
  const walk = { resealed: 0, changed: 0, unopened: [] as Named[], twice: [] as Named[] };
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const rows = await sql<Row[]>`
      select id, user_id, key_name, api_key_encrypted, sealed_kid
      from public.user_api_keys
      where id > ${after} and ${todoOf(sql, options)}
      order by id
      limit ${options.batch ?? 100}`;
    for (const row of rows) {
      await resealRow(sql, row, options, walk);
      after = row.id;
    }
    if (rows.length === 0) return walk;
  }
}

async function resealRow(
  sql: postgres.Sql,
  row: Row,
  { keyring, sealer }: ResealOptions,
  walk: Awaited<ReturnType<typeof walkOnce>>,
): Promise<void> {
  const key = await keyring.open(row.api_key_encrypted, row.user_id);
  if (key === null) {
    walk.unopened.push(row);
    return;
  }
  const resealed = await sealer.seal(row.user_id, key);
  let answer = await replace(sql, row, resealed);
  if (answer === "duplicate") {
    walk.twice.push(row);
    if (row.sealed_kid === sealer.kid) return;
    // The unique index refuses only the fingerprint, so store the text without it.
    const [bare = ""] = resealed.split("#");
    answer = await replace(sql, row, bare);
  }
  if (answer === "replaced") walk.resealed += 1;
  else walk.changed += 1;
}

async function replace(
  sql: postgres.Sql,
  row: Row,
  text: string,
): Promise<"replaced" | "changed" | "duplicate"> {
  try {
    const [answer] = await sql<{ replaced: boolean }[]>`
      select public.reseal_api_key(${row.id}, ${row.api_key_encrypted}, ${text}) as replaced`;
    return answer?.replaced ? "replaced" : "changed";
  } catch (error) {
    const { code, detail, constraint_name } = error as Partial<postgres.PostgresError>;
    const isDuplicate =
      (code === "PT422" && detail?.includes("duplicate_key")) ||
      constraint_name === "user_api_keys_fingerprint_key";
    if (isDuplicate) return "duplicate";
    throw error;
  }
}
