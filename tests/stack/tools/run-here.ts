import { Console } from "node:console";
import { Readable, Writable } from "node:stream";
import { main } from "../../../packages/cli/src/command.ts";
import { type ToolOptions, type ToolRun, toolEnvironment, toolPath } from "./run-tool.ts";

/*
 * Runs tools inside the process of the tests, because a process of its own costs half a second of processor time. In each file that does
 * so, some test starts the real process, too.
 */

/** Runs the command `keyhub`. */
export function runKeyhubHere(options: ToolOptions = {}): Promise<ToolRun> {
  return runHere(() => main(options.args ?? []), options);
}

let runs = 0;

/** Runs a tool of packages/local/src/cli. A tool begins its work when its file is imported, so each run imports the file again. */
export function runToolHere(tool: string, options: ToolOptions = {}): Promise<ToolRun> {
  runs += 1;
  const file = `${toolPath(tool)}?run=${runs}`;
  return runHere(() => import(/* @vite-ignore */ file), options);
}

/** The signals that some tools handle. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let isBusy = false;

async function runHere(work: () => Promise<unknown>, options: ToolOptions): Promise<ToolRun> {
  if (isBusy) throw new Error("only one tool at a time can have this process: use runTool or runKeyhub");
  isBusy = true;
  const [stdout, stderr] = [collect(), collect()];
  const replaced = {
    argv: [process.execPath, "tool", ...(options.args ?? [])],
    env: toolEnvironment(options.env),
    stdin: Readable.from([Buffer.from(options.input ?? "")]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const own = Object.keys(replaced).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  const ownListeners = SIGNALS.map((signal) => process.listeners(signal));
  const [ownConsole, ownExitCode] = [globalThis.console, process.exitCode];
  try {
    for (const [name, value] of Object.entries(replaced))
      Object.defineProperty(process, name, { value, configurable: true, writable: true });
    globalThis.console = new Console(stdout.stream, stderr.stream);
    process.exitCode = undefined;
    const ended = await work();
    const code = typeof ended === "number" ? ended : Number(process.exitCode ?? 0);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor ?? {});
    globalThis.console = ownConsole;
    process.exitCode = ownExitCode;
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal))
        if (!ownListeners[index]?.includes(listener)) process.off(signal, listener);
    isBusy = false;
  }
}

function collect(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, encoding, done) {
      chunks.push(Buffer.from(chunk, encoding as NodeJS.BufferEncoding));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
