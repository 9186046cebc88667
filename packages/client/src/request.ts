import { type Outgoing, parseUrl } from "@keyhub/core/rotate";
import { KeyhubRequestError } from "./errors.ts";

/** The arguments of fetch in one form. The body of a Request is a stream: the value that it was made from is not accessible. */
export function readRequest(input: RequestInfo | URL, init: RequestInit = {}): Outgoing {
  const request = typeof input === "object" && "headers" in input ? input : null;
  const url = parseUrl(request === null ? String(input) : request.url);
  // A runtime's own error would repeat the text.
  if (url === null) throw new KeyhubRequestError("the request has no absolute URL", { code: "invalid_url" });
  const { method, headers, body, redirect, signal, ...rest } = init;
  const content = body ?? request?.body ?? null;
  return {
    url,
    method: (method ?? request?.method ?? "GET").toUpperCase(),
    headers: new Headers(headers ?? request?.headers),
    body: content,
    resendable: isResendable(content),
    redirect: redirect ?? request?.redirect ?? "follow",
    signal: signal ?? request?.signal ?? undefined,
    rest,
  };
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
