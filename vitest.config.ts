import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["tests/**/*.test.ts"],
    exclude: ["**/node_modules/**", "tests/bench/**"],
    globalSetup: ["./tests/support/global-setup.ts"],
    // The concurrency tests bring dozens of connections each: more files at once only make them wait for one another.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
  },
});
