import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { oneLine, StartFailure } from "./failure.ts";

const firstWords = "# Written by npm start";

/** Refuses, before anything is started, to write over a file of somebody else's. */
export function requireOwnEnvFile(file: string): void {
  if (!existsSync(file) || read(file).startsWith(firstWords)) return;
  throw new StartFailure(
    `${file} was not written by npm start; move it, or name another one in KEYHUB_ENV_FILE.`,
  );
}

/** Writes the settings for tools and tests. `id` tells this run's file from another's. */
export function writeEnvFile(file: string, id: string, env: Record<string, string>): void {
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  const text = [`${firstWords}; removed when it stops. Run ${id}`, ...lines, ""].join("\n");
  const draft = `${file}.${id}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new StartFailure(`cannot write ${file}: ${oneLine(error)}`);
  }
}

/** Removes the file if it is still the one that this run wrote. */
export function removeEnvFile(file: string, id: string): void {
  const [header] = read(file).split("\n");
  if (header?.startsWith(firstWords) && header.endsWith(id)) rmSync(file, { force: true });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
