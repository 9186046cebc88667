/**
 * `npm test`: runs the formatter, the linters, the type checks by tsc and Deno, and every test, then the mutation tests of guards whose SQL
 * changed. Arguments are passed to Vitest. The last line has the counts; the exit code is 1 when anything failed.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache, runTool } from "./support/cli.ts";
import { add, type Counts, countVitest, summary, type VitestReport } from "./support/counts.ts";
import { functionChecks } from "./support/function-checks.ts";
import { unseenStatuses } from "./support/openapi/check-answer.ts";
import { showsPlantedKey } from "./support/planted-keys.ts";
import { type Check, codeChecks, runChecks, toolCheck } from "./support/static-checks.ts";

Object.assign(process.env, compileCache);
let counts: Counts = { passed: 0, failed: 0, skipped: 0 };

/** Runs checks and adds each of them to the counts as a test. */
async function countChecks(checks: readonly Check[], print?: (line: string) => void): Promise<void> {
  const failed = await runChecks(checks, print);
  counts = add(counts, { passed: checks.length - failed, failed, skipped: 0 });
}

/** Answers of functions that the tests have seen, as `operation status`. */
let seen: string[] = [];
/** Everything that Vitest and the tests printed. */
let printed = "";

async function vitest(): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-run-"));
  const file = join(folder, "report.json");
  const answers = join(folder, "answers.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { code, stdout, stderr } = await runTool(
      "vitest",
      ["run", ...reporters, ...process.argv.slice(2)],
      {
        show: true,
        env: { ...process.env, KEYHUB_SEEN_ANSWERS: answers },
      },
    );
    printed = stdout + stderr;
    seen = JSON.parse(await readFile(answers, "utf8").catch(() => "[]"));
    const report = await readFile(file, "utf8").then(
      (text): VitestReport => JSON.parse(text),
      () => undefined,
    );
    return countVitest(report, code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// The checks run beside the tests, which often wait. The lines of the checks are printed after the output of the tests.
const lines: string[] = [];
const [tested] = await Promise.all([
  vitest(),
  countChecks([...codeChecks, ...functionChecks], (line) => lines.push(line)),
]);
counts = add(counts, tested);
for (const line of lines) console.log(line);
await countChecks([
  {
    name: "no key of a test is in what was printed",
    run: async () =>
      showsPlantedKey(printed) ? "search the output for the mark of support/planted-keys.ts" : undefined,
  },
]);
// With arguments only a part of the tests runs, so the other checks are left out.
if (process.argv.length === 2) {
  const unseen = unseenStatuses(seen);
  const answers: Check = {
    name: "every status of docs/openapi.json was seen",
    run: async () => (unseen.length === 0 ? undefined : unseen.join("\n")),
  };
  const guards = ["tests/mutation/run.ts", "--changed", "--seconds=480"];
  await countChecks([answers, toolCheck("guards of changed statements", "node", guards)]);
}
console.log(summary(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
