import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["**/node_modules/**", "tests/bench/**"],
    globalSetup: ["./tests/support/global-setup.ts"],
    // Test files leave nothing behind in their process, so they share it, and each module is loaded and warmed up once.
    isolate: false,
    // The concurrency tests bring dozens of connections each: more files at once only make them wait for one another.
    maxWorkers: 2,
    teardownTimeout: 20_000,
    // Only for what hangs for ever: how fast the machine is decides nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
