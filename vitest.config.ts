import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["tests/**/*.test.ts"],
    exclude: ["**/node_modules/**", "tests/bench/**"],
    globalSetup: ["./tests/support/global-setup.ts"],
    // The concurrency tests bring dozens of connections each: more files at once only make them wait for one another.
    maxWorkers: 2,
    // Only for what hangs for ever: how fast the machine is decides nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 20_000,
  },
});
