import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CANCELLED,
  type Failure,
  failureOf,
  type LeaseAttempt,
  type LeaseOptions,
  LeaseQueue,
  type Outcome,
  type Report,
  type ReportResult,
  Reports,
  Reuse,
  rotate,
  rotates,
  SUCCESS,
} from "../../packages/core/src/rotate/index.ts";
import { VirtualTime } from "../support/virtual-time.ts";

/**
 * Any order of provider answers, aborts, lost reports and crashes, with several callers of one pool, against a model of the
 * service: at most one report a lease, nothing sent again that must not be, no wait beyond maxWait, no caller left behind.
 */

/** What the provider says, and what the service makes of it. */
const ANSWERS = {
  ok: { status: 200, outcome: "success" },
  brokenStream: { status: 200, outcome: "unreachable" },
  limit: { status: 429, outcome: "rate_limited" },
  moneyAs400: { status: 400, outcome: "quota_exhausted" },
  callersFault: { status: 400, outcome: "caller_fault" },
  moderation: { status: 403, outcome: "caller_fault" },
  dead: { status: 401, outcome: "invalid_key" },
  money: { status: 402, outcome: "quota_exhausted" },
  denied: { status: 403, outcome: "invalid_key" },
  proxy: { status: 403, outcome: "intermediary" },
  notFound: { status: 404, outcome: "caller_fault" },
  broken: { status: 500, outcome: "server_error" },
  overloaded: { status: 529, outcome: "server_error" },
  network: { status: 0, outcome: "unreachable" },
  hang: { status: 0, outcome: "unreachable" },
} satisfies Record<string, { status: number; outcome: Outcome }>;
type AnswerName = keyof typeof ANSWERS;

interface Caller {
  start: number;
  attempts: number;
  maxWait: number;
  abortAt: number | null;
  answers: AnswerName[];
}
interface Scene {
  keys: number;
  callers: Caller[];
  /** What becomes of the calls to the service, in order; then all arrive. */
  asks: ("ok" | "lost" | "failed")[];
  reports: ("ok" | "lost" | "failed" | "refused")[];
  coolFor: number[];
  crashAt: number | null;
  /** Uses of one lease; null: a lease for each request. */
  uses: number | null;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  keys: fc.integer({ min: 0, max: 4 }),
  callers: fc.array(
    fc.record({
      start: fc.integer({ min: 0, max: 5_000 }),
      attempts: fc.integer({ min: 1, max: 4 }),
      maxWait: fc.constantFrom(0, 900, 3_000, 30_000),
      abortAt: fc.option(fc.integer({ min: 0, max: 20_000 })),
      answers: fc.array(fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])), { maxLength: 6 }),
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
  leaseId: number;
}

test("one report a lease, nothing sent again that must not be, no wait beyond maxWait", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const time = new VirtualTime();
      const service = modelOf(given, time);
      const reports = new Reports<Lease>({
        send: service.report,
        wait: time.wait,
        random: () => 0.5,
        onLost: (lease) => service.lost.add(lease.leaseId),
      });
      const queue = new LeaseQueue<Lease>({
        ask: service.ask,
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
                want,
                (wanted) => queue.lease(wanted),
                (lease) => ({ ...lease }),
              ),
        report: (lease, report) => (reuse ?? reports).report(lease, report),
      };
      const ended = given.callers.map((caller) => run(caller, time, leaseManager));
      if (given.crashAt !== null) time.at(given.crashAt, () => time.stop());
      await time.run();

      for (const sent of service.reported.values())
        expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
      for (const caller of ended) {
        expect(caller.sent.length).toBeLessThanOrEqual(caller.attempts);
        expect(caller.waited).toBeLessThanOrEqual(caller.maxWait + 0.001);
        expect(caller.sentAfterAbort).toBe(0);
        caller.sent.slice(0, -1).forEach(({ answer, leaseId }) => {
          const { status, outcome } = ANSWERS[answer];
          // A lease that several share has one report: the reading of another's failure is none of this one.
          const [report] = service.reported.get(leaseId) ?? [];
          const own =
            report?.status === "fail" && report.error_code === status && report.error_message === outcome;
          const reading = own && service.readAtOnce.has(leaseId) ? outcome : null;
          expect(rotates({ status: "fail", error_code: status }, reading)).toBe(true);
        });
        for (const status of [401, 403]) {
          const refused = caller.sent.filter(({ answer }) => ANSWERS[answer].status === status);
          const second = refused.find(({ keyId }) => keyId !== refused[0]?.keyId);
          // Nothing is sent after the second key that was refused alike.
          if (second !== undefined) expect(caller.sent.at(-1)).toBe(second);
        }
        caller.sent.forEach(({ keyId, waits }, i) => {
          const before = caller.sent.findLast((other, j) => j < i && other.keyId === keyId);
          // The same key again only after a wait.
          if (before !== undefined) expect(waits).toBeGreaterThan(before.waits);
        });
      }
      if (given.crashAt !== null) return;
      for (const caller of ended) {
        expect(caller.settled).toBe(true);
        expect(caller.open).toBeLessThanOrEqual(1);
      }
      // What several requests share is reported when it fails or is used up; cancelled requests alone say nothing.
      if (reuse !== null) return;
      // Every lease that arrived was reported, or is known to be lost.
      for (const leaseId of service.arrived) {
        expect(service.reported.has(leaseId) || service.lost.has(leaseId)).toBe(true);
      }
    }),
    { numRuns: 1_500 },
  );
});

/** The key service: keys that cool and are disabled by what is reported, calls that get lost on the way there or back. */
function modelOf({ keys, asks, reports, coolFor }: Scene, time: VirtualTime) {
  const pool = Array.from({ length: keys }, (_, i) => ({ keyId: `key ${i}`, readyAt: 0, disabled: false }));
  const leases = new Map<number, string>();
  const reported = new Map<number, Report[]>();
  const lost = new Set<number>();
  const arrived = new Set<number>();
  const tried = new Set<number>();
  const readAtOnce = new Set<number>();
  const fates = { asks: [...asks], reports: [...reports], coolFor: [...coolFor] };
  const error = (message: string) => new Error(message);

  function pick(exclude: string[]): LeaseAttempt<Lease> {
    const usable = pool.filter(({ disabled }) => !disabled);
    const ready = usable.filter(({ readyAt }) => readyAt <= time.now);
    const key = ready.find(({ keyId }) => !exclude.includes(keyId)) ?? ready[0];
    if (key !== undefined) {
      const lease = { keyId: key.keyId, leaseId: leases.size };
      leases.set(lease.leaseId, key.keyId);
      return { kind: "leased", lease };
    }
    const soonest = Math.min(...usable.map(({ readyAt }) => readyAt));
    if (usable.length === 0) return { kind: "none", error: error("none") };
    const seconds = Math.ceil((soonest - time.now) / 1000);
    return { kind: "cooling", seconds, error: (left) => error(`cooling ${left}`) };
  }

  return {
    reported,
    lost,
    arrived,
    /** Leases whose first report was answered with a reading. */
    readAtOnce,
    async ask(exclude: string[]): Promise<LeaseAttempt<Lease>> {
      const fate = fates.asks.shift() ?? "ok";
      if (fate === "failed") return { kind: "failed", error: error("failed") };
      const asked = pick(exclude);
      if (fate === "lost") return { kind: "failed", error: error("lost") };
      if (asked.kind === "leased") arrived.add(asked.lease.leaseId);
      return asked;
    },
    async report({ leaseId, keyId }: Lease, what: Report): Promise<ReportResult> {
      const fate = fates.reports.shift() ?? "ok";
      if (fate === "ok" && !tried.has(leaseId)) readAtOnce.add(leaseId);
      tried.add(leaseId);
      if (fate === "failed") return { kind: "failed", code: "network" };
      const before = reported.get(leaseId);
      reported.set(leaseId, [...(before ?? []), what]);
      const outcome = outcomeOf(what);
      const key = pool.find((one) => one.keyId === keyId);
      if (before === undefined && key !== undefined) {
        if (outcome === "invalid_key") key.disabled = true;
        if (outcome === "rate_limited" || outcome === "quota_exhausted")
          key.readyAt = time.now + (fates.coolFor.shift() ?? 1) * 1000;
      }
      if (fate === "lost") return { kind: "failed", code: "network" };
      if (fate === "refused") return { kind: "refused", code: "already_reported" };
      return { kind: "taken", outcome };
    },
  };
}

/** The reading, carried in the message so that one status can have several. */
function outcomeOf(report: Report): Outcome {
  if (report.status === "success") return "success";
  return (report.error_message as Outcome | undefined) ?? "unreachable";
}

interface LeaseManager {
  lease(want: LeaseOptions): Promise<Lease>;
  report(lease: Lease, report: Report): Promise<Outcome | null>;
}

interface Ended extends Caller {
  sent: { keyId: string; leaseId: number; answer: AnswerName; waits: number }[];
  sentAfterAbort: number;
  waited: number;
  /** How often it was waited for a key before the last one came. */
  waits: number;
  settled: boolean;
  /** Answers that were neither discarded nor handed over. */
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
    const { status, outcome } = ANSWERS[name];
    ended.open += 1;
    const discard = () => {
      ended.open -= 1;
    };
    if (status === 200) return { failure: null, discard, name };
    return { failure: { status: "fail", error_code: status, error_message: outcome }, discard, name };
  }

  time.at(caller.start, () => {
    if (caller.abortAt !== null)
      time.at(caller.start + caller.abortAt, () => controller.abort(new Error("abort")));
    void rotate<Lease, Awaited<ReturnType<typeof send>>>(
      {
        lease: async (want) => {
          const from = time.now;
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
      },
      { attempts: caller.attempts, maxWait: caller.maxWait },
      signal,
    ).then(
      ({ lease, answer }) => {
        ended.settled = true;
        if (answer.failure !== null) return;
        // The end of the body, and then all code that waits for it.
        void leaseManager.report(
          lease,
          answer.name === "brokenStream" ? { status: "fail", error_code: "network" } : SUCCESS,
        );
        void leaseManager.report(lease, CANCELLED);
      },
      () => {
        ended.settled = true;
      },
    );
  });
  return ended;
}
