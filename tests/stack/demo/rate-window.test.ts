import { expect, test } from "vitest";
import { createRateWindow } from "../../../packages/local/src/demo/rate-window.ts";

test("a window takes its calls, refuses the next with the seconds left, and opens anew", () => {
  const take = createRateWindow({ calls: 3, windowMs: 3_000 });
  expect([1_000, 1_100, 3_900].map(take)).toEqual([null, null, null]);
  expect(take(3_900)).toBe(1);
  expect(take(1_000 + 999)).toBe(3);
  expect(take(3_999)).toBe(1);
  expect(take(4_000)).toBe(null);
  expect([4_001, 4_002, 4_003].map(take)).toEqual([null, null, 3]);
});

test("who waits as told is served", () => {
  const take = createRateWindow({ calls: 1, windowMs: 1_700 });
  take(0);
  for (let now = 1; now < 1_700; now += 97) {
    const wait = createRateWindow({ calls: 1, windowMs: 1_700 });
    wait(0);
    expect(wait(now + (wait(now) ?? 0) * 1_000)).toBe(null);
  }
});
