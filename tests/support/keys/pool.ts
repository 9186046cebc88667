import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { generateSealPair, sealKey } from "../../../packages/core/src/keys/seal.ts";
import { asAuth } from "../auth.ts";

/** The seal pair of the test file. Each process makes a new pair. */
export const pair = await generateSealPair();

/** Returns a text that looks like a sealed text but cannot be opened. It is for tests of SQL, which never open it. */
export function envelope(kid = pair.kid): string {
  const filler = randomUUID().replaceAll("-", "") + randomUUID().replaceAll("-", "");
  return `hpke.v1.${kid}.${filler.slice(0, 43)}.${filler.slice(0, 40)}`;
}

/** Makes a user in the way that auth does. */
export async function makeUser(sql: postgres.Sql): Promise<string> {
  const id = randomUUID();
  await asAuth(sql)`insert into auth.users (id, email) values (${id}, ${`${id}@example.test`})`;
  return id;
}

export interface KeyOptions {
  name?: string;
  priority?: number;
  provider?: string | null;
  usageCount?: number;
  active?: boolean;
  kid?: string;
  account?: string;
  /** The key to seal, so that a function can open it. */
  plaintext?: string;
}

/** Adds a key as the operator does; returns its id. */
export async function addKey(sql: postgres.Sql, userId: string, options: KeyOptions = {}): Promise<string> {
  const sealed = options.plaintext
    ? await sealKey(pair.sealKey, userId, options.plaintext)
    : envelope(options.kid);
  const [row] = await sql<{ id: string }[]>`
    insert into user_api_keys (user_id, key_name, api_key_encrypted, priority, provider, usage_count, is_active, account)
    values (${userId}, ${options.name ?? "key"}, ${sealed}, ${options.priority ?? 0}, ${options.provider ?? null},
      ${options.usageCount ?? 0}, ${options.active ?? true}, ${options.account ?? null})
    returning id`;
  if (row === undefined) throw new Error("no row came back");
  return row.id;
}

/** Adds an agent to a pool. Returns its id and the hash of its token, with which the functions call the RPCs. */
export async function addAgent(
  sql: postgres.Sql,
  userId: string,
): Promise<{ id: string; tokenHash: string }> {
  const [agent] = await sql<{ id: string; tokenHash: string }[]>`
    with made as (select public.issue_agent_token(${userId}, 'agent') as token)
    select encode(sha256(convert_to(token, 'UTF8')), 'hex') as "tokenHash" from made`;
  const [row] = await sql<
    { id: string }[]
  >`select id from api_key_agents where token_hash = ${agent?.tokenHash ?? ""}`;
  return { id: row?.id ?? "", tokenHash: agent?.tokenHash ?? "" };
}

/** Updates the low-water mark of every tier of a pool, as one lease in 64 does for its own tier. */
export const raiseLowWaterMarks = (sql: postgres.ISql, userId: string) => sql`
  select private.refresh_tier(user_id, priority) from private.api_key_tiers where user_id = ${userId}`;
