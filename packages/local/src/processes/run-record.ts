import { randomUUID } from "node:crypto";
import { linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";
import { commandLine, endProcess, fingerprint, processesWith } from "./identity.ts";

interface Listed {
  name: string;
  pid: number;
  /** See identity.ts: a later process with the same pid must not be ended. */
  fingerprint: string;
}

interface RecordFile {
  id: string;
  url: string;
  owner: Listed;
  children: Listed[];
}

export interface RunRecord {
  id: string;
  /** Records a child, in place of an earlier one with the same name. */
  note(name: string, pid: number): void;
  remove(): void;
}

const fileName = "running.json";

/**
 * The environment variable of every function with the id of its run. It helps to find children whose parent was killed before it recorded
 * them.
 */
export const runVariable = "KEYHUB_RUN";

/**
 * Locks the data folder for this process: one stack at a time. Children that a killed owner left running are ended first,
 * identified by pid and start time.
 */
export async function takeOver(dataDir: string, url: string): Promise<RunRecord> {
  const file = join(dataDir, fileName);
  const mine: RecordFile = {
    id: randomUUID(),
    url,
    owner: { name: "keyhub", pid: process.pid, fingerprint: fingerprint(process.pid) ?? "" },
    children: [],
  };
  for (;;) {
    if (create(file, mine)) break;
    requireFile(file);
    const found = read(file);
    if (found && isAlive(found.owner)) {
      throw new StartFailure(
        `a stack already runs on ${dataDir} (process ${found.owner.pid}, ${found.url}).`,
      );
    }
    // When two starts find the same dead record, only one of them can rename it.
    const aside = `${file}.${mine.id}`;
    if (!rename(file, aside)) continue;
    const taken = read(aside);
    if (taken && isAlive(taken.owner)) {
      putBack(aside, file);
      throw new StartFailure(
        `a stack already runs on ${dataDir} (process ${taken.owner.pid}, ${taken.url}).`,
      );
    }
  }
  const remove = () => {
    if (read(file)?.id === mine.id) rmSync(file, { force: true });
  };
  try {
    await clearRecordsLeftBehind(dataDir);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    id: mine.id,
    note: (name, pid) => {
      const others = mine.children.filter((child) => child.name !== name);
      mine.children = [...others, { name, pid, fingerprint: fingerprint(pid) ?? "" }];
      const draft = `${file}.draft`;
      writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
      renameSync(draft, file);
    },
    remove,
  };
}

/** Ends the children of every dead record that this start, or an interrupted one, has renamed. */
async function clearRecordsLeftBehind(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(`${fileName}.`)) continue;
    const file = join(dataDir, name);
    requireFile(file);
    const record = read(file);
    if (record)
      await Promise.all([...record.children, ...unrecordedChildren(record)].filter(isAlive).map(endChild));
    rmSync(file, { force: true });
  }
}

function unrecordedChildren({ id, children }: RecordFile): Listed[] {
  const noted = new Set(children.map(({ pid }) => pid));
  const found = processesWith(runVariable, id).filter((pid) => !noted.has(pid));
  return found.map((pid) => ({ name: commandLine(pid), pid, fingerprint: fingerprint(pid) ?? "" }));
}

async function endChild(child: Listed): Promise<void> {
  const ended = await endProcess(child.pid, child.fingerprint, [
    // SIGINT makes Postgres shut down fast, and ends Deno.
    ["SIGINT", 5_000],
    ["SIGQUIT", 3_000],
    ["SIGKILL", 2_000],
  ]);
  if (!ended)
    throw new StartFailure(
      `cannot end process ${child.pid} (${child.name}), which the last start left running.`,
    );
}

/** Refuses to touch anything of that name that is not a file, because Keyhub did not make it. */
function requireFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StartFailure(`${file} is not a file of Keyhub; move it away.`);
}

function isAlive(listed: Listed): boolean {
  return listed.fingerprint !== "" && fingerprint(listed.pid) === listed.fingerprint;
}

function read(file: string): RecordFile | undefined {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as RecordFile;
    return value?.owner && Array.isArray(value.children) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the file atomically with its content; false when it exists. */
function create(file: string, record: RecordFile): boolean {
  const draft = join(dirname(file), `.start-${record.id}`);
  try {
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
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
    throw error;
  }
}

function putBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch {
    // Another start has taken the lock meanwhile.
  }
  rmSync(aside, { force: true });
}
