import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bundleSize } from "../bench/bundle.ts";
import { repository } from "../support/cli.ts";

/**
 * How much larger than a bare function a key function may be; what that costs in time: tests/bench/functions.ts. get-active-key
 * opens keys, too. What reads a provider's answer is loaded when the first failure comes.
 */
const TARGETS: [name: string, target: number][] = [
  ["get-active-key", 1.4],
  ["set-key-state", 1.3],
];

let bare: number;
beforeAll(async () => {
  bare = await bundleSize(join(repository, "tests", "bench", "bare-function"));
});

// One import that takes a whole library along, such as zod with all its languages, trebles the size.
test.each(TARGETS)("%s is hardly larger than a bare function", async (name, target) => {
  const own = await bundleSize(join(repository, "supabase", "functions", name));
  expect(own / bare).toBeLessThanOrEqual(target);
});
