/**
 * Takes out each guard in turn and shows which tests go red. Run with `npm run test:mutation`,
 * or `npm run test:mutation -- <words of a name>`. A guard without a red test fails the run.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mutations } from "./guards.ts";
import { hubMutations } from "./hub-guards.ts";
import { importMutations } from "./import-guards.ts";
import type { Mutation } from "./mutation.ts";
import { publishMutations } from "./publish-guards.ts";

/** Where a guard's tests are, and how far to go. */
const keyTests = ["tests/sql", "tests/functions/handlers.test.ts", "--exclude=tests/sql/hub/**"];
const hubTests = ["tests/sql/hub", "tests/contract/hub-permissions.test.ts", "tests/functions/hub-attacks"];

const publishTests = ["tests/functions/publish", "--exclude=**/deno.test.ts"];
const importTests = ["tests/sql/hub/imports.test.ts", "tests/functions/import", "--exclude=**/deno.test.ts"];

const wanted = process.argv.slice(2).join(" ");
const folder = await mkdtemp(join(tmpdir(), "keyhub-mutation-"));
let survived = 0;
const all = [...mutations, ...hubMutations, ...publishMutations, ...importMutations];
for (const mutation of all.filter(({ name }) => name.includes(wanted))) {
  const red = await redTests(mutation);
  if (red.length === 0) survived += 1;
  console.log(`${red.length === 0 ? "SURVIVED" : "caught  "} ${mutation.name}`);
  for (const test of red.slice(0, 3)) console.log(`           ${test}`);
  if (red.length > 3) console.log(`           and ${red.length - 3} more`);
}
await rm(folder, { recursive: true });
console.log(survived === 0 ? "every guard has a test" : `${survived} guards without a test`);
process.exitCode = survived === 0 ? 0 : 1;

function filesFor(mutation: Mutation): string[] {
  if (publishMutations.includes(mutation)) return publishTests;
  if (importMutations.includes(mutation)) return importTests;
  return hubMutations.includes(mutation) ? hubTests : keyTests;
}

async function redTests(mutation: Mutation): Promise<string[]> {
  const report = join(folder, "report.json");
  const ofHub = !mutations.includes(mutation);
  const files = filesFor(mutation);
  await rm(report, { force: true });
  // Some guards keep a caller from looking for ever: their tests are red when the time is up. Three are enough to see; a
  // counter that is wrong would fail hundreds.
  const limits = ["--testTimeout=30000", "--bail=3"];
  const child = spawn("vitest", ["run", ...files, ...limits, "--reporter=json", `--outputFile=${report}`], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      KEYHUB_MUTATION: JSON.stringify(mutation),
      ...(ofHub && { KEYHUB_MODEL_RUNS: "10" }),
    },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) throw new Error(`no report for "${mutation.name}":\n${errors.slice(-2000)}`);
  const { testResults } = JSON.parse(text) as {
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ fullName }) => fullName.trim());
}
