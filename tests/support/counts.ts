export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The parts of Vitest's JSON report that this file reads. */
export interface VitestReport {
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

/**
 * Counts the tests of a Vitest run. It adds one failure for each file that failed without a failing test (the file did not load, or a hook
 * threw), and one for a run that failed although every test passed (an unhandled error, a crash, a missing report, no test).
 */
export function countVitest(report: VitestReport | undefined, exitCode: number | null): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of report?.testResults ?? []) {
    const of = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
    const failed = of("failed");
    counts.passed += of("passed");
    counts.failed += failed === 0 && status === "failed" ? 1 : failed;
    counts.skipped += assertionResults.length - of("passed") - failed;
  }
  const nothingRan = counts.passed + counts.failed === 0;
  if (counts.failed === 0 && (exitCode !== 0 || nothingRan)) counts.failed = 1;
  return counts;
}

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** Returns the counts as the line with which `npm test` ends. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
