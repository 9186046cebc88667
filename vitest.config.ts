import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./tests/support/memory-folder.ts";

keepTemporaryFilesInMemory();

/**
 * The layers whose test files share one process, which loads each module only once. What a test file leaves in a module, the next file
 * finds. So each file restores its spies, and shared hooks are in a function that each file calls.
 */
const SHARED_PROCESS = [
  ...[
    "unit",
    "db",
    "http",
    "client",
    "deploy",
    "mutation",
    "chaos",
    "stack/demo",
    "stack/docs",
    "stack/tools",
  ].map((layer) => `tests/${layer}/**/*.test.ts`),
];
const NEVER = ["**/node_modules/**", "tests/bench/**"];

export default defineConfig({
  test: {
    globalSetup: ["./tests/support/global-setup.ts"],
    // The least cost of a password's hash: 1 instead of 75 ms for each account.
    env: { LITE_AUTH_BCRYPT_COST: "4" },
    // For two cores: a third worker runs tests while another one waits for a process, a browser or a clock. A fourth only costs memory.
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
    // These timeouts only end tests that hang for ever. A slow machine must not fail a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
