import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CANCELLED,
  type Failure,
  failureOf,
  isServerFault,
  type LeaseAttempt,
  type LeaseOptions,
  LeaseQueue,
  type Outcome,
  type Report,
  type ReportAnswer,
  type ReportResult,
  Reports,
  Reuse,
  rotate,
  rotates,
  SUCCESS,
} from "../../packages/core/src/rotate/index.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { VirtualTime } from "../support/virtual-time.ts";

/**
 * Tests any order of provider answers, aborts, lost reports and crashes, with several callers of one pool, against a model of the service.
 * At most one report is made for a lease, no request is sent again that must not be, no wait is longer than maxWait, no caller is left
 * waiting, and no key is leased while the process keeps back a report about it.
 */

/** The provider's answers, and the service's classification of each; `dead` means that the text of the answer says that the key is dead. */
const ANSWERS = {
  ok: { status: 200, outcome: "success" },
  brokenStream: { status: 200, outcome: "unreachable" },
  limit: { status: 429, outcome: "rate_limited" },
  moneyAs400: { status: 400, outcome: "quota_exhausted" },
  callersFault: { status: 400, outcome: "caller_fault" },
  moderation: { status: 403, outcome: "caller_fault" },
  dead: { status: 401, outcome: "invalid_key", dead: true },
  unauthorized: { status: 401, outcome: "invalid_key" },
  project: { status: 403, outcome: "refused" },
  money: { status: 402, outcome: "quota_exhausted" },
  denied: { status: 403, outcome: "invalid_key" },
  proxy: { status: 403, outcome: "intermediary" },
  notFound: { status: 404, outcome: "caller_fault" },
  broken: { status: 500, outcome: "server_error" },
  overloaded: { status: 529, outcome: "server_error" },
  network: { status: 0, outcome: "unreachable" },
  hang: { status: 0, outcome: "unreachable" },
} satisfies Record<string, { status: number; outcome: Outcome; dead?: true }>;
type AnswerName = keyof typeof ANSWERS;

interface Caller {
  start: number;
  attempts: number;
  maxWait: number;
  serverErrors: number;
  abortAt: number | null;
  answers: AnswerName[];
}
interface Scene {
  keys: number;
  callers: Caller[];
  /** What happens to the calls to the service, in order. Calls after the end of these lists all arrive. */
  asks: ("ok" | "lost" | "failed")[];
  reports: ("ok" | "lost" | "failed" | "refused")[];
  coolFor: number[];
  crashAt: number | null;
  /** The number of requests that may share a lease; null if each request has its own lease. */
  uses: number | null;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  keys: fc.integer({ min: 0, max: 10 }),
  callers: fc.array(
    fc.record({
      start: fc.integer({ min: 0, max: 5_000 }),
      attempts: fc.integer({ min: 1, max: 4 }),
      maxWait: fc.constantFrom(0, 900, 3_000, 30_000),
      serverErrors: fc.constantFrom(0, 0, 1, 3),
      abortAt: fc.option(fc.integer({ min: 0, max: 20_000 })),
      answers: fc.oneof(
        fc.array(fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])), { maxLength: 6 }),
        fc.array(fc.constantFrom("dead", "dead", "unauthorized", "limit", "project"), { maxLength: 12 }),
      ),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  asks: fc.array(fc.constantFrom("ok", "ok", "lost", "failed"), { maxLength: 12 }),
  reports: fc.array(fc.constantFrom("ok", "ok", "lost", "failed", "refused"), { maxLength: 12 }),
  coolFor: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
  crashAt: fc.option(fc.integer({ min: 0, max: 30_000 }), { freq: 4 }),
  uses: fc.option(fc.integer({ min: 1, max: 4 })),
});

interface Lease {
  keyId: string;
  leaseId: string;
}

test("one report a lease, nothing sent again that must not be, no wait beyond maxWait", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const time = new VirtualTime();
      const service = modelOf(given, time);
      const reports = new Reports<Lease>({
        send: service.report,
        poolOf: () => "pool",
        wait: time.wait,
        random: () => 0.5,
        onLost: (lease) => service.lost.add(lease.leaseId),
      });
      const queue = new LeaseQueue<Lease>({
        ask: async (exclude) => {
          await reports.failuresReported("pool");
          return service.ask(exclude);
        },
        late: (lease) => void reports.report(lease, CANCELLED),
        wait: time.wait,
        random: () => 0.5,
        now: () => time.now,
      });
      const reuse =
        given.uses === null ? null : new Reuse(reports, { forMs: 2_000, uses: given.uses }, () => time.now);
      const leaseManager: LeaseManager = {
        lease: (want) =>
          reuse === null
            ? queue.lease(want)
            : reuse.lease(
                "any model",
                want,
                (wanted) => queue.lease(wanted),
                (lease) => ({ ...lease }),
              ),
        report: (lease, report) => {
          if (report.status === "fail") service.known(lease, report);
          return (reuse ?? reports).report(lease, report);
        },
      };
      const ended = given.callers.map((caller) => run(caller, time, leaseManager));
      if (given.crashAt !== null) time.at(given.crashAt, () => time.stop());
      await time.run();

      expect(service.violations).toEqual([]);
      for (const sent of service.reported.values())
        expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
      for (const caller of ended) {
        expect(caller.sent.length).toBeLessThanOrEqual(Math.max(8, caller.attempts) + caller.serverErrors);
        // An answer that shows a dead key does not count as an attempt. After its last attempt, a caller may wait and send again only if
        // all its attempts were rate-limited.
        let attempts = 0;
        let limited = 0;
        let serverErrors = 0;
        const refused = new Map<number, { keyId: string; outcome: Outcome; dead: boolean }>();
        // Besides its own waits, the caller may wait for a report on its way (1 ms) each time that somebody leases.
        expect(caller.waited).toBeLessThanOrEqual(caller.maxWait + service.asks.count + 0.001);
        expect(caller.sentAfterAbort).toBe(0);
        caller.sent.forEach(({ answer, leaseId, keyId }, i) => {
          const { status, outcome, dead } = answerOf(answer);
          if (status === 200) return;
          // Several requests may share a lease, which has one report. If that report is about another request's failure, its
          // classification is ignored here.
          const [report] = service.reported.get(leaseId) ?? [];
          const own =
            report?.status === "fail" && report.error_code === status && report.error_message === outcome;
          const reading = own ? (service.readAtOnce.get(leaseId) ?? null) : null;
          const failure: Failure = { status: "fail", error_code: status };
          // A lease that several requests share has a report of only one request, so refusals are not compared then.
          const refusal = (reuse === null && refused.get(status)) || null;
          if (refusal !== null && reading !== null && refusal.keyId !== keyId && !refusal.dead && !dead)
            // Two keys got the same refusal, so the request is to blame.
            expect(reading).toBe(refusal.outcome === outcome ? "caller_fault" : outcome);
          if (reading === "invalid_key" || reading === "refused")
            refused.set(status, { keyId, outcome, dead });
          if (i === caller.sent.length - 1) {
            const left = attempts + (reading === "invalid_key" ? 0 : 1) < caller.attempts && i < 7;
            // A caller with tries left must have looked for another key.
            if (
              caller.attempts > 1 &&
              left &&
              reading !== null &&
              rotates(failure, reading) &&
              caller.settled
            )
              expect(caller.leases > caller.sent.length || caller.aborted).toBe(true);
            return;
          }
          if (!rotates(failure, reading)) {
            expect(isServerFault(failure, reading ?? outcome)).toBe(true);
            serverErrors += 1;
            return;
          }
          if (reading !== "invalid_key") attempts += 1;
          if (reading === "rate_limited") limited += 1;
          if (attempts >= caller.attempts) expect(limited).toBe(attempts);
        });
        expect(serverErrors).toBeLessThanOrEqual(caller.serverErrors);
        caller.sent.forEach(({ keyId, waits }, i) => {
          const before = caller.sent.findLast((other, j) => j < i && other.keyId === keyId);
          // The same key is used again only after a wait.
          if (before !== undefined) expect(waits).toBeGreaterThan(before.waits);
        });
      }
      if (given.crashAt !== null) return;
      for (const caller of ended) {
        expect(caller.settled).toBe(true);
        expect(caller.open).toBeLessThanOrEqual(1);
      }
      // A shared lease is reported when it fails or is used up; if it has only cancelled requests, there is nothing to report.
      if (reuse !== null) return;
      // Every lease that arrived was reported, or its report is known to be lost.
      for (const leaseId of service.arrived) {
        expect(service.reported.has(leaseId) || service.lost.has(leaseId)).toBe(true);
      }
    }),
    { numRuns: LONG_TESTS ? 1_500 : 400 },
  );
});

function answerOf(name: AnswerName): { status: number; outcome: Outcome; dead: boolean } {
  return { dead: false, ...ANSWERS[name] };
}

/** A model of the key service: reports cool and disable its keys, and calls get lost on the way there or back. */
function modelOf({ keys, asks, reports, coolFor }: Scene, time: VirtualTime) {
  const pool = Array.from({ length: keys }, (_, i) => ({ keyId: `key ${i}`, readyAt: 0, disabled: false }));
  const leases = new Map<string, string>();
  const reported = new Map<string, Report[]>();
  const lost = new Set<string>();
  const arrived = new Set<string>();
  const tried = new Set<string>();
  const readAtOnce = new Map<string, Outcome>();
  /** Keys that an answer has shown to be dead and whose report is not sent yet: lease id → key id. */
  const heldBack = new Map<string, string>();
  const violations: string[] = [];
  const fates = { asks: [...asks], reports: [...reports], coolFor: [...coolFor] };
  const error = (message: string) => new Error(message);

  function pick(exclude: string[]): LeaseAttempt<Lease> {
    const usable = pool.filter(({ disabled }) => !disabled);
    const ready = usable.filter(({ readyAt }) => readyAt <= time.now);
    const key = ready.find(({ keyId }) => !exclude.includes(keyId)) ?? ready[0];
    if (key !== undefined) {
      const lease = { keyId: key.keyId, leaseId: `lease ${leases.size}` };
      leases.set(lease.leaseId, key.keyId);
      return { kind: "leased", lease };
    }
    const soonest = Math.min(...usable.map(({ readyAt }) => readyAt));
    if (usable.length === 0) return { kind: "none", error: error("none") };
    const seconds = Math.ceil((soonest - time.now) / 1000);
    return { kind: "cooling", seconds, error: (left) => error(`cooling ${left}`) };
  }

  return {
    violations,
    asks: { count: 0 },
    reported,
    lost,
    arrived,
    /** The classification of each report that was answered at the first try: lease id → outcome. */
    readAtOnce,
    known({ leaseId, keyId }: Lease, { error_message }: Failure): void {
      if (error_message === "invalid_key" && !tried.has(leaseId)) heldBack.set(leaseId, keyId);
    },
    async ask(exclude: string[]): Promise<LeaseAttempt<Lease>> {
      this.asks.count += 1;
      const known = [...heldBack.values()];
      const fate = fates.asks.shift() ?? "ok";
      if (fate === "failed") return { kind: "failed", error: error("failed") };
      const asked = pick(exclude);
      if (asked.kind === "leased" && known.includes(asked.lease.keyId))
        violations.push("a key that the process knows to be dead is leased");
      if (fate === "lost") return { kind: "failed", error: error("lost") };
      if (asked.kind === "leased") arrived.add(asked.lease.leaseId);
      return asked;
    },
    async report({ leaseId, keyId }: Lease, what: Report): Promise<ReportResult> {
      const fate = fates.reports.shift() ?? "ok";
      const first = !tried.has(leaseId);
      await time.wait(1);
      tried.add(leaseId);
      heldBack.delete(leaseId);
      if (fate === "failed") return { kind: "failed", code: "network" };
      const before = reported.get(leaseId);
      reported.set(leaseId, [...(before ?? []), what]);
      const answer = answerTo(keyId, what, before === undefined);
      if (fate === "lost") return { kind: "failed", code: "network" };
      if (fate === "refused") return { kind: "refused", code: "already_reported" };
      if (first) readAtOnce.set(leaseId, answer.outcome);
      return { kind: "taken", answer };
    },
  };

  function answerTo(keyId: string, what: Report, isNew: boolean): ReportAnswer {
    const key = pool.find((one) => one.keyId === keyId);
    if (key === undefined) throw new Error(`there is no ${keyId}`);
    const outcome = readingOf(key, what);
    if (isNew && outcome === "invalid_key") key.disabled = true;
    if (isNew && (outcome === "rate_limited" || outcome === "quota_exhausted"))
      key.readyAt = time.now + (fates.coolFor.shift() ?? 1) * 1000;
    return { outcome, blockedMs: Math.max(0, key.readyAt - time.now) };
  }

  /** Classifies a report. The same refusal of two keys, neither of which is dead by its text, is about the request. */
  function readingOf(key: { keyId: string }, what: Report): Outcome {
    const outcome = outcomeOf(what);
    if (what.status === "success" || what.same_answer_as === undefined) return outcome;
    const [other] = reported.get(what.same_answer_as) ?? [];
    if (other?.status !== "fail" || other.error_code !== what.error_code) violations.push("not the same");
    if (leases.get(what.same_answer_as) === key.keyId) violations.push("the same key");
    const dead = [other, what].some((one) => one?.status === "fail" && one.retry_after === "dead");
    return !dead && outcomeOf(other as Report) === outcome ? "caller_fault" : outcome;
  }
}

/** Returns the classification of a report. The model stores it in the message, so that one status can have several classifications. */
function outcomeOf(report: Report): Outcome {
  if (report.status === "success") return "success";
  return (report.error_message as Outcome | undefined) ?? "unreachable";
}

interface LeaseManager {
  lease(want: LeaseOptions): Promise<Lease>;
  report(lease: Lease, report: Report): Promise<ReportAnswer | null>;
}

interface Ended extends Caller {
  sent: { keyId: string; leaseId: string; answer: AnswerName; waits: number }[];
  sentAfterAbort: number;
  waited: number;
  /** The number of waits before the last key came. */
  waits: number;
  settled: boolean;
  aborted: boolean;
  /** The number of requests for a key. */
  leases: number;
  /** The number of answers that were not discarded. Only the returned answer may remain. */
  open: number;
}

function run(caller: Caller, time: VirtualTime, leaseManager: LeaseManager): Ended {
  const ended: Ended = {
    ...caller,
    sent: [],
    sentAfterAbort: 0,
    waited: 0,
    waits: 0,
    settled: false,
    aborted: false,
    leases: 0,
    open: 0,
  };
  const controller = new AbortController();
  const { signal } = controller;
  const answers = [...caller.answers];

  async function send(lease: Lease): Promise<{ failure: Failure | null; discard(): void; name: AnswerName }> {
    if (signal.aborted) ended.sentAfterAbort += 1;
    const scripted = answers.shift() ?? "ok";
    const name = scripted === "hang" && caller.abortAt === null ? "network" : scripted;
    ended.sent.push({ ...lease, answer: name, waits: ended.waits });
    await time.wait(100, signal);
    if (name === "hang") await time.wait(1e9, signal);
    if (name === "network") throw Object.assign(new TypeError("fetch failed"), { code: "ECONNRESET" });
    const { status, outcome, dead } = answerOf(name);
    ended.open += 1;
    const discard = () => {
      ended.open -= 1;
    };
    if (status === 200) return { failure: null, discard, name };
    // The model puts "the text shows a dead key" into `retry_after`, because the rotation does not read that member.
    const text = { error_message: outcome, ...(dead && { retry_after: "dead" }) };
    return { failure: { status: "fail", error_code: status, ...text }, discard, name };
  }

  time.at(caller.start, () => {
    if (caller.abortAt !== null)
      time.at(caller.start + caller.abortAt, () => controller.abort(new Error("abort")));
    void rotate<Lease, Awaited<ReturnType<typeof send>>>(
      {
        lease: async (want) => {
          const from = time.now;
          ended.leases += 1;
          try {
            return await leaseManager.lease(want);
          } finally {
            ended.waited += time.now - from;
            ended.waits = want.budget.waits;
          }
        },
        send,
        report: (lease, report) => leaseManager.report(lease, report),
        reportOf: (error) => failureOf(error, signal.aborted),
        wait: async (ms, aborted) => {
          ended.waited += ms;
          await time.wait(ms, aborted);
        },
        now: () => time.now,
        random: () => 0.5,
      },
      caller,
      signal,
    ).then(
      ({ lease, answer }) => {
        ended.settled = true;
        if (answer.failure !== null) return;
        // Report the end of the body, and then a cancellation of the same call: only one of the two may be sent.
        void leaseManager.report(
          lease,
          answer.name === "brokenStream" ? { status: "fail", error_code: "network" } : SUCCESS,
        );
        void leaseManager.report(lease, CANCELLED);
      },
      () => {
        ended.settled = true;
        ended.aborted = signal.aborted;
      },
    );
  });
  return ended;
}
