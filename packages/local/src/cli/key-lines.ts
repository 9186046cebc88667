import { CommandFailure } from "./command.ts";

/** Longest key in bytes of UTF-8 (for an ASCII key: characters): far above any provider's, and sealed it fits a row. */
export const MAX_KEY_BYTES = 4096;
/** More than this is no list of keys; in bytes. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** Invisible when pasted, and no part of any key: control and format characters, line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Splits input into keys: one a line, without surrounding blanks, empty lines skipped. Throws a CommandFailure that
 * names the first bad line by its number and never by its text; then none of the keys is used.
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
    // Also drops the byte order mark that some shells put in front.
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
