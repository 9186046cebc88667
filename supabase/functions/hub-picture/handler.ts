import { cleanPicture, PICTURE } from "@keyhub/core/pictures";
import { problem } from "@keyhub/core/problem";
import { preflight, type Refusal, type Reply, readBytes, respond } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { describeError } from "../_shared/log.ts";
import { identifyGuestOrUser, identifyUser } from "../_shared/user.ts";

export interface Dependencies {
  database: HubDatabase;
}

/**
 * Answers requests for the picture that an owner uploads for a listing. `PUT hub-picture/<id or slug>` stores the bytes of the body without
 * their metadata, DELETE removes the picture, and `GET hub-picture/<id>/<sha256>` returns it to everybody who may see the listing.
 */
export function hubPicture({ database }: Dependencies): (request: Request) => Promise<Response> {
  return async (request) => {
    const requestId = crypto.randomUUID();
    try {
      const reply = await answer(request, database);
      return reply instanceof Response ? reply : respond(requestId, reply);
    } catch (error) {
      console.error(`request ${requestId} failed: ${describeError(error)}`);
      return respond(requestId, { problem: problem("internal_error") });
    }
  };
}

const ADDRESS = /^(?:\/functions\/v1)?\/hub-picture\/([^/]+)(?:\/([0-9a-f]{64}))?$/;

async function answer(request: Request, database: HubDatabase): Promise<Response | Reply> {
  const [, listing, sha256] = ADDRESS.exec(URL.parse(request.url)?.pathname ?? "") ?? [];
  const name = listing === undefined ? null : decoded(listing);
  if (name === null) return { problem: problem("not_found") };
  const Allow = sha256 === undefined ? "PUT, DELETE, OPTIONS" : "GET, HEAD, OPTIONS";
  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...preflight, Allow } });
  if (!Allow.includes(method)) return { problem: problem("method_not_allowed"), headers: { Allow } };
  return sha256 === undefined ? write(request, name, database) : read(request, name, sha256, database);
}

/** Decodes a part of the path; null when it is not valid UTF-8. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

async function write(request: Request, listing: string, database: HubDatabase): Promise<Reply> {
  const identified = await identifyUser(request, database);
  const picture = "problem" in identified || request.method === "DELETE" ? null : await readPicture(request);
  // The body of an unknown caller is not read, so that the caller learns nothing about it. A DELETE needs no body.
  if (picture === null) await request.body?.cancel();
  if ("problem" in identified) return identified;
  if (picture && "problem" in picture) return picture;
  const stored = await database.callRpc("hub_set_picture", {
    user_id: identified.caller.id,
    id_or_slug: listing,
    picture,
    hourly_limit: PICTURE.perHour,
  });
  return "problem" in stored ? stored : { status: 200, body: stored.data };
}

/** A picture in the form that the database stores. */
interface StoredPicture {
  media_type: string;
  /** The bytes in base64. */
  bytes: string;
  width: number;
  height: number;
}

/** Returns the picture in the body without its metadata. The content type and the file name are ignored. */
async function readPicture(request: Request): Promise<StoredPicture | Refusal> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  const bytes = announced > PICTURE.bytes ? null : await readBytes(request, PICTURE.bytes);
  if (bytes === null) {
    await request.body?.cancel();
    return { problem: problem("body_too_large", { detail: `The limit is ${PICTURE.bytes} bytes.` }) };
  }
  const cleaned = cleanPicture(bytes);
  if (!cleaned.ok) return { problem: problem("validation_failed", { errors: cleaned.faults }) };
  const { mediaType, width, height } = cleaned.value;
  return { media_type: mediaType, bytes: toBase64(cleaned.value.bytes), width, height };
}

async function read(
  request: Request,
  id: string,
  sha256: string,
  database: HubDatabase,
): Promise<Response | Reply> {
  const identified = await identifyGuestOrUser(request, database);
  if ("problem" in identified) return identified;
  if (!UUID.test(id)) return { problem: problem("asset_not_found") };
  const { caller } = identified;
  const found = await database.callRpcAs(caller?.token ?? null, "hub_picture", { asset_id: id, sha256 });
  if ("problem" in found) return found;
  if (found.data === null) return { problem: problem("asset_not_found") };
  const { media_type, bytes } = found.data as Pick<StoredPicture, "media_type" | "bytes">;
  const headers = {
    // Only five minutes, so that the picture of a hidden listing disappears soon. `private`: others may not see what this user sees.
    "Cache-Control": caller === null ? "public, max-age=300" : "private, max-age=300",
    Vary: "Authorization",
    ETag: `"${sha256}"`,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
  const known = request.headers.get("if-none-match") ?? "";
  if (known.includes(`"${sha256}"`) || known.trim() === "*")
    return new Response(null, { status: 304, headers });
  const body = request.method === "HEAD" ? null : fromBase64(bytes);
  return new Response(body, { headers: { ...headers, "Content-Type": media_type } });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The number of bytes for one call of `fromCharCode`, because a runtime limits the number of arguments of a call. */
const STEP = 8_190;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += STEP)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
