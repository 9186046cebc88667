import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandOf, repository } from "../../support/cli.ts";
import { progress } from "./settings.ts";

/**
 * Returns the test files with a long form: those that use LONG_TESTS (tests/support/long-tests.ts), and every file of a folder in which a
 * helper uses it.
 */
function filesWithLongForm(): string[] {
  const asks = readdirSync(join(repository, "tests"), { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".ts") && /\bLONG_TESTS\b/.test(readFileSync(join(repository, "tests", file), "utf8")),
  );
  const tests = asks.map((file) => (file.endsWith(".test.ts") ? file : (file.split("/")[0] ?? "")));
  return [...new Set(tests)]
    .filter((file) => file !== "support" && file !== "chaos")
    .map((file) => `tests/${file}`);
}

/** Runs the long forms of tests. Returns the failures; Vitest prints the reasons. */
export async function soakLong(): Promise<string[]> {
  const files = filesWithLongForm();
  progress(`long: ${files.join(", ")}`);
  const [command, ...first] = commandOf("vitest");
  const child = spawn(command, [...first, "run", ...files], {
    cwd: repository,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, KEYHUB_LONG_TESTS: "1" },
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return code === 0 ? [] : ["the long tests failed"];
}
