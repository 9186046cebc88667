import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./tests/support/memory-folder.ts";

keepTemporaryFilesInMemory();

/**
 * Layers whose files leave nothing behind in their process: they share one, which loads each module once and has it warm. What a
 * module keeps, the next file finds: so a spy is restored, and hooks stand in a function that each file calls.
 */
const SHARED_PROCESS = [
  ...["unit", "db", "http", "client", "deploy", "mutation", "stack/demo", "stack/docs", "stack/tools"].map(
    (layer) => `tests/${layer}/**/*.test.ts`,
  ),
  "tests/chaos/transient.test.ts",
];
const NEVER = ["**/node_modules/**", "tests/bench/**"];

export default defineConfig({
  test: {
    globalSetup: ["./tests/support/global-setup.ts"],
    // The least cost of a password's hash: 1 instead of 75 ms for each account.
    env: { LITE_AUTH_BCRYPT_COST: "4" },
    // On two cores: a third file works while one waits for a process, a browser or a clock. A fourth only costs memory and caches.
    maxWorkers: 3,
    teardownTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: { name: "shared", include: SHARED_PROCESS, exclude: NEVER, isolate: false, globalSetup: [] },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["tests/**/*.test.ts"],
          exclude: [...NEVER, ...SHARED_PROCESS],
          globalSetup: [],
        },
      },
    ],
    // Only for what hangs for ever: how fast the machine is decides nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
