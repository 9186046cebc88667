import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { envelope, makeUser } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/* Tests that every report, in every form, changes its key as private.next_state says for the key's state before the report. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 1);
});
afterAll(() => db.drop());

/** The long form tests every combination of these values. Times are seconds from now. The lease was issued 100 s ago. */
const STATES = {
  generation: [1, 2],
  is_active: [true, false],
  unusable_reason: [null, "it cannot be opened"],
  consecutive_failures: [0, 2],
  blocked_until: [null, -10, 600],
  rate_blocked_until: [null, -200, -10, 600],
  last_failure_at: [null, -200, -50],
  recent_server_errors: [0, 1],
};
const NUMBERS = {
  error_code: "429",
  base_seconds: 30,
  cap_seconds: 900,
  jitter: 0,
  hint_cap_seconds: 86_400,
  error_threshold: 1,
  window_seconds: 60,
  reset_after_seconds: 100,
};
const REPORTS = [
  { outcome: "success", rule: "success" },
  { outcome: "success", rule: "success", hint_given: true },
  { outcome: "rate_limited", rule: "escalate" },
  { outcome: "rate_limited", rule: "escalate", hint_seconds: 900 },
  { outcome: "rate_limited", rule: "escalate", hint_seconds: 100_000 },
  { outcome: "server_error", rule: "tolerate" },
  { outcome: "refused", rule: "cool" },
  { outcome: "invalid_key", rule: "disable" },
  { outcome: "caller_fault", rule: "ignore" },
];

/** Returns the scope of a report that does not name one. */
const scopeOf = ({ outcome, rule }: (typeof REPORTS)[number]) =>
  outcome === "caller_fault" ? "request" : ["success", "tolerate"].includes(rule) ? null : "key";

/** The normal form tests one of seven states. No column has seven values, so every value occurs, also beside every value of another column. */
const STEP = LONG_TESTS ? 1 : 7;

/** Returns each STEP-th combination, beginning with the one at `first`. */
function someStates(first: number): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [column, values] of Object.entries(STATES)) {
    all = all.flatMap((each) => values.map((value) => ({ ...each, [column]: value })));
  }
  expect(all).toHaveLength(1152);
  return all.filter((_, place) => place % STEP === first % STEP);
}

/**
 * Makes a key with a lease for each state, with the triggers off, because they would refuse such keys. Also makes a table of the states.
 */
async function makeCases(userId: string, first: number): Promise<number> {
  const states = someStates(first).map((state) => ({
    ...state,
    id: crypto.randomUUID(),
    lease: crypto.randomUUID(),
  }));
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temp table made on commit drop as select * from jsonb_to_recordset(${tx.json(states as never)}) as (
      id uuid, lease uuid, generation int, is_active boolean, unusable_reason text, consecutive_failures int,
      blocked_until int, rate_blocked_until int, last_failure_at int, recent_server_errors int)`;
    await tx`insert into user_api_keys (id, user_id, key_name, api_key_encrypted, generation, is_active, unusable_reason, cooling_until)
      select id, ${userId}, id::text, ${envelope()}, generation, is_active, unusable_reason, now() + make_interval(secs => blocked_until)
      from made`;
    await tx`insert into api_key_health (user_api_key_id, consecutive_failures, blocked_until, rate_blocked_until, last_failure_at,
        recent_server_errors, reason, reason_code, reason_since)
      select id, consecutive_failures, now() + make_interval(secs => blocked_until),
        now() + make_interval(secs => rate_blocked_until), now() + make_interval(secs => last_failure_at),
        case recent_server_errors when 0 then '{}' else array[now() - interval '5 s'] end,
        case when blocked_until > 0 then 'refused' end, '403', now() - interval '60 s'
      from made`;
    await tx`insert into api_key_usage_log (id, user_api_key_id, user_id, key_generation, issued_at)
      select lease, id, ${userId}, 1, now() - interval '100 s' from made`;
    await tx`drop table if exists public.cases`;
    await tx`create table public.cases as
      select k.id as key, m.lease, row(
        k.is_active, k.unusable_reason is null, k.generation, h.blocked_until, h.rate_blocked_until, h.consecutive_failures,
        h.last_failure_at, h.recent_server_errors, h.reason, h.reason_code, h.reason_since, null, null, null, null
      )::private.key_state as state
      from made m join user_api_keys k using (id) join api_key_health h on h.user_api_key_id = k.id`;
  });
  await db.sql`grant select on public.cases to service_role`;
  return states.length;
}

test.each(REPORTS)("what is written is the next state: $rule, hint $hint_seconds", async (what) => {
  const userId = await makeUser(db.sql);
  const count = await makeCases(userId, REPORTS.indexOf(what));
  const report = service.json({ ...NUMBERS, ...what } as postgres.JSONValue);
  const answers = await service`
    select c.key, public.report_api_key(report => ${report}, user_id => ${userId}, lease_id => c.lease) as answer
    from public.cases c`;
  expect(answers).toHaveLength(count);
  const rows = await db.sql`
    select
      to_jsonb(c.state) as state,
      jsonb_build_object(
        'answer', a.answer,
        'health', to_jsonb(h) - array['user_api_key_id', 'reason_log_id'],
        'explained', h.reason_log_id = l.id,
        'log', to_jsonb(l) - array['id', 'user_id', 'agent_id', 'issued_at', 'key_generation'],
        'is_active', k.is_active,
        'cooling_until', k.cooling_until
      ) as found,
      jsonb_build_object(
        'answer', jsonb_build_object(
          'key_id', k.id, 'state', n.state_after, 'blocked_until', n.until, 'consecutive_failures', n.consecutive_failures,
          'outcome', told.outcome, 'effect', n.effect,
          'scope', ${scopeOf(what)}::text, 'model', null
        ) || case when n.hint is null then '{}' else jsonb_build_object('hint', n.hint) end,
        'health', jsonb_build_object(
          'blocked_until', n.blocked_until, 'rate_blocked_until', n.rate_blocked_until,
          'consecutive_failures', n.consecutive_failures, 'last_failure_at', n.last_failure_at,
          'recent_server_errors', n.recent_server_errors, 'reason', n.reason, 'reason_code', n.reason_code,
          'reason_since', n.reason_since, 'last_reported_at', l.reported_at, 'last_outcome', told.outcome,
          'last_error_code', told.error_code, 'last_effect', n.effect
        ),
        'explained', case when n.effect in ('cooled', 'disabled') then true end,
        'log', jsonb_build_object(
          'user_api_key_id', k.id, 'reported_at', l.reported_at, 'outcome', told.outcome, 'error_code', told.error_code,
          'effect', n.effect, 'state_before', n.state_before, 'state_after', n.state_after, 'blocked_until', n.until,
          'consecutive_failures', n.consecutive_failures, 'hint', n.hint, 'dead', null, 'model', null,
          'scope', ${scopeOf(what)}::text
        ),
        'is_active', n.is_active,
        'cooling_until', n.blocked_until
      ) as wanted
    from public.cases c
    join jsonb_to_recordset(${db.sql.json(answers as never)}) a (key uuid, answer jsonb) using (key)
    join user_api_keys k on k.id = c.key
    join api_key_health h on h.user_api_key_id = k.id
    join api_key_usage_log l on l.id = c.lease
    cross join lateral jsonb_populate_record(null::private.key_report, ${report}::jsonb || jsonb_build_object(
      'cause', ${what.outcome}::text, 'issued_at', l.issued_at, 'key_generation', l.key_generation
    )) told
    cross join lateral (
      select n.*, case when n.blocked_until > l.reported_at then n.blocked_until end as until
      from private.next_state(c.state, told, l.reported_at) n
    ) n`;
  expect(rows).toHaveLength(count);
  for (const { state, found, wanted } of rows) expect({ state, ...found }).toEqual({ state, ...wanted });
});

test("a rule that is not known is refused", async () => {
  const call = db.sql`
    select private.next_state(
      row(true, true, 1, null, null, 0, null, '{}', null, null, null, null, null, null, null)::private.key_state,
      jsonb_populate_record(null::private.key_report, '{"outcome": "x", "rule": "x"}'), now())`;
  await expect(call).rejects.toMatchObject({ code: "PT422", message: "unknown_rule" });
});
