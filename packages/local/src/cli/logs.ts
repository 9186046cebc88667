import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { errorCode, oneLine } from "../failure.ts";
import { findFunctions } from "../functions/supervisor.ts";
import { logFile } from "../settings/log-file.ts";
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
  const lines = readLog().split("\n").slice(0, -1);
  const wanted = lines.filter((line) => service === undefined || line.split(" ", 2)[1] === `${service}:`);
  process.stdout.write(
    wanted
      .slice(-most)
      .map((line) => `${line}\n`)
      .join(""),
  );
  if (service === undefined || wanted.length > 0) return;
  const known = ["postgres", "rest", "site", "stack", ...(await findFunctions(functionsFolder))];
  if (!known.includes(service))
    throw new CommandFailure(
      `there is no service of that name; the services are: ${known.sort().join(", ")}`,
    );
  process.stderr.write(`${service} has logged nothing since the last start\n`);
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

function readLog(): string {
  try {
    return readFileSync(logFile(readSettings().dataDir), "utf8");
  } catch (error) {
    throw new CommandFailure(
      errorCode(error) === "ENOENT"
        ? "there are no logs: no stack has been started here (npm start)"
        : `the log cannot be read: ${oneLine(error)}`,
    );
  }
}

await runCommand(logs);
