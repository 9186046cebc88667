import { EventErrors, REPORTED_CHARACTERS } from "./event-errors.ts";
import { Gatherer, type GatherPorts, type PieceReader } from "./gather.ts";
import { joined } from "./kept-body.ts";
import { type KeyMask, maskBytes, masked } from "./key-mask.ts";
import { retryAfter } from "./retry-after.ts";
import { type Failure, type Report, type Sleep, SUCCESS } from "./types.ts";

/** How many bytes of an error's body are read before the answer is passed on, and for how long at most. */
const ERROR_BYTES = 65_536;
const ERROR_MS = 2_000;

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** An error of the provider; the beginning of its body has been read. */
export interface ErrorResponse {
  failure: Failure;
  discard(): void;
  /** The headers, in which the key is masked if the provider repeats it. */
  headers: Headers;
  /** Returns the body; null if there is none. If the body repeats the key, the key is masked: at the start, or everywhere with `mask`. */
  body(mask?: KeyMask): Bytes | null;
}

export async function readError(original: Response, key: string, wait: Sleep): Promise<ErrorResponse> {
  const reader = original.body?.getReader();
  const { bytes, ended } =
    reader === undefined ? { bytes: new Uint8Array(), ended: true } : await readStart(reader, wait);
  const beginning = bytes.slice();
  maskBytes(beginning, key);
  const text = new TextDecoder().decode(beginning).slice(0, REPORTED_CHARACTERS);
  const retry_after = retryAfter(original.headers, original.status);
  return {
    failure: {
      status: "fail",
      error_code: original.status,
      ...(retry_after !== null && { retry_after }),
      ...(text !== "" && { error_message: text }),
    },
    discard: () => void reader?.cancel().catch(() => {}),
    headers: withoutEcho(original.headers, key),
    body(mask) {
      if (reader === undefined) return null;
      const start = mask === undefined ? beginning : mask.push(bytes);
      return new ReadableStream({
        type: "bytes",
        start(controller) {
          if (start.byteLength > 0) controller.enqueue(start);
          if (ended) close(controller, mask);
        },
        pull: (controller) => pump(reader, controller, { mask }).then(() => {}),
        cancel: (reason) => reader.cancel(reason),
      });
    },
  };
}

/** Returns the headers with stars instead of the key, without the headers whose name contains the key. */
export function withoutEcho(original: Headers, key: string): Headers {
  const headers = new Headers();
  // Header names are in lower case, so the key is compared in lower case. A header with the key in its name only repeats the key.
  const inName = key.toLowerCase();
  for (const [name, value] of original)
    if (key === "" || !name.includes(inName)) headers.append(name, masked(value, key));
  return headers;
}

/** Reads the first bytes of a body. Bytes after ERROR_BYTES are left to the caller. Bytes that arrive after ERROR_MS are lost. */
async function readStart(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, wait: Sleep) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  let late = false;
  const read = new AbortController();
  const end = wait(ERROR_MS, read.signal).then(
    () => null,
    () => null,
  );
  while (size < ERROR_BYTES && !ended && !late) {
    const reading = reader.read().catch(() => ({ done: true as const, value: undefined }));
    const piece = await Promise.race([reading, end]);
    if (piece === null) {
      // The next bytes would go to the read that was abandoned, so the body ends here.
      late = true;
      ended = true;
      void reader.cancel().catch(() => {});
    } else if (piece.done) ended = true;
    else {
      chunks.push(piece.value);
      size += piece.value.byteLength;
    }
  }
  read.abort();
  return { bytes: joined(chunks), ended };
}

export interface WatchOptions {
  /** Called when the body ends, breaks, is cancelled or contains an error event. Only the first call has an effect. */
  report(report: Report): void;
  /** Returns the report for a reader that cancels the body. */
  cancelled(): Report;
  /** Returns the report for a body that breaks. */
  broken(error: unknown): Report;
  /** Masks the key in the body. */
  mask?: KeyMask;
  /** Joins small pieces that arrive fast. */
  gather?: GatherPorts;
}

/** Returns the streaming body of a success. An error event in a stream of events is reported at once, with its code. */
export function watchBody(
  original: Response,
  { report, cancelled, broken, mask, gather }: WatchOptions,
): Bytes | null {
  if (original.body === null) {
    report(SUCCESS);
    return null;
  }
  const reader: PieceReader =
    gather === undefined ? original.body.getReader() : new Gatherer(original.body, gather);
  const isEvents = /^text\/event-stream\b/i.test(original.headers.get("content-type") ?? "");
  const events = isEvents ? new EventErrors() : null;
  const decoder = isEvents ? new TextDecoder() : null;
  const look = (chunk: Uint8Array) => {
    const text = decoder?.decode(chunk, { stream: true });
    events?.push(text ?? "");
    // The report is made at once, because the reader may stop without cancelling the body.
    if (events?.failure) report(events.failure);
    return text;
  };
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      try {
        if (await pump(reader, controller, { mask, look })) report(events?.end() ?? SUCCESS);
      } catch (error) {
        report(events?.failure ?? broken(error));
        throw error;
      }
    },
    // A reader may cancel after an error event. Then the report is still about that error.
    cancel(reason) {
      report(events?.failure ?? cancelled());
      return reader.cancel(reason);
    },
  });
}

interface Passing {
  mask?: KeyMask | undefined;
  /** Called with each piece, to find errors. Returns the decoded piece, or undefined if the piece was not decoded. */
  look?: (chunk: Uint8Array) => string | undefined;
}

/** Passes on one piece of a body. Returns true at the end of the body. */
async function pump(
  reader: Pick<PieceReader, "read">,
  controller: ReadableByteStreamController,
  { mask, look }: Passing,
): Promise<boolean> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      close(controller, mask);
      return true;
    }
    const text = look?.(value);
    const passed = mask === undefined ? value : mask.push(value, text);
    if (passed.byteLength === 0) continue;
    controller.enqueue(passed);
    return false;
  }
}

function close(controller: ReadableByteStreamController, mask: KeyMask | undefined): void {
  const rest = mask?.end();
  if (rest !== undefined && rest.byteLength > 0) controller.enqueue(rest);
  controller.close();
  // A reader that supplied its own buffer (BYOB) waits until this call answers it.
  controller.byobRequest?.respond(0);
}
