import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTool } from "../support/cli.ts";
import { add, type Counts, countVitest, summary } from "../support/counts.ts";
import { LONG_TESTS } from "../support/long-tests.ts";

/** Runs Vitest like `npm test` on these test files, and counts the results. */
async function countRun(files: Record<string, string>): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-counts-"));
  try {
    await mkdir(join(folder, "tests"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "tests", name), text);
    const file = join(folder, "report.json");
    const { code } = await runTool("vitest", [
      ...["run", "--root", folder, "--globals"],
      ...["--reporter=json", `--outputFile.json=${file}`],
    ]);
    const report = await readFile(file, "utf8").then(JSON.parse, () => undefined);
    return countVitest(report, code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a run with every kind of failure is counted in full", async () => {
  const counts = await countRun({
    "mixed.test.js": `
      test("passes", () => {});
      test("fails", () => { throw new Error("no"); });
      test.skip("is skipped", () => {});
      test.todo("is to do");`,
    "unloadable.test.js": 'import "./missing.js"; test("never runs", () => {});',
    "crash.test.js": 'test("kills its process", () => process.kill(process.pid, "SIGKILL"));',
    "hook.test.js": 'beforeAll(() => { throw new Error("no"); }); test("cannot run", () => {});',
  });
  expect(counts).toEqual({ passed: 1, failed: 4, skipped: 4 });
});

test("a run that failed although its tests are all well has failed", () => {
  const report = { testResults: [{ status: "passed", assertionResults: [{ status: "passed" }] }] };
  expect(countVitest(report, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test.runIf(LONG_TESTS)("Vitest fails for an unhandled error, as for a run without tests", async () => {
  const text =
    'test("passes", () => { setTimeout(() => { throw new Error("late"); }); return new Promise((done) => setTimeout(done, 50)); });';
  expect(await countRun({ "late.test.js": text })).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(await countRun({})).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("a run without tests has failed, as has one that left no report", () => {
  expect(countVitest({ testResults: [] }, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countVitest(undefined, null)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("a file whose worker crashed has failed", () => {
  const report = { testResults: [{ status: "failed", assertionResults: [{ status: "pending" }] }] };
  expect(countVitest(report, 1)).toEqual({ passed: 0, failed: 1, skipped: 1 });
});

test("the last line has the counts of all", () => {
  const all = add({ passed: 4, failed: 0, skipped: 0 }, { passed: 1, failed: 2, skipped: 0 });
  expect(summary(all)).toBe("5 passed, 2 failed");
  expect(summary({ ...all, skipped: 3 })).toBe("5 passed, 2 failed, 3 skipped");
});
