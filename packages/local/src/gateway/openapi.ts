import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "../settings/paths.ts";
import { problemResponse } from "./problem.ts";

/** Returns the committed OpenAPI document of the functions. Pages of other origins may read it. */
export async function openApi({ method }: Request): Promise<Response> {
  if (method !== "GET" && method !== "HEAD")
    return problemResponse("method_not_allowed", "Use GET or HEAD.", { Allow: "GET, HEAD" });
  const document = await readFile(join(repositoryRoot, "docs", "openapi.json"));
  return new Response(document, {
    headers: { "Access-Control-Allow-Origin": "*", "Content-Type": "application/json" },
  });
}
