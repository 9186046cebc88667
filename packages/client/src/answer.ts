import {
  CANCELLED,
  EventErrors,
  type Failure,
  failureOf,
  retryAfter,
  SUCCESS,
  TOLD_CHARACTERS,
  type Told,
} from "@keyhub/core/rotate";
import type { Leased } from "./lease.ts";
import { maskBytes, masked } from "./secrecy.ts";

/** So much of an error's body is read before it is handed on, and for so long at most. */
const ERROR_BYTES = 65_536;
const ERROR_MS = 2_000;

/** An error of the provider, with the beginning of its body already read. */
export interface ErrorAnswer {
  failure: Failure;
  discard(): void;
  /** The provider's response, untouched but for an echo of the key. `exhausted`: sending it again is not for the caller. */
  response(exhausted: boolean): Response;
}

export async function readError(original: Response, lease: Leased, url: string): Promise<ErrorAnswer> {
  const reader = original.body?.getReader();
  const { bytes, ended } =
    reader === undefined ? { bytes: new Uint8Array(), ended: true } : await readStart(reader);
  maskBytes(bytes, lease.key);
  const text = new TextDecoder().decode(bytes).slice(0, TOLD_CHARACTERS);
  const wait = retryAfter((name) => original.headers.get(name));
  return {
    failure: {
      status: "fail",
      error_code: original.status,
      ...(wait !== null && { retry_after: wait }),
      ...(text !== "" && { error_message: text }),
    },
    discard: () => void reader?.cancel().catch(() => {}),
    response: (exhausted) => {
      const headers = new Headers();
      for (const [name, value] of original.headers) headers.append(name, masked(value, lease.key));
      if (exhausted) headers.set("x-should-retry", "false");
      if (reader === undefined) return rebuild(original, null, headers, url);
      const body = new ReadableStream<Uint8Array>({
        type: "bytes",
        start(controller) {
          if (bytes.byteLength > 0) controller.enqueue(bytes);
          if (ended) controller.close();
        },
        async pull(controller) {
          await pump(reader, controller, () => {});
        },
        cancel: (reason) => reader.cancel(reason),
      });
      return rebuild(original, body, headers, url);
    },
  };
}

/** The first bytes of a body; what is not there in time is left for the caller. */
async function readStart(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  let late = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ERROR_MS);
  });
  while (size < ERROR_BYTES && !ended && !late) {
    const reading = reader.read().catch(() => ({ done: true as const, value: undefined }));
    const read = await Promise.race([reading, end]);
    if (read === null) {
      // What comes later has a reader that nobody waits for: the body ends here.
      late = true;
      ended = true;
      void reader.cancel().catch(() => {});
    } else if (read.done) ended = true;
    else {
      chunks.push(read.value);
      size += read.value.byteLength;
    }
  }
  clearTimeout(timer);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { bytes, ended };
}

/**
 * The provider's response to a success, streaming. `tell` is called at the end of the body, when its reader gives it up, or
 * when it breaks; the first report counts. An error event in a stream of events is reported at once, as its code.
 */
export function watchSuccess(
  original: Response,
  url: string,
  signal: AbortSignal | undefined,
  tell: (told: Told) => void,
): Response {
  if (original.body === null) {
    tell(SUCCESS);
    return rebuild(original, null, original.headers, url);
  }
  const reader = original.body.getReader();
  const isEvents = /^text\/event-stream\b/i.test(original.headers.get("content-type") ?? "");
  const events = isEvents ? new EventErrors() : null;
  const decoder = isEvents ? new TextDecoder() : null;
  const body = new ReadableStream<Uint8Array>({
    type: "bytes",
    async pull(controller) {
      try {
        const ended = await pump(reader, controller, (chunk) => {
          events?.push(decoder?.decode(chunk, { stream: true }) ?? "");
          // At once: its reader may go without giving the body up.
          if (events?.failure) tell(events.failure);
        });
        if (ended) tell(events?.end() ?? SUCCESS);
      } catch (error) {
        tell(events?.failure ?? (signal?.aborted ? CANCELLED : failureOf(error)));
        throw error;
      }
    },
    // Its reader has what it wanted.
    cancel(reason) {
      tell(events?.failure ?? (signal?.aborted ? CANCELLED : SUCCESS));
      return reader.cancel(reason);
    },
  });
  return rebuild(original, body, original.headers, url);
}

/** Hands one piece on; true at the end. */
async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamController<Uint8Array>,
  look: (chunk: Uint8Array) => void,
): Promise<boolean> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      controller.close();
      // A reader with a buffer of its own waits for this.
      (controller as ReadableByteStreamController).byobRequest?.respond(0);
      return true;
    }
    if (value.byteLength === 0) continue;
    look(value);
    controller.enqueue(value as Uint8Array<ArrayBuffer>);
    return false;
  }
}

/** A response like the original, with the URL that the caller asked for: with `?key=` the real one holds the key. */
function rebuild(
  original: Response,
  body: ReadableStream<Uint8Array> | null,
  headers: Headers,
  url: string,
): Response {
  const { status, statusText } = original;
  const response = new Response(body as BodyInit | null, { status, statusText, headers });
  return Object.defineProperty(response, "url", { value: url, enumerable: true });
}
