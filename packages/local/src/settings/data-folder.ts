import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";

/** Marks a folder that `npm start` made, and that `--fresh` may empty. */
const marker = "keyhub.json";

/** Matches every name that Keyhub creates in the data folder. `--fresh` deletes only these. */
const ownEntries =
  /^(postgres|logs|stack\.log|secrets\.json(\..*)?|running\.json(\..*)?|keyhub\.json|\.(initdb|start)-.*)$/;

/** Returns whether no start has used this folder: the folder is missing or empty. */
export function isUnused(wanted: string): boolean {
  try {
    return readdirSync(wanted).length === 0;
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}

/** Creates or checks the data folder and returns its real path. */
export function openDataFolder(wanted: string): string {
  try {
    makeFolder(resolve(wanted));
    const folder = realpathSync(wanted);
    const entries = readdirSync(folder);
    if (entries.length === 0) writeFileSync(join(folder, marker), '{ "keyhub": "data folder" }\n');
    else if (!isOurs(folder)) {
      throw new StartFailure(
        `${folder} contains other files and is not a data folder of Keyhub; name another one in KEYHUB_DATA_DIR.`,
      );
    }
    return folder;
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(explain(wanted, error));
  }
}

/** Deletes the files of earlier starts in a marked folder; the folder and any other file in it stay. */
export function emptyDataFolder(folder: string): void {
  if (!isOurs(folder)) return;
  try {
    for (const name of readdirSync(folder)) {
      if (ownEntries.test(name) && name !== marker && !name.startsWith("running.json"))
        remove(join(folder, name));
    }
  } catch (error) {
    throw new StartFailure(`cannot empty ${folder}: ${oneLine(error)}`);
  }
}

/** Deletes the files that an interrupted initdb has left. */
export function clearUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(".initdb-")) remove(join(folder, name));
  }
}

/** Refuses a database without its secrets, because no sealed key could be opened again. */
export function requireSecretsWithDatabase(folder: string): void {
  if (existsSync(join(folder, "postgres")) && !existsSync(join(folder, "secrets.json"))) {
    throw new StartFailure(
      `${folder} has a database but no secrets.json; put it back, or start from scratch with: npm start -- --fresh`,
    );
  }
}

function isOurs(folder: string): boolean {
  try {
    return readFileSync(join(folder, marker), "utf8").includes('"keyhub"');
  } catch {
    return false;
  }
}

/** Creates the folder and its parents one by one: in `/proc`, Node's recursive mkdir never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another start may have created the folder meanwhile.
    if (errorCode(error) === "EEXIST" && existsSync(folder)) return;
    throw error;
  }
  // Started as root, Postgres runs as another user, who must be able to enter the folders.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function explain(folder: string, error: unknown): string {
  const isFile = /^(?:EEXIST|ENOTDIR)$/.test(errorCode(error) ?? "");
  return `the data folder ${folder} ${isFile ? "is not a folder." : `cannot be used: ${oneLine(error)}`}`;
}
