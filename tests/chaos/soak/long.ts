import { spawn } from "node:child_process";
import { commandOf, repository } from "../../support/cli.ts";
import { progress } from "./settings.ts";

/** Files with a long form, see tests/support/long-tests.ts. */
const FILES = [
  "tests/web",
  "tests/client/gateway.test.ts",
  "tests/client/sdks.test.ts",
  "tests/http/deno.test.ts",
  "tests/db/types.test.ts",
  "tests/db/advisors.test.ts",
  "tests/unit/hub/properties.test.ts",
  "tests/db/hub/reports/hiding.test.ts",
  "tests/db/hub/search-paging.test.ts",
  "tests/db/hub/stars.test.ts",
  "tests/stack/start.test.ts",
];

/** Runs the long forms of tests. Returns what failed; Vitest prints why. */
export async function soakLong(): Promise<string[]> {
  progress(`long: ${FILES.join(", ")}`);
  const [command, ...first] = commandOf("vitest");
  const child = spawn(command, [...first, "run", ...FILES], {
    cwd: repository,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, KEYHUB_LONG_TESTS: "1" },
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return code === 0 ? [] : ["the long tests failed"];
}
