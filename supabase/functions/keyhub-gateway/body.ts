import { keepBody } from "@keyhub/core/rotate";

export interface BodyLimits {
  /** The largest body in bytes that is kept in memory, so that it can be sent again with another key. */
  bufferBytes: number;
  maxBytes: number;
}

/** The body of a request: bytes can be sent again, a stream only once. `length` is the announced length of a stream, if there is one. */
export type RequestBody =
  | { resendable: true; content: Uint8Array<ArrayBuffer> | null }
  | {
      resendable: false;
      content: ReadableStream<Uint8Array>;
      length: string | null;
      /** Whether the stream has turned out to be larger than the limit. */
      isTooLarge(): boolean;
    };

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads a body up to the buffer's size; a larger body stays a stream. Returns null when the body is known to be larger than the limit. */
export async function readBody(
  request: Request,
  { bufferBytes, maxBytes }: BodyLimits,
): Promise<RequestBody | null> {
  if (request.body === null) return { resendable: true, content: null };
  const announced = request.headers.has("transfer-encoding") ? null : request.headers.get("content-length");
  // The announced length is reliable, because HTTP ends the body there.
  if (announced !== null && Number(announced) > maxBytes) {
    await request.body.cancel();
    return null;
  }
  if (announced !== null && Number(announced) <= bufferBytes)
    return { resendable: true, content: new Uint8Array(await request.arrayBuffer()) };
  if (announced !== null)
    return { resendable: false, content: request.body, length: announced, isTooLarge: () => false };

  const kept = await keepBody(request.body, bufferBytes);
  if ("bytes" in kept) return { resendable: true, content: kept.bytes };
  return { resendable: false, length: null, ...limited(kept.stream, maxBytes) };
}

/** Returns the same stream, except that it fails when it exceeds the limit. */
function limited(stream: ReadableStream<Bytes>, maxBytes: number) {
  let size = 0;
  const reader = stream.getReader();
  const content = new ReadableStream<Bytes>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.byteLength;
      if (size <= maxBytes) return controller.enqueue(value);
      void reader.cancel().catch(() => {});
      controller.error(new Error("the body is too large"));
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { content, isTooLarge: () => size > maxBytes };
}
