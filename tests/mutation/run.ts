/**
 * Takes out each guard of the schema files in turn and shows which test fails; a guard without a failing test fails the run.
 *
 *     npm run test:mutation                    all of them
 *     npm run test:mutation -- <words>         those whose name or file has the words
 *     npm run test:mutation -- --changed       those whose statement is not as the record has it
 *     npm run test:mutation -- --untried       those, and those of which the record has no test yet
 *     npm run test:mutation -- --changed --seconds 120    gives up after that time, and fails if some are left
 *
 * What it finds is written to guards.json; commit it.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { schemaFiles } from "../../packages/local/src/schema/files.ts";
import { commandOf, repository } from "../support/cli.ts";
import { startCluster } from "./cluster.ts";
import { type Guard, guardsOf } from "./guards.ts";
import { nearestTests } from "./nearest-tests.ts";
import { isKnown, isProven, readRecord, writeRecord } from "./record.ts";

const SLOW = ["plans", "tiers", "model", "retention", "durability"];

/** Where the tests of a folder of supabase/schemas are, the quick ones first: for a guard whose test is not known. */
const TESTS: Record<string, string[][]> = {
  keys: [
    ["tests/db/keys", ...SLOW.map((name) => `--exclude=tests/db/keys/${name}.test.ts`)],
    ["tests/db/keys/model.test.ts", "tests/db/keys/retention.test.ts", "tests/http/handlers.test.ts"],
    ["tests/db/keys/plans.test.ts", "tests/db/keys/tiers.test.ts", "tests/db/keys/durability.test.ts"],
  ],
  hub: [
    ["tests/db/hub", "--exclude=**/*model.test.ts"],
    [
      "tests/http/publish",
      "tests/http/import",
      "tests/db/hub/permissions.test.ts",
      "--exclude=**/deno.test.ts",
    ],
    ["tests/http/hub-attacks", "tests/db/hub/model.test.ts", "tests/db/hub/lineage-model.test.ts"],
  ],
};

const { values, positionals } = parseArgs({
  options: { changed: { type: "boolean" }, untried: { type: "boolean" }, seconds: { type: "string" } },
  allowPositionals: true,
});
const words = positionals.join(" ");
const deadline = performance.now() + Number(values.seconds ?? Number.POSITIVE_INFINITY) * 1000;

const folder = await mkdtemp(join(tmpdir(), "keyhub-mutation-"));
const record = await readRecord();
const all = (await schemaFiles()).flatMap(guardsOf);
const names = new Set(all.map(({ name }) => name));
const wanted = all.filter(
  (guard) =>
    (guard.name.includes(words) || guard.path.includes(words)) &&
    (values.untried ? !isProven(record, guard) : !values.changed || !isKnown(record, guard)),
);
const cluster = wanted.length > 0 ? await startCluster() : null;
let survived = 0;
let left = 0;
/** Files that passed, or failed, with every guard in place. */
const sound = new Map<string, boolean>();
for (const guard of wanted) {
  if (performance.now() > deadline) {
    left += 1;
    continue;
  }
  await cluster?.takeOut(guard).catch((error: unknown) => {
    throw new Error(`without the guard "${guard.name}" the function is no SQL`, { cause: error });
  });
  const test = await failingTest(guard);
  if (test === null) {
    survived += 1;
    delete record[guard.name];
  } else {
    record[guard.name] = { test, sha256: guard.sha256 };
  }
  console.log(`${test === null ? "SURVIVED" : "caught  "} ${guard.name}${test === null ? "" : ` (${test})`}`);
  // Each time: a run of an hour that is stopped keeps what it found.
  await writeRecord(Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name))));
}
await cluster?.stop();
await rm(folder, { recursive: true });
if (left > 0)
  console.log(
    `${left} guards were not tried in time: npm run test:mutation -- --changed, and commit guards.json`,
  );
console.log(
  survived === 0 ? `${wanted.length - left} guards, each with a test` : `${survived} guards without a test`,
);
process.exitCode = survived + left === 0 ? 0 : 1;

/** A file with a test that fails without the guard; null when all pass. */
async function failingTest(guard: Guard): Promise<string | null> {
  const known = record[guard.name]?.test;
  const service = guard.path.split("/")[0] ?? "";
  const all = TESTS[service];
  if (all === undefined) throw new Error(`no tests are named for the guards of ${guard.path}`);
  const near =
    service === "hub"
      ? await nearestTests(guard, ["tests/db/hub", "tests/http"], /deno/, 4)
      : await nearestTests(guard, ["tests/db/keys"], new RegExp(`/(hub/|${SLOW.join("|")})`), 4);
  const steps = [...(known ? [[known]] : []), near.slice(0, 1), near.slice(1), ...all];
  let late: string | null = null;
  for (const files of steps) {
    let red = await failing(guard, files);
    // A run ends with its first failure, so the step is run again without a file that shows nothing.
    while (red && !(await passesWithAll(guard, red.file))) red = await failing(guard, files);
    if (red && !red.late) return red.file;
    // Without some guards a caller searches for ever. On a busy machine other tests time out, too: a failed assertion is better evidence.
    late ??= red?.file ?? null;
  }
  return late;
}

/** Whether the file passes with every guard in place: one that does not shows nothing. Asked once for each file. */
async function passesWithAll(guard: Guard, file: string): Promise<boolean> {
  let passes = sound.get(file);
  if (passes === undefined) {
    await cluster?.putBack();
    passes = (await failing(guard, [file])) === null;
    sound.set(file, passes);
    if (!passes) console.log(`${file} fails with every guard in place, so it shows nothing`);
    await cluster?.takeOut(guard);
  }
  return passes;
}

async function failing(guard: Guard, files: string[]): Promise<{ file: string; late: boolean } | null> {
  const report = join(folder, "report.json");
  await rm(report, { force: true });
  const [command, ...first] = commandOf("vitest");
  const child = spawn(
    command,
    [
      ...first,
      "run",
      ...files,
      ...[...sound].filter(([, passes]) => !passes).map(([file]) => `--exclude=${file}`),
      "--passWithNoTests",
      "--testTimeout=30000",
      "--bail=1",
      "--reporter=json",
      `--outputFile=${report}`,
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, KEYHUB_TEST_CLUSTER: cluster?.url },
    },
  );
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) throw new Error(`no report for "${guard.name}":\n${errors.slice(-2000)}`);
  const { testResults } = JSON.parse(text) as VitestResults;
  const failed = testResults.flatMap(({ name, message, assertionResults }) => {
    // A file that cannot even be set up fails as a whole.
    const whole = message ? [message] : [];
    const tests = assertionResults.flatMap(({ status, failureMessages }) =>
      status === "failed" ? [failureMessages.join()] : [],
    );
    return [...whole, ...tests].map((why) => ({
      file: relative(repository, name),
      late: why.includes("timed out in"),
    }));
  });
  return failed.find(({ late }) => !late) ?? failed[0] ?? null;
}

interface VitestResults {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; failureMessages: string[] }[];
  }[];
}
