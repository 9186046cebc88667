import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { errorCode, oneLine, StartFailure } from "../failure.ts";

/**
 * Creates a file that only one living process may have, complete with its content. `refuseIfAlive` reads a file that exists already, and
 * throws when a living process has it. The file of a dead process is renamed to `<file>.<id>`, which the caller removes. `id` is unique.
 */
export function claimFile(
  file: string,
  id: string,
  content: string,
  refuseIfAlive: (file: string) => void,
): void {
  while (!create(file, id, content)) {
    refuseIfAlive(file);
    // When two processes find the same file of a dead process, only one of them can rename it.
    const aside = `${file}.${id}`;
    if (!rename(file, aside)) continue;
    try {
      refuseIfAlive(aside);
    } catch (error) {
      // Another process has claimed the file meanwhile, and this process has renamed that file.
      putBack(aside, file);
      throw error;
    }
  }
}

/** Creates the file atomically with its content; false when it exists. */
function create(file: string, id: string, content: string): boolean {
  const draft = `${file}-${id}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw new StartFailure(`cannot write ${file}: ${oneLine(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw new StartFailure(`cannot write ${from}: ${oneLine(error)}`);
  }
}

function putBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch {
    // A third process has claimed the file meanwhile, so its file stays.
  }
  rmSync(aside, { force: true });
}
