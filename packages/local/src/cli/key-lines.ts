import { CommandFailure } from "./command.ts";

/** Longest key in bytes of UTF-8: far longer than any provider's, and short enough to fit a row when sealed. */
export const MAX_KEY_BYTES = 4096;
/** Largest input, in bytes: more cannot be a list of keys. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** Characters that nobody sees when pasting and that no key has: control, format, line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Splits input into keys: one per line, trimmed, empty lines skipped. Throws a CommandFailure with the number of the first bad
 * line, never its text; then no key is used.
 */
export function parseKeyLines(input: Buffer): string[] {
  const keys: string[] = [];
  let number = 0;
  for (let start = 0; start < input.length; ) {
    const found = input.indexOf(10, start);
    const end = found === -1 ? input.length : found;
    number += 1;
    const key = parseKeyLine(input.subarray(start, end), number);
    if (key !== "") keys.push(key);
    start = end + 1;
  }
  if (keys.length === 0)
    throw new CommandFailure("nothing was read: give keys on standard input, one a line");
  return keys;
}

function parseKeyLine(bytes: Buffer, number: number): string {
  let text: string;
  try {
    // Also removes the byte order mark that some shells put in front.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    throw new CommandFailure(`line ${number} is not UTF-8 text`);
  }
  if (Buffer.byteLength(text) > MAX_KEY_BYTES) {
    throw new CommandFailure(`line ${number} is longer than ${MAX_KEY_BYTES} characters`);
  }
  if (INVISIBLE.test(text)) throw new CommandFailure(`line ${number} holds control or invisible characters`);
  return text;
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
