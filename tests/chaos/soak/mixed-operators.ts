import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { addKey, envelope } from "../../support/keys.ts";
import { type Callers, pick } from "./mixed-agents.ts";

type Edit = (sql: postgres.Sql, userId: string) => Promise<unknown>;

/** Selects a random key of any user. */
const anyKey = (sql: postgres.Sql) => sql`(select id from public.user_api_keys order by random() limit 1)`;

/** The edits that an operator may make in the dashboard, and their relative frequency. */
const edits: [name: string, weight: number, edit: Edit][] = [
  [
    "reset",
    10,
    (sql) =>
      sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${anyKey(sql)}`,
  ],
  ["reset all", 2, (sql) => sql`update api_key_health set blocked_until = null, consecutive_failures = 0`],
  [
    "block by hand",
    3,
    (sql) =>
      sql`update api_key_health set blocked_until = greatest(blocked_until, now() + interval '0.3 s') where user_api_key_id = ${anyKey(sql)}`,
  ],
  [
    "ciphertext",
    6,
    (sql) => sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${anyKey(sql)}`,
  ],
  ["disable", 4, (sql) => sql`update user_api_keys set is_active = false where id = ${anyKey(sql)}`],
  ["enable all", 10, (sql) => sql`update user_api_keys set is_active = true where not is_active`],
  [
    "priority",
    6,
    (sql) => sql`update user_api_keys set priority = (random() * 2)::int where id = ${anyKey(sql)}`,
  ],
  ["user", 3, (sql, userId) => sql`update user_api_keys set user_id = ${userId} where id = ${anyKey(sql)}`],
  ["add", 4, (sql, userId) => addKey(sql, userId, { priority: Math.floor(Math.random() * 3) })],
  [
    "delete",
    4,
    (sql) =>
      sql`delete from user_api_keys where id = ${anyKey(sql)} and (select count(*) from user_api_keys) > 20`,
  ],
  ["delete health", 2, (sql) => sql`delete from api_key_health where user_api_key_id = ${anyKey(sql)}`],
  ["empty health", 1, (sql) => sql`truncate api_key_health`],
  ["look", 6, (sql) => sql`select * from api_key_states`],
  ["prune", 2, (sql) => sql`select prune_api_key_usage_log()`],
];

const weightedEdits = edits.flatMap(([name, weight, edit]) =>
  Array.from({ length: weight }, () => ({ name, edit })),
);

/** Makes an edit every few milliseconds. An edit that fails is counted with its error, and does not fail the soak. */
export async function operator(
  sql: postgres.Sql,
  shared: Callers,
  done: Record<string, number>,
): Promise<void> {
  while (performance.now() < shared.end) {
    const { name, edit } = pick(weightedEdits);
    try {
      await edit(sql, pick(shared.users));
      done[name] = (done[name] ?? 0) + 1;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const what = `${name}: ${code} ${message}`;
      done[what] = (done[what] ?? 0) + 1;
    }
    await sleep(Math.random() * 40);
  }
}
