type Bytes = Uint8Array<ArrayBuffer>;

/** A body as bytes, which can be sent again, or as a stream if it is larger than the limit of kept bodies. */
export type KeptBody = { bytes: Bytes } | { stream: ReadableStream<Bytes> };

/** Reads a body of at most `limit` bytes to its end. For a larger body, returns a stream of the whole body. */
export async function keepBody(body: ReadableStream<Bytes>, limit: number): Promise<KeptBody> {
  const reader = body.getReader();
  const start: Bytes[] = [];
  let size = 0;
  while (size <= limit) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(start) };
    start.push(value);
    size += value.byteLength;
  }
  return {
    stream: new ReadableStream<Bytes>({
      async pull(controller) {
        const kept = start.shift();
        if (kept !== undefined) return controller.enqueue(kept);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    }),
  };
}

/** Joins pieces into one array of bytes. */
export function joined(pieces: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
