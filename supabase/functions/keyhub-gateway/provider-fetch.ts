import { Duplex } from "node:stream";
import { createGunzip } from "node:zlib";
import { problem } from "@keyhub/core/problem";
import { Refused } from "./refused.ts";

/**
 * Wraps `fetch` for calls of a provider: a body is sent only once, the answer is never encoded, and its status is one that a Response can
 * have. When the connection breaks before the answer, Deno silently sends a text or bytes again, so bytes are sent as a stream, which Deno
 * cannot send again. Deno leaves an answer encoded if the request has `accept-encoding`. A key in an encoded answer would not be found and
 * masked, so the answer is decoded here.
 */
export function providerFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, sentOnce(init));
    // The only transfer coding that Deno decodes is chunked. In another coding, a key would not be found and masked.
    if (!/^(?:chunked)?$/i.test(response.headers.get("transfer-encoding")?.trim() ?? ""))
      return refuse(response, "The provider's answer has a transfer coding other than chunked.");
    // A Response cannot be made with another status. A provider may send 101, which has no answer after it, or 999, which is not a status
    // of HTTP.
    if (response.status >= 200 && response.status <= 599) return decoded(response);
    return refuse(response, `The provider answers with status ${response.status}.`);
  };
}

function sentOnce(init: RequestInit | undefined): RequestInit | undefined {
  const body = init?.body;
  if (!(body instanceof Uint8Array)) return init;
  const headers = new Headers(init?.headers);
  headers.set("content-length", String(body.byteLength));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (body.byteLength > 0) controller.enqueue(body);
      controller.close();
    },
  });
  return { ...init, headers, body: stream, duplex: "half" } as RequestInit;
}

/** Decodes gzip, and refuses any other encoding. `responseHeaders` later removes the headers about the encoding. */
async function decoded(response: Response): Promise<Response> {
  const encoding = (response.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity" || response.body === null) return response;
  if (encoding !== "gzip" && encoding !== "x-gzip")
    return refuse(response, "The provider's answer has an encoding that was not accepted.");
  const { first, body } = await peek(response.body);
  // Some runtimes have decoded the body already, but leave the header.
  const isEncoded = first[0] === 0x1f && first[1] === 0x8b;
  const { status, statusText, headers } = response;
  return new Response(isEncoded ? body.pipeThrough(gunzip()) : body, { status, statusText, headers });
}

/** Returns a stream that decodes gzip, including data with several members; DecompressionStream alone fails at the second member. */
function gunzip(): ReadableWritablePair<Bytes, Bytes> {
  return Duplex.toWeb(createGunzip()) as ReadableWritablePair<Bytes, Bytes>;
}

async function refuse(response: Response, detail: string): Promise<never> {
  await response.body?.cancel();
  throw new Refused({ problem: problem("upstream_refused", { detail }) });
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the first two bytes of a stream, and the whole stream. */
async function peek(
  stream: ReadableStream<Uint8Array>,
): Promise<{ first: Bytes; body: ReadableStream<Bytes> }> {
  const reader = (stream as ReadableStream<Bytes>).getReader();
  const start: Bytes[] = [];
  let size = 0;
  while (size < 2) {
    const { done, value } = await reader.read();
    if (done) break;
    start.push(value);
    size += value.byteLength;
  }
  const first = new Uint8Array(start.flatMap((piece) => [...piece.subarray(0, 2)]));
  const body = new ReadableStream<Bytes>({
    async pull(controller) {
      const kept = start.shift();
      if (kept !== undefined) return controller.enqueue(kept);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first, body };
}
