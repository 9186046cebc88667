import { expect, test } from "vitest";
import {
  InvariantChecker,
  type LeaseReply,
  type ReportReply,
  toMicros,
} from "../../../packages/local/src/demo/invariant-checker.ts";

const lease = (leased_at: string, key_id = "k"): LeaseReply => ({
  lease_id: "l",
  key_id,
  key_name: "n",
  api_key: "",
  leased_at,
});
const cooling: ReportReply = {
  key_id: "k",
  state: "cooling_down",
  blocked_until: "2026-01-01T00:00:10.000005+00:00",
  effect: "cooled",
};

test("moments are compared to the microsecond", () => {
  expect(toMicros("2026-01-01T00:00:10.000005+00:00")).toBe(Date.UTC(2026, 0, 1, 0, 0, 10) * 1000 + 5);
  expect(toMicros("2026-01-01T00:00:10+00:00")).toBe(Date.UTC(2026, 0, 1, 0, 0, 10) * 1000);
  expect(toMicros("2026-01-01T02:00:10.5+02:00")).toBe(Date.UTC(2026, 0, 1, 0, 0, 10, 500) * 1000);
  expect(toMicros(null)).toBe(null);
});

test("a lease inside a block that had been answered before is wrong; at its end it is right", () => {
  const checker = new InvariantChecker(() => false);
  checker.record(cooling, 100);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:10.000004+00:00"), 100)).toBe(true);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:10.000005+00:00"), 100)).toBe(false);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:09+00:00", "other"), 200)).toBe(false);
  // Begun before the answer was here: the two may have crossed.
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:01+00:00"), 99)).toBe(false);
});

test("an earlier, longer block still counts; a disabled key is never right", () => {
  const checker = new InvariantChecker(() => false);
  checker.record(cooling, 1);
  checker.record({ ...cooling, state: "available", blocked_until: null }, 2);
  expect(checker.isInvalidLease(lease("2026-01-01T00:00:09+00:00"), 3)).toBe(true);
  checker.record({ ...cooling, state: "disabled", blocked_until: null }, 4);
  expect(checker.isInvalidLease(lease("2099-01-01T00:00:00+00:00"), 5)).toBe(true);
});

test("a key that is disabled though the provider has not revoked it is a good key lost", () => {
  const revoked = new Set(["dead"]);
  const checker = new InvariantChecker((id) => revoked.has(id));
  const disabled = (key_id: string): ReportReply => ({ ...cooling, key_id, state: "disabled" });
  expect(checker.isGoodKeyLost(disabled("good"))).toBe(true);
  expect(checker.isGoodKeyLost(disabled("dead"))).toBe(false);
  expect(checker.isGoodKeyLost({ ...cooling, key_id: "good" })).toBe(false);
});
