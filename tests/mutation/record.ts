import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../support/cli.ts";
import type { Guard } from "./guards.ts";

/**
 * For each guard, by name: the test file that was seen to fail without it, and what its statement looked like then. A guard
 * without a file has not been tried since the record was begun; its statement is as it was then.
 */
export type GuardRecord = Record<string, { test: string | null; sha256: string }>;

const file = join(repository, "tests", "mutation", "guards.json");

export async function readRecord(): Promise<GuardRecord> {
  return JSON.parse(await readFile(file, "utf8"));
}

export async function writeRecord(record: GuardRecord): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Whether the record has the statement of the guard as it is now. */
export function isKnown(record: GuardRecord, guard: Guard): boolean {
  return record[guard.name]?.sha256 === guard.sha256;
}

/** Whether a test was seen to fail without the guard as it is now. */
export function isProven(record: GuardRecord, guard: Guard): boolean {
  return isKnown(record, guard) && record[guard.name]?.test !== null;
}
