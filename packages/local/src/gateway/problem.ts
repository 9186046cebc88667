import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ProblemCode, problem, renderProblem } from "@keyhub/core/problem";

/** Returns a refusal of the gateway itself as a Response. */
export function problemResponse(code: ProblemCode, detail: string): Response {
  const { status, headers, body } = renderProblem(problem(code, { detail }), randomUUID());
  return new Response(body, { status, headers });
}

/** Sends a refusal of the gateway itself with Node's server; `extra` has headers such as Allow. */
export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  detail: string,
  extra?: Record<string, string>,
): void {
  const { status, headers, body } = renderProblem(problem(code, { detail }), randomUUID(), extra);
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
}
