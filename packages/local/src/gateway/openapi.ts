import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { repositoryRoot } from "../settings/paths.ts";
import { sendProblem } from "./problem.ts";

/** Sends the committed OpenAPI document of the functions. Pages of other origins may read it. */
export async function sendOpenApi(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // Read the body to its end, or the client may get a connection reset instead of the answer.
  incoming.resume();
  if (incoming.method !== "GET" && incoming.method !== "HEAD") {
    sendProblem(outgoing, "method_not_allowed", "Use GET or HEAD.", { Allow: "GET, HEAD" });
    return;
  }
  const document = await readFile(join(repositoryRoot, "docs", "openapi.json")).catch(() => null);
  if (document === null) {
    sendProblem(outgoing, "not_found", "docs/openapi.json is missing.");
    return;
  }
  outgoing.writeHead(200, {
    "Access-Control-Allow-Origin": "*",
    "Content-Type": "application/json",
    "Content-Length": document.byteLength,
  });
  // Node sends no body in answer to HEAD.
  outgoing.end(document);
}
