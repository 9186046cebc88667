import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres } from "../../../packages/local/src/index.ts";
import { copyDataFolder } from "../../support/data-folder.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, type Reported, report } from "../../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

test("no log, no change: when the log row cannot be written, the state change is rolled back", async () => {
  const service = db.as("service_role");
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

test("kill -9 of Postgres under load: every report that was answered is there, with its effect", async () => {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-crash-"));
  await chmod(folder, 0o755);
  const data = join(folder, "data");
  // The copied folder has a Postgres with the migrations. This test starts it with fsync, as `npm start` does.
  await copyDataFolder(data);
  const options = { dataDir: join(data, "postgres"), port: 0 };
  let server = await startPostgres(options);
  try {
    const operator = postgres(server.url, { max: 1, onnotice: () => {} });
    const userId = await makeUser(operator);
    for (let i = 0; i < 8; i += 1) await addKey(operator, userId, { priority: i % 2 });
    await operator.end();

    const service = postgres(server.url, {
      max: 16,
      onnotice: () => {},
      connection: { role: "service_role" },
    });
    const answered = new Map<string, Reported>();
    let stop = false;
    const callers = Array.from({ length: 16 }, async () => {
      while (!stop) {
        try {
          const { lease_id: leaseId } = await lease(service, userId);
          answered.set(
            leaseId,
            await report(service, userId, { leaseId, ...(Math.random() < 0.05 && { code: 500 }) }),
          );
        } catch {
          // The kill interrupted this call before its answer, so its report need not be stored.
        }
      }
    });
    while (answered.size < 200) await sleep(10);
    process.kill(server.pid, "SIGKILL");
    stop = true;
    await Promise.race([Promise.all(callers), sleep(3_000)]);
    await service.end({ timeout: 1 });
    const promised = [...answered];

    server = await startPostgres(options);
    const after = postgres(server.url, { max: 1, onnotice: () => {} });
    const rows =
      await after`select id, outcome, effect, consecutive_failures from api_key_usage_log where reported_at is not null`;
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const [leaseId, answer] of promised) {
      expect(stored.get(leaseId)).toMatchObject({ outcome: answer.outcome, effect: answer.effect });
    }
    const torn = await after`
      select k.id from user_api_keys k join api_key_health h on h.user_api_key_id = k.id
      where (k.cooling_until is distinct from h.blocked_until and k.cooling_until is not null)
        or k.usage_count <> (select count(*) from api_key_usage_log l where l.user_api_key_id = k.id and l.issued_at is not null)`;
    expect(torn).toHaveLength(0);
    await after.end();
  } finally {
    await server.stop().catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
});
