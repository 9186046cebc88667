import { expect, test } from "vitest";
import {
  LeaseChecker,
  type LeaseReply,
  type ReportReply,
} from "../../../packages/local/src/demo/lease-checker.ts";

const lease = (leased_at: string, key_id = "k"): LeaseReply => ({
  key_id,
  leased_at,
});
const cooling: ReportReply = {
  key_id: "k",
  state: "cooling_down",
  blocked_until: "2026-01-01T00:00:10.000005+00:00",
};

test.each([
  // Postgres omits zeros at the end of a fraction.
  ["2026-01-01T00:00:10+00:00", "2026-01-01T00:00:10.000005+00:00"],
  ["2026-01-01T00:00:10.5+00:00", "2026-01-01T00:00:10.500005+00:00"],
  ["2026-01-01T00:00:10.499999+00:00", "2026-01-01T00:00:10.5+00:00"],
  ["2026-01-01T00:00:09.999999+00:00", "2026-01-01T00:00:10+00:00"],
])("%s is before %s", (before, after) => {
  const checker = new LeaseChecker();
  checker.record({ ...cooling, blocked_until: after }, 1);
  expect(checker.isInvalidLease(lease(before), 2)).toBe(true);
  expect(checker.isInvalidLease(lease(after), 2)).toBe(false);
});

test("a lease inside a block that had been answered before is wrong; at its end it is right", () => {
  const checker = new LeaseChecker();
  checker.record(cooling, 100);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:10.000004+00:00"), 100)).toBe(true);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:10.000005+00:00"), 100)).toBe(false);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:09+00:00", "other"), 200)).toBe(false);
  // The agent requested this lease before it got the answer with the block, so it could not know of the block.
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:01+00:00"), 99)).toBe(false);
});

test("an earlier, longer block still counts; a disabled key is never right", () => {
  const checker = new LeaseChecker();
  checker.record(cooling, 1);
  checker.record({ ...cooling, state: "available", blocked_until: null }, 2);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:09+00:00"), 3)).toBe(true);
  checker.record({ ...cooling, state: "disabled", blocked_until: null }, 4);
  expect(checker.isInvalidLease(lease("2099-01-01T00:00:00+00:00"), 5)).toBe(true);
});

test("a limit of a model stops leases for that model alone; what an operator ended is forgotten", () => {
  const checker = new LeaseChecker();
  checker.record({ ...cooling, scope: "model", model: "pro" }, 1);
  const at = "2026-01-01T00:00:09+00:00";
  expect(checker.isInvalidLease({ ...lease(at), model: "flash" }, 2)).toBe(false);
  expect(checker.isInvalidLease({ ...lease(at), model: "pro" }, 2)).toBe(true);
  checker.forget();
  expect(checker.isInvalidLease({ ...lease(at), model: "pro" }, 3)).toBe(false);
});
