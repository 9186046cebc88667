import { spawn } from "node:child_process";
import { commandOf, repository } from "../../support/cli.ts";
import { progress } from "./settings.ts";

/** The tests that compare a service with its reference model. `npm test` runs few random sequences of each test. */
const MODELS = [
  "tests/db/keys/model.test.ts",
  "tests/db/hub/model.test.ts",
  "tests/db/hub/lineage-model.test.ts",
  "tests/db/hub/payments/model.test.ts",
  "tests/db/hub/shelf/model.test.ts",
  "tests/http/import/license-model.test.ts",
];
/** The number of random sequences for each model. */
const RUNS = 200;

/** Runs many more random sequences of each model than `npm test`. Returns the files that failed; Vitest prints why. */
export async function soakModels(): Promise<string[]> {
  const broken: string[] = [];
  for (const file of MODELS) {
    progress(`models: ${RUNS} sequences of ${file}`);
    const [command, ...first] = commandOf("vitest");
    const child = spawn(command, [...first, "run", file, "--testTimeout=0"], {
      cwd: repository,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, KEYHUB_MODEL_RUNS: String(RUNS) },
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) broken.push(`${file} failed`);
  }
  return broken;
}
