import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ProblemCode, problem, renderProblem } from "@keyhub/core/problem";

type Refusal = [code: ProblemCode, detail: string, headers?: Record<string, string>];

const render = ([code, detail, headers]: Refusal) =>
  renderProblem(problem(code, { detail }), randomUUID(), headers);

/** Returns a refusal of the gateway itself as a Response. */
export function problemResponse(...refusal: Refusal): Response {
  const { body, ...init } = render(refusal);
  return new Response(body, init);
}

/** Sends a refusal of the gateway itself with Node's server. */
export function sendProblem(response: ServerResponse, ...refusal: Refusal): void {
  const { status, headers, body } = render(refusal);
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
}
