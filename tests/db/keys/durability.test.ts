import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, report } from "../../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

test("no log, no change: when the log row cannot be written, the state change is rolled back", async () => {
  const service = db.as("service_role", 1);
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  const { lease_id: leaseId } = await lease(service, userId);
  const before = await health(db.sql, keyId);
  await db.sql.unsafe(`
    create function public.fail_log() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
    create trigger fail_log before insert or update on public.api_key_usage_log for each row execute function public.fail_log()`);
  for (const code of [429, 403]) {
    await expect(report(service, userId, { leaseId, code })).rejects.toThrow("disk full");
    await expect(report(service, userId, { keyId, code })).rejects.toThrow("disk full");
  }
  await expect(lease(service, userId)).rejects.toThrow("disk full");
  await db.sql`drop function public.fail_log() cascade`;
  expect(await health(db.sql, keyId)).toEqual(before);
  const [row] = await db.sql`select usage_count from user_api_keys where id = ${keyId}`;
  expect(row?.usage_count).toBe("1");
});
