import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { errorCode } from "../failure.ts";
import { findFunctions } from "../functions/supervisor.ts";
import { logFolder } from "../settings/log-files.ts";
import { functionsFolder } from "../settings/paths.ts";
import { readSettings } from "../settings/settings.ts";
import { CommandFailure, runCommand } from "./command.ts";

const usage = "npm run logs [-- <service>] [--lines <1-9999>]";

/**
 * `npm run logs`: prints the lines that the services of the local stack have logged since its last start, oldest first, even after the
 * stack has stopped. With a service's name, it prints only the lines of that service.
 */
async function logs(): Promise<void> {
  const { service, most } = readArguments();
  const folder = logFolder(readSettings().dataDir);
  const services = servicesIn(folder);
  if (service !== undefined && !services.includes(service)) {
    const known = ["postgres", "rest", "stack", ...(await findFunctions(functionsFolder))];
    if (!known.includes(service))
      throw new CommandFailure(
        `there is no service of that name; the services are: ${known.sort().join(", ")}`,
      );
    process.stderr.write(`${service} has logged nothing since the last start\n`);
    return;
  }
  const wanted = service === undefined ? services : [service];
  const lines = wanted.flatMap((name) => entriesOf(join(folder, `${name}.log`), name)).sort(byTime);
  const shown = lines.slice(-most).map(({ text, name }) => (service ? text : `${name}: ${text}`));
  process.stdout.write(shown.map((line) => `${line}\n`).join(""));
}

function readArguments(): { service: string | undefined; most: number } {
  try {
    const { values, positionals } = parseArgs({
      options: { lines: { type: "string", default: "100" } },
      allowPositionals: true,
    });
    if (positionals.length > 1 || !/^[1-9]\d{0,3}$/.test(values.lines)) throw new Error();
    return { service: positionals[0], most: Number(values.lines) };
  } catch {
    throw new CommandFailure(`the arguments are not valid; usage: ${usage}`);
  }
}

function servicesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".log"));
    return files.map((name) => name.slice(0, -".log".length)).sort();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new CommandFailure("there are no logs: no stack has been started here (npm start)");
  }
}

interface Entry {
  time: string;
  name: string;
  text: string;
}

/** Returns the lines of one file. Each begins with its time. The sort over all files is stable, so the lines of a file keep their order. */
function entriesOf(file: string, name: string): Entry[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((text) => ({ time: text.slice(0, 24), name, text }));
}

function byTime(a: Entry, b: Entry): number {
  return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
}

await runCommand(logs);
