/**
 * Takes out each guard of the key service in turn and shows which tests go red. Run with `npm run test:mutation`,
 * or `npm run test:mutation -- <words of a name>`. A guard without a red test fails the run.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, mutations } from "./guards.ts";

const wanted = process.argv.slice(2).join(" ");
const folder = await mkdtemp(join(tmpdir(), "keyhub-mutation-"));
let survived = 0;
for (const mutation of mutations.filter(({ name }) => name.includes(wanted))) {
  const red = await redTests(mutation);
  if (red.length === 0) survived += 1;
  console.log(`${red.length === 0 ? "SURVIVED" : "caught  "} ${mutation.name}`);
  for (const test of red.slice(0, 3)) console.log(`           ${test}`);
  if (red.length > 3) console.log(`           and ${red.length - 3} more`);
}
await rm(folder, { recursive: true });
console.log(survived === 0 ? "every guard has a test" : `${survived} guards without a test`);
process.exitCode = survived === 0 ? 0 : 1;

async function redTests(mutation: Mutation): Promise<string[]> {
  const report = join(folder, "report.json");
  await rm(report, { force: true });
  const child = spawn(
    "vitest",
    ["run", "tests/sql", "tests/functions/handlers.test.ts", "--reporter=json", `--outputFile=${report}`],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, KEYHUB_MUTATION: JSON.stringify(mutation) },
    },
  );
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
