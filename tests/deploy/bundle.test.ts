import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bundleSize } from "../bench/bundle.ts";
import { repository } from "../support/cli.ts";

/**
 * The largest size of a key function as a ratio to a bare function; tests/bench/functions.ts measures the time that this costs.
 * get-active-key may be larger, because it also opens keys. The code that classifies a provider's answer is not counted, because it is
 * loaded at the first failure.
 */
const TARGETS: [name: string, target: number][] = [
  ["get-active-key", 1.4],
  ["set-key-state", 1.3],
];

let bare: number;
beforeAll(async () => {
  bare = await bundleSize(join(repository, "tests", "bench", "bare-function"));
});

// One import that includes a whole library, such as zod with all its languages, trebles the size.
test.each(TARGETS)("%s is hardly larger than a bare function", async (name, target) => {
  const own = await bundleSize(join(repository, "supabase", "functions", name));
  expect(own / bare).toBeLessThanOrEqual(target);
});
