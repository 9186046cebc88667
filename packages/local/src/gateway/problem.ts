import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ProblemCode, problem } from "@keyhub/core/problem";

/** The gateway's own refusals, in the form the functions use (RFC 9457). Readable from a browser page. */
function parts(code: ProblemCode, detail: string) {
  const document = { ...problem(code, { detail }), request_id: randomUUID() };
  const headers: Record<string, string> = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
  };
  if (document.status === 503) headers["retry-after"] = "1";
  return { status: document.status, headers, body: JSON.stringify(document) };
}

export function problemResponse(code: ProblemCode, detail: string): Response {
  const { status, headers, body } = parts(code, detail);
  return new Response(body, { status, headers });
}

export function sendProblem(response: ServerResponse, code: ProblemCode, detail: string): void {
  const { status, headers, body } = parts(code, detail);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}
