import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bundle } from "../bench/bundle.ts";
import { repository } from "../support/cli.ts";

/** How much larger than a bare function a key function may be; what that costs in time: tests/bench/functions.ts. */
const TARGET = 1.3;

let bare: Uint8Array;
beforeAll(async () => {
  bare = await bundle(join(repository, "tests", "bench", "bare-function"));
});

// One import that takes a whole library along, such as zod with all its languages, trebles the size.
test.each(["get-active-key", "set-key-state"])("%s is hardly larger than a bare function", async (name) => {
  const own = await bundle(join(repository, "supabase", "functions", name));
  expect(own.byteLength / bare.byteLength).toBeLessThanOrEqual(TARGET);
});
