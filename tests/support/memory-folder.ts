import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
/** The free bytes that must be there: 2 GiB, more than four times the most that a run of `npm test` used (0.44 GB). */
const NEEDED = 2 * 1024 ** 3;
const HOUR = 60 * 60 * 1000;

const nameOf = (pid: number) => `keyhub-tests-${pid}`;

/**
 * Makes a folder in memory and sets TMPDIR to it, so that the clusters and browsers of this process and its children do not write
 * to the disk. This saves a tenth of the time of `npm test`. Does nothing if TMPDIR is set, or if there is no such memory.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.platform !== "linux" || process.env.TMPDIR) return;
  const folder = join(MEMORY, nameOf(process.pid));
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < NEEDED) return;
    removeOldFolders();
    mkdirSync(folder);
    // Postgres may run as another user, who must be able to enter the folder.
    chmodSync(folder, 0o755);
    if (runsPrograms(folder)) process.env.TMPDIR = folder;
    else rmSync(folder, { recursive: true });
  } catch {
    // If there is no folder in memory, the tests only take longer.
  }
}

/** Removes the folder that keepTemporaryFilesInMemory of this process has made. */
export function removeMemoryFolder(): void {
  if (tmpdir() === join(MEMORY, nameOf(process.pid))) rmSync(tmpdir(), { recursive: true, force: true });
}

/** Returns whether programs may be started from a folder. Containers often forbid it for files in memory. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/**
 * Removes the folders that killed runs have left. A process of another container cannot be seen here, so a folder must also be an hour old.
 */
function removeOldFolders(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^keyhub-tests-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const folder = join(MEMORY, name);
    if (Date.now() - statSync(folder).mtimeMs > HOUR) rmSync(folder, { recursive: true, force: true });
  }
}
