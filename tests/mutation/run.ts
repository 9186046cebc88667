/**
 * Takes out each guard in turn and runs its test, which must fail; a guard whose test passes fails the run.
 *
 *     npm run test:mutation                    all of them
 *     npm run test:mutation -- <words>         those whose name or schema file has the words
 *     npm run test:mutation -- --changed       those whose test was not seen to fail since the function or the guard changed
 *     npm run test:mutation -- --changed --seconds 120    gives up after that time, and fails if some are left
 *
 * The results are written to `sha256` of the guards; commit them.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandOf } from "../support/cli.ts";
import { startCluster } from "./cluster.ts";
import { type Guard, hashOf, readGuards, record } from "./guards.ts";

const { values, positionals } = parseArgs({
  options: { changed: { type: "boolean" }, seconds: { type: "string" } },
  allowPositionals: true,
});
const words = positionals.join(" ");
const deadline = performance.now() + Number(values.seconds ?? Number.POSITIVE_INFINITY) * 1000;

const folder = await mkdtemp(join(tmpdir(), "keyhub-mutation-"));
const wanted = (await readGuards()).filter(
  (guard) =>
    (guard.name.includes(words) || guard.path.includes(words)) &&
    !(values.changed && guard.sha256 === hashOf(guard)),
);
const cluster = wanted.length > 0 ? await startCluster() : null;
let survived = 0;
let left = 0;
/** For each test file, whether it passes when every guard is in place. If not, its failure without a guard proves nothing. */
const sound = new Map<string, boolean>();
for (const guard of wanted) {
  if (performance.now() > deadline) {
    left += 1;
    continue;
  }
  await cluster?.takeOut(guard).catch((error: unknown) => {
    throw new Error(`without the guard "${guard.name}" the function is not valid SQL`, { cause: error });
  });
  const caught = (await fails(guard)) && (await passesWithAll(guard));
  if (!caught) survived += 1;
  console.log(`${caught ? "caught  " : "SURVIVED"} ${guard.name} (${guard.test})`);
  // Record each result at once, so that a long run that is stopped keeps its results.
  await record(guard, caught ? hashOf(guard) : null);
}
await cluster?.stop();
await rm(folder, { recursive: true });
if (left > 0)
  console.log(`${left} guards were not tried in time: npm run test:mutation -- --changed, and commit`);
console.log(
  survived === 0
    ? `${wanted.length - left} guards, each with a test that fails`
    : `${survived} guards survived`,
);
process.exitCode = survived + left === 0 ? 0 : 1;

/** Returns whether the guard's test file passes with every guard. Each file is run once, for all guards that name it. */
async function passesWithAll(guard: Guard): Promise<boolean> {
  let passes = sound.get(guard.test);
  if (passes === undefined) {
    await cluster?.putBack();
    passes = !(await fails(guard));
    sound.set(guard.test, passes);
    if (!passes) console.log(`${guard.test} fails with every guard in place, so it proves nothing`);
  }
  return passes;
}

/** Runs the guard's test file, and returns whether it fails. */
async function fails({ name, test }: Guard): Promise<boolean> {
  const report = join(folder, "report.json");
  await rm(report, { force: true });
  const [command, ...first] = commandOf("vitest");
  const options = ["--testTimeout=30000", "--bail=1", "--reporter=json", `--outputFile=${report}`];
  const child = spawn(command, [...first, "run", test, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, KEYHUB_TEST_CLUSTER: cluster?.url },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const text = await readFile(report, "utf8").catch(() => null);
  if (text === null) throw new Error(`no report for "${name}":\n${errors.slice(-2000)}`);
  const { success, numTotalTests }: { success: boolean; numTotalTests: number } = JSON.parse(text);
  if (success && numTotalTests === 0) throw new Error(`${test} has no test`);
  return !success;
}
