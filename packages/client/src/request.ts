import { KEPT_BYTES, keepBody, type Outgoing, parseUrl, unlessAborted } from "@keyhub/core/rotate";
import { KeyhubRequestError } from "./errors.ts";

/**
 * Converts the arguments of fetch to one form. `check` may refuse the URL before a body is read.
 * The body of a Request is read so that it can be sent again, unless it is larger than
 * KEPT_BYTES. A stream that the caller gives as the body may never end, so it is not read.
 */
export async function readRequest(
  input: RequestInfo | URL,
  init: RequestInit = {},
  check: (url: URL) => void = () => {},
): Promise<Outgoing> {
  const request = typeof input === "object" && "headers" in input ? input : null;
  const url = parseUrl(request === null ? String(input) : request.url);
  // The runtime's own error would repeat the URL, which may contain a key.
  if (url === null) throw new KeyhubRequestError("the request has no absolute URL", { code: "invalid_url" });
  check(url);
  const { method, headers, body: given, redirect, signal: ownSignal, ...rest } = init;
  const signal = ownSignal ?? request?.signal ?? undefined;
  const body = given ?? (request === null ? null : await bodyOf(request, signal));
  return {
    url,
    method: (method ?? request?.method ?? "GET").toUpperCase(),
    headers: new Headers(headers ?? request?.headers),
    body,
    resendable: isResendable(body),
    redirect: redirect ?? request?.redirect ?? "follow",
    signal,
    rest,
  };
}

async function bodyOf({ body }: Request, signal: AbortSignal | undefined): Promise<BodyInit | null> {
  if (body === null) return null;
  const kept = await unlessAborted(keepBody(body, KEPT_BYTES), signal);
  return "bytes" in kept ? kept.bytes : kept.stream;
}

function isResendable(body: BodyInit | null): boolean {
  return (
    body === null ||
    typeof body === "string" ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) ||
    body instanceof Blob ||
    body instanceof URLSearchParams ||
    body instanceof FormData
  );
}
