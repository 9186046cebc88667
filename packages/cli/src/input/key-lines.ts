import { faultOfKey, faultOfName, INVISIBLE } from "@keyhub/core/key-text";
import { CommandFailure } from "../failure.ts";

/** The largest input, in bytes. A longer one cannot be a list of keys. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;
/** A line `export NAME=…` is refused: `export NAME` would become the name of the key. */
const EXPORT = /^export\s/;

/** A key to seal. */
export interface NamedKey {
  /** The value of user_api_keys.key_name; null when the lines contain only keys. */
  name: string | null;
  key: string;
}

/**
 * Splits input into keys: one per line, trimmed, without empty lines. With `named`, lines have the form `name=key`. Throws a
 * CommandFailure with the number of the first bad line, never with its text. A line that repeats a name or key is bad, too.
 */
export function parseKeyLines(input: Buffer, named: boolean): NamedKey[] {
  const keys: NamedKey[] = [];
  const lines = { name: new Map<string, number>(), key: new Map<string, number>() };
  for (const { text, number } of linesOf(input)) {
    const entry = named ? splitLine(text, number) : { name: null, key: text };
    const fault = faultOfKey(entry.key);
    if (fault !== null) throw new CommandFailure(`line ${number} ${named ? "has a key that " : ""}${fault}`);
    if (entry.name !== null) refuseSecond(lines.name, entry.name, "name", number);
    refuseSecond(lines.key, entry.key, "key", number);
    keys.push(entry);
  }
  if (keys.length === 0) throw nothingRead();
  return keys;
}

/** Yields the trimmed lines that are not empty, with their numbers. Throws a CommandFailure at the first line that is not text. */
export function* linesOf(input: Buffer): Generator<{ text: string; number: number }> {
  let number = 0;
  for (let start = 0; start < input.length; ) {
    const found = input.indexOf(10, start);
    const end = found === -1 ? input.length : found;
    number += 1;
    const text = readLine(input.subarray(start, end), number);
    start = end + 1;
    if (text !== "") yield { text, number };
  }
}

export const nothingRead = () =>
  new CommandFailure("nothing was read: give keys on standard input, one a line");

function readLine(bytes: Buffer, number: number): string {
  let text: string;
  try {
    // Decoding also removes the byte order mark that some shells write first.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    throw new CommandFailure(`line ${number} is not UTF-8 text`);
  }
  if (INVISIBLE.test(text)) throw new CommandFailure(`line ${number} holds control or invisible characters`);
  return text;
}

/** Splits a line into the name before the first `=` and the key after it. */
export function splitLine(text: string, number: number): { name: string; key: string } {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  const key = text.slice(at + 1).trim();
  if (name === "" || key === "" || EXPORT.test(name)) {
    throw new CommandFailure(`line ${number} does not have the form name=key`);
  }
  const fault = faultOfName(name);
  if (fault !== null) throw new CommandFailure(`line ${number} has a name ${fault}`);
  return { name, key };
}

function refuseSecond(seen: Map<string, number>, value: string, what: string, number: number): void {
  const first = seen.get(value);
  if (first !== undefined) throw new CommandFailure(`line ${number} has the same ${what} as line ${first}`);
  seen.set(value, number);
}

/** Reads a pipe or a file to its end. */
export async function readPipe(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > MAX_INPUT_BYTES) throw new CommandFailure("this is too much input for a list of keys");
  }
  return Buffer.concat(chunks);
}
