import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { CommandFailure } from "../failure.ts";
import { readCsv } from "./csv.ts";
import { type Input, type Lookup, readEntry } from "./entry.ts";
import { readEnvFile } from "./env-file.ts";
import { linesOf, nothingRead, readPipe } from "./key-lines.ts";
import { readLitellm } from "./litellm.ts";
import { readTerminal } from "./terminal.ts";

export const FORMATS = ["lines", "csv", "env", "litellm"] as const;
export type InputFormat = (typeof FORMATS)[number];

/**
 * Reads keys from a file, or from standard input if no file is named. `from` is the file,
 * as in `--from .env`, or the format of the file `path`, as in `--from litellm config.yaml`.
 */
export async function readInput(
  from: string | undefined,
  path: string | undefined,
  lookup: Lookup,
): Promise<Input> {
  const given = FORMATS.find((format) => format === from);
  if (from !== undefined && given === undefined && path !== undefined)
    throw new CommandFailure(`--from is a file, or one of ${FORMATS.join(", ")} before a file`);
  const file = path ?? (given === undefined ? from : undefined);
  const bytes =
    file === undefined
      ? await readStandardInput("keys, one a line, or lines name=key")
      : await readBytes(file);
  const input = READERS[given ?? formatOf(file)](bytes, lookup);
  if (input.entries.length === 0) {
    throw input.others.length > 0
      ? new CommandFailure(`it has no key of a known provider (other settings: ${input.others.length})`)
      : nothingRead();
  }
  return input;
}

const READERS: Record<InputFormat, (bytes: Buffer, lookup: Lookup) => Input> = {
  lines: (bytes) => ({
    entries: [...linesOf(bytes)].map(({ text, number }) => readLine(text, number)),
    others: [],
  }),
  csv: (bytes) => readCsv(textOf(bytes)),
  env: (bytes, lookup) => readEnvFile(textOf(bytes), lookup),
  litellm: (bytes, lookup) => readLitellm(textOf(bytes), lookup),
};

/** Reads a line with a key or `name=key`. A text with `=` only at its end (base64) and a text that begins with `{` (JSON) are keys. */
function readLine(text: string, number: number) {
  const [, name, key] = (!text.startsWith("{") && /^([^=]+)=(.*[^=].*)$/.exec(text)) || [null, "", text];
  return readEntry(`line ${number}`, { name: name?.replace(/^export\s+/, "") ?? "", key: key ?? "" });
}

function formatOf(file: string | undefined): InputFormat {
  const name = basename(file ?? "").toLowerCase();
  if (/^\.env(\.|$)|\.env$/.test(name)) return "env";
  if (/\.ya?ml$/.test(name)) return "litellm";
  return name.endsWith(".csv") ? "csv" : "lines";
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandFailure("this is not UTF-8 text; nothing was written");
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    // The message does not repeat the name of the file, which may be a key in the wrong place.
    throw new CommandFailure(
      `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown fault"}`,
    );
  }
}

/** Reads standard input. Lines that are typed in a terminal are not shown. */
export function readStandardInput(what: string): Promise<Buffer> {
  const { stdin, stderr } = process;
  return stdin.isTTY ? readTerminal(stdin, what, (text) => stderr.write(text)) : readPipe(stdin);
}
