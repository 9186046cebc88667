import { problem } from "@keyhub/core/problem";
import type { Identified, Refusal } from "./http.ts";

/** Checks that the caller has the project's secret key, in the header `apikey` or as a bearer token. */
export async function identifyService(
  request: Request,
  secretKeys: readonly string[],
): Promise<Identified<"service"> | Refusal> {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.get("authorization")?.trim() ?? "")?.[1];
  const given = [request.headers.get("apikey")?.trim(), bearer].filter((key) => key !== undefined);
  if (given.length === 0) return { problem: problem("missing_credential") };
  const hashes = await Promise.all(given.map(hashOf));
  for (const key of secretKeys) if (hashes.includes(await hashOf(key))) return { caller: "service" };
  return { problem: problem("invalid_credential") };
}

/** Hashes a key. The hashes are compared instead of the keys, so that the time of a comparison reveals nothing about a key. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest)).join();
}
