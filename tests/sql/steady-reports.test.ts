import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, envelope, makeUser, report } from "../support/keys.ts";
import { makeOneKey } from "../support/one-key.ts";
import { until } from "../support/until.ts";
import { during } from "../support/waits.ts";

/* A report that moves nothing is written without being weighed: it has to say what weighing would have said. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role");
});
afterAll(() => db.drop());

/** Each of these with each other one. Times are seconds from now; the lease was issued 100 s ago. */
const STATES = {
  key_generation: [1, 2],
  is_active: [true, false],
  unusable_reason: [null, "it cannot be opened"],
  consecutive_failures: [0, 2],
  blocked_until: [null, -10, 600],
  rate_blocked_until: [null, -200, -10, 600],
  last_failure_at: [null, -200, -50],
  recent_server_errors: [0, 1],
  remembers: [true, false],
};
const REPORTS = [
  { outcome: "success", rule: "success" },
  { outcome: "rate_limited", rule: "escalate" },
  { outcome: "rate_limited", rule: "escalate", hint: 900 },
  { outcome: "server_error", rule: "tolerate" },
  { outcome: "caller_fault", rule: "ignore" },
];

type Case = Record<keyof typeof STATES, number | boolean | string | null> & {
  key: string;
  twin: string;
  lease: string;
  twin_lease: string;
};

function everyState(): Omit<Case, "key" | "twin" | "lease" | "twin_lease">[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [column, values] of Object.entries(STATES)) {
    all = all.flatMap((each) => values.map((value) => ({ ...each, [column]: value })));
  }
  return all as ReturnType<typeof everyState>;
}

/** Two keys of the same state for each state, each with a lease; without the triggers, which would not let them be. */
async function makeTwins(userId: string): Promise<Case[]> {
  const uuid = () => crypto.randomUUID();
  const cases = everyState().map((state) => ({
    ...state,
    key: uuid(),
    twin: uuid(),
    lease: uuid(),
    twin_lease: uuid(),
  })) as Case[];
  const rows = cases.flatMap(({ key, twin, lease, twin_lease, ...state }) => [
    { ...state, id: key, lease },
    { ...state, id: twin, lease: twin_lease },
  ]);
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temp table made on commit drop as select * from jsonb_to_recordset(${tx.json(rows as never)}) as (
      id uuid, lease uuid, key_generation int, is_active boolean, unusable_reason text, consecutive_failures int,
      blocked_until int, rate_blocked_until int, last_failure_at int, recent_server_errors int, remembers boolean)`;
    await tx`insert into user_api_keys (id, user_id, key_name, api_key_encrypted, generation, is_active, unusable_reason)
      select id, ${userId}, id::text, ${envelope()}, key_generation, is_active, unusable_reason from made`;
    await tx`insert into api_key_health (user_api_key_id, consecutive_failures, blocked_until, rate_blocked_until, last_failure_at,
        recent_server_errors, settled_generation)
      select id, consecutive_failures, now() + make_interval(secs => blocked_until),
        now() + make_interval(secs => rate_blocked_until), now() + make_interval(secs => last_failure_at),
        case recent_server_errors when 0 then '{}' else array[now() - interval '5 s'] end,
        case when remembers and is_active and unusable_reason is null then key_generation end
      from made`;
    await tx`insert into api_key_usage_log (id, user_api_key_id, user_id, key_generation, issued_at)
      select lease, id, ${userId}, 1, now() - interval '100 s' from made`;
  });
  return cases;
}

/** What was answered and what stands in both rows, but for ids, and times to the second before or after the present. */
const outcomeOf = (answers: Map<string, object>, keys: string[]) => db.sql`
  select jsonb_build_object(
    'health', to_jsonb(h) - array['user_api_key_id', 'reason_log_id', 'blocked_until', 'rate_blocked_until', 'reason_since',
      'last_failure_at', 'last_reported_at', 'recent_server_errors'],
    'explained', h.reason_log_id = l.id,
    'heard_at', h.last_reported_at = l.reported_at,
    'until', h.blocked_until = l.blocked_until,
    'log', to_jsonb(l) - array['id', 'user_api_key_id', 'issued_at', 'reported_at', 'blocked_until'],
    'is_active', k.is_active,
    'cools', k.cooling_until = h.blocked_until,
    'seconds', (
      select jsonb_object_agg(of.name, round(extract(epoch from of.at - now()) / 10))
      from (values ('block', h.blocked_until), ('rate', h.rate_blocked_until), ('since', h.reason_since),
        ('failure', h.last_failure_at), ('heard', h.last_reported_at), ('log', l.blocked_until),
        ('error', h.recent_server_errors[1]), ('errors', h.recent_server_errors[2])) of (name, at)
    ),
    'answer', a.value - array['key_id', 'blocked_until']
  ) as found
  from jsonb_array_elements(${db.sql.json(keys.map((key) => ({ key, answer: answers.get(key) })) as never)}) with ordinality e (row, place)
  cross join lateral (select (e.row ->> 'key')::uuid as key, e.row -> 'answer' as value, e.place) a
  join user_api_keys k on k.id = a.key
  join api_key_health h on h.user_api_key_id = k.id
  join api_key_usage_log l on l.user_api_key_id = k.id
  order by a.place`;

test.each(REPORTS)("what is written unweighed is what weighing says: $rule, hint $hint", async (what) => {
  const userId = await makeUser(db.sql);
  const cases = await makeTwins(userId);
  expect(cases.length).toBe(2304);
  const answers = new Map<string, object>();
  const values = {
    base: what.rule === "success" || what.rule === "ignore" ? null : 30,
    hint: what.hint ?? null,
  };
  const tell = async (name: "report_api_key" | "apply_report", rows: [key: string, lease: string][]) => {
    // The same arguments, but that the one looks the lease up and the other is told of it.
    const told = await service`
      select t.key, ${
        name === "report_api_key"
          ? service`public.report_api_key(user_id => ${userId}, lease_id => t.lease,`
          : service`private.apply_report(user_id => ${userId}, agent_id => null, lease_id => t.lease, lease_generation => 1,
            issued => (select l.issued_at from public.api_key_usage_log l where l.id = t.lease), key_id => t.key,
            has_touched => false, may_hold_health => false,`
      } outcome => ${what.outcome}, rule => ${what.rule}, error_code => '429', base_seconds => ${values.base},
        cap_seconds => 900, jitter => 0, hint_seconds => ${values.hint}, hint_at => null, hint_cap_seconds => 86400,
        error_threshold => 2, window_seconds => 60, reset_after_seconds => 86400, hint_given => false, breaker_most => 2,
        breaker_window_seconds => 60, breaker_quiet_seconds => 300) as answer
      from jsonb_to_recordset(${service.json(rows.map(([key, lease]) => ({ key, lease })))}) t (key uuid, lease uuid)`;
    for (const { key, answer } of told) answers.set(key, answer);
  };
  await tell(
    "report_api_key",
    cases.map(({ key, lease }) => [key, lease]),
  );
  await tell(
    "apply_report",
    cases.map(({ twin, twin_lease }) => [twin, twin_lease]),
  );
  const compared = (of: "key" | "twin") =>
    outcomeOf(
      answers,
      cases.map((each) => each[of]),
    );
  const [ours, theirs] = await Promise.all([compared("key"), compared("twin")]);
  expect(ours).toHaveLength(cases.length);
  for (const [i, row] of ours.entries())
    expect({ of: cases[i], ...row }).toEqual({ of: cases[i], ...theirs[i] });
});

test("a duplicate that comes at the same moment leaves no trace", async () => {
  const { keyId, take, tell, log } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  // Both find the lease open, and wait in the key's queue.
  const answers = await during(
    db.sql,
    (tx) => tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`,
    () => Promise.all([tell({ leaseId }), tell({ leaseId })]),
    () =>
      until(async () => {
        const waiting = await db.sql`
          select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
        return waiting.length === 2;
      }),
  );
  expect(answers.map(({ effect }) => effect).sort()).toEqual(["duplicate", "none"]);
  const [health] = await db.sql`select last_reported_at from api_key_health where user_api_key_id = ${keyId}`;
  expect(health?.last_reported_at).toEqual((await log(leaseId))?.reported_at);
});

test("a duplicate that comes later is told at the first asking", async () => {
  const { userId, take, tell } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  await tell({ leaseId });
  const again = await service`
    select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => '{"outcome": "success", "rule": "success"}')
      ->> 'effect' as effect`;
  expect(again).toEqual([{ effect: "duplicate" }]);
});

test("a report gives way to an operator who holds the health row, instead of waiting as long as one may", async () => {
  const { userId, keyId, take, tell } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  const patient = db.as("service_role");
  await db.sql.begin(async (tx) => {
    await tx`select from api_key_health where user_api_key_id = ${keyId} for no key update`;
    let waits = true;
    // Three reports that wait their whole time would take longer.
    const waiting = patient
      .begin(async (other) => {
        await other`set local lock_timeout = '1500ms'`;
        await other`select from api_key_health where user_api_key_id = ${keyId} for no key update`;
      })
      .catch(() => {})
      .then(() => {
        waits = false;
      });
    await until(async () => {
      const waiters = await db.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiters.length > 0;
    });
    for (let times = 0; times < 3; times += 1) {
      await expect(
        service`select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => '{"outcome": "success", "rule": "success"}')`,
      ).rejects.toMatchObject({ code: "55P03" });
    }
    expect(waits).toBe(true);
    await waiting;
  });
  expect(await tell({ leaseId })).toMatchObject({ effect: "none", state: "available" });
});

test.each([
  { held: true, told: "lock_conflict" },
  { held: false, told: "cooled" },
])("a report that may hold the health row does not wait for the key: $told", async ({ held, told }) => {
  const { userId, keyId, take } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  const answer = await service
    .begin(async (tx) => {
      await tx`select from public.api_key_health where user_api_key_id = ${keyId} for no key update`;
      const [row] = await tx`
        select private.apply_report(user_id => ${userId}, agent_id => null, lease_id => ${leaseId}, lease_generation => 1,
          issued => clock_timestamp(), key_id => ${keyId}, has_touched => false, may_hold_health => ${held},
          outcome => 'rate_limited', rule => 'escalate', error_code => '429', base_seconds => 30, cap_seconds => 900,
          jitter => 0, hint_seconds => null, hint_at => null, hint_cap_seconds => 86400, error_threshold => 2,
          window_seconds => 60, reset_after_seconds => 86400, hint_given => false, breaker_most => 2,
          breaker_window_seconds => 60, breaker_quiet_seconds => 300) ->> 'effect' as effect`;
      return row?.effect;
    })
    .catch((error: Error) => error.message);
  expect(answer).toBe(told);
});

test("a failure of an outage that is moved while it waits to be weighed is undone, and counts the next time", async () => {
  const { userId, keyId, take, tell } = await makeOneKey(db.sql, service);
  const [first, late] = [await take(), await take()];
  await tell({ leaseId: first, code: 429 });
  const answer = await during(
    db.sql,
    (tx) => tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`,
    () => service`
      select private.apply_report(user_id => ${userId}, agent_id => null, lease_id => ${late}, lease_generation => 1,
        issued => (select issued_at from public.api_key_usage_log where id = ${late}), key_id => ${keyId},
        has_touched => false, may_hold_health => false, outcome => 'rate_limited', rule => 'escalate',
        error_code => '429', base_seconds => 30, cap_seconds => 900, jitter => 0, hint_seconds => null,
        hint_at => null, hint_cap_seconds => 86400, error_threshold => 2, window_seconds => 60,
        reset_after_seconds => 86400, hint_given => false, breaker_most => 2,
        breaker_window_seconds => 60, breaker_quiet_seconds => 300) as report_api_key`,
    (tx) =>
      tx`update api_key_health set blocked_until = now() - interval '1 hour' where user_api_key_id = ${keyId}`,
  ).catch((error: Error) => error.message);
  expect(answer).toBe("lock_conflict");
  expect(await tell({ leaseId: late, code: 429 })).toMatchObject({
    effect: "cooled",
    consecutive_failures: 2,
  });
});

test("a caller's own transaction may have written before: its row locks are not taken for the report's", async () => {
  const { userId, take } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  const answer = await service.begin(async (tx) => {
    await tx`update public.user_api_keys set key_name = 'renamed' where user_id = ${userId}`;
    return report(tx as never, userId, { leaseId, code: 429 });
  });
  expect(answer).toMatchObject({ effect: "cooled", state: "cooling_down" });
});

test("a lease with a key that is not its own is refused without waiting in the key's queue", async () => {
  const { userId, keyId, take, ask } = await makeOneKey(db.sql, service);
  const leaseId = await take();
  const other = await addKey(db.sql, userId);
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
    expect(await ask({ leaseId, keyId: other })).toBe("lease_key_mismatch");
  });
});
