import { type Fault, type Problem, problem, renderProblem, replyHeaders } from "@keyhub/core/problem";
import { corsHeaders } from "@supabase/supabase-js/cors";
import { describeError } from "./log.ts";

/** The call that a handler gets after `endpoint` has accepted the request. */
export interface Call<Caller> {
  request: Request;
  /** The caller that `identify` found. */
  caller: Caller;
  /** The parsed JSON body; undefined when there is none. */
  body: unknown;
  /** The body exactly as it was sent, for checking a signature. */
  text: string;
  /** The part of the path after the function's name, decoded; null when there is none. */
  pathSuffix: string | null;
  requestId: string;
}

/** The reply of a handler: JSON with status 2xx, or a problem. */
export type Reply = { status: number; body: unknown; headers?: Record<string, string> } | Refusal;

/** A problem. `log` is a line for the operator, which is logged with the request id; it must not contain any part of the request. */
export interface Refusal {
  problem: Problem;
  headers?: Record<string, string>;
  log?: string;
}

/**
 * The caller that a credential names. `confirm` is there only if the caller is not verified yet: it returns a refusal, or null if the
 * caller exists.
 */
export interface Identified<Caller> {
  caller: Caller;
  confirm?: () => Promise<Refusal | null>;
}

export interface EndpointOptions<Caller> {
  /** The function's name, the first part of its path. */
  name: string;
  /** Largest body in bytes; a larger one gets status 413. */
  maxBytes: number;
  /** Whether the path may have one more part after the name. */
  hasPathSuffix?: boolean;
  /** Returns the answer to a GET, which needs no credential; without this option GET is refused. */
  describe?: () => unknown;
  /** Whether the body is not parsed, so that the handler gets only the text that was sent. */
  isRaw?: boolean;
  /** Finds the caller by the credential of the request. Called before the body is read. */
  identify: (request: Request) => Promise<Identified<Caller> | Refusal>;
  /** Returns a fault for a text that would cost too much to parse; null when it may be parsed. */
  excessive?: (text: string) => Fault | null;
  /** Returns the detail of malformed_json for a body that parses but is ambiguous (such as repeated keys); null for any other body. */
  ambiguous?: (text: string, body: unknown) => string | null;
}

/**
 * Wraps the handler of a POST endpoint. Checks path, method, credential, size and JSON, in this order. Refusals are sent as problem+json.
 * Every answer except that to a CORS preflight has `no-store` and the request id. An unexpected error is a 500 without detail. The log line
 * about it contains no part of the request, except in the local stack, which logs whole errors (log.ts).
 */
export function endpoint<Caller>(
  options: EndpointOptions<Caller>,
  handle: (call: Call<Caller>) => Promise<Reply>,
): (request: Request) => Promise<Response> {
  const address = new RegExp(`^(?:/functions/v1)?/${options.name}(?:/([^/]+))?/?$`);
  return async (request) => {
    const requestId = crypto.randomUUID();
    try {
      const path = readPath(address.exec(URL.parse(request.url)?.pathname ?? ""), options);
      if (path === null) return respond(requestId, { problem: problem("not_found") });
      const Allow = options.describe && path.pathSuffix === null ? "GET, POST, OPTIONS" : "POST, OPTIONS";
      if (request.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { ...preflight, Allow } });
      if (request.method === "GET" && options.describe && path.pathSuffix === null)
        return respond(requestId, { status: 200, body: options.describe() });
      if (request.method !== "POST")
        return respond(requestId, { problem: problem("method_not_allowed"), headers: { Allow } });
      const identified = await options.identify(request);
      if ("problem" in identified) {
        await request.body?.cancel();
        return respond(requestId, identified);
      }
      const { caller, confirm = async () => null } = identified;
      const text = await readText(request, options.maxBytes);
      // The caller of a large body is verified before the body is parsed. With a small body, the RPC itself refuses an unknown caller. If
      // the body is refused, the caller is verified before the answer, so that an unknown caller learns nothing about its body.
      const large = text === null || text.length > SMALL_BODY;
      const unknown = large ? await confirm() : null;
      if (unknown !== null) return respond(requestId, unknown);
      const read = text === null ? tooLarge(options) : readJson(request, text, options);
      const reply =
        "problem" in read
          ? read
          : await handle({ request, caller, body: read.body, text: text ?? "", ...path, requestId });
      const isAboutBody = "problem" in reply && BODY_STATUSES.has(reply.problem.status);
      return respond(requestId, (isAboutBody && !large ? await confirm() : null) ?? reply);
    } catch (error) {
      console.error(`request ${requestId} failed: ${describeError(error)}`);
      return respond(requestId, { problem: problem("internal_error") });
    }
  };
}

/** The length in characters up to which parsing a body takes hardly any time. */
const SMALL_BODY = 16_384;

/** Statuses of refusals that are about the body. */
const BODY_STATUSES = new Set([400, 415, 422]);

/** Largest body of both key endpoints, in bytes: room for a provider's whole error page, so that no report is lost. */
export const KEY_BODY_BYTES = 524_288;

/** The headers of the answer to a CORS preflight: pages of every origin may call, also with an idempotency key. */
export const preflight = {
  ...corsHeaders,
  "Access-Control-Allow-Headers": `${corsHeaders["Access-Control-Allow-Headers"]}, idempotency-key`,
};

/** Returns the suffix of the path; null when the function does not serve that path or the URL cannot be parsed (an odd Host header). */
function readPath(
  path: RegExpExecArray | null,
  { hasPathSuffix = false }: { hasPathSuffix?: boolean },
): { pathSuffix: string | null } | null {
  if (path === null) return null;
  const [, part] = path;
  if (part === undefined) return { pathSuffix: null };
  try {
    return hasPathSuffix ? { pathSuffix: decodeURIComponent(part) } : null;
  } catch {
    return null;
  }
}

function tooLarge({ maxBytes }: { maxBytes: number }): Refusal {
  return { problem: problem("body_too_large", { detail: `The limit is ${maxBytes} bytes.` }) };
}

function readJson<Caller>(
  request: Request,
  text: string,
  { ambiguous, excessive, isRaw }: EndpointOptions<Caller>,
): { body: unknown } | Refusal {
  if (isRaw || text.trim() === "") return { body: undefined };
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    return { problem: problem("unsupported_media_type") };
  }
  const excess = excessive?.(text) ?? null;
  if (excess !== null) return { problem: problem("validation_failed", { errors: [excess] }) };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { problem: problem("malformed_json") };
  }
  const detail = ambiguous?.(text, body) ?? null;
  return detail === null ? { body } : { problem: problem("malformed_json", { detail }) };
}

/** Returns the body as text; null when the body is larger than `maxBytes`, and then its rest is not read. */
async function readText(request: Request, maxBytes: number): Promise<string | null> {
  const announced = request.headers.get("content-length");
  if (announced === null || request.headers.has("transfer-encoding")) {
    const bytes = await readBytes(request, maxBytes);
    return bytes && new TextDecoder().decode(bytes);
  }
  if (Number(announced) > maxBytes) {
    await request.body?.cancel();
    return null;
  }
  // HTTP ends the body at its announced length, so its size needs no check here. Reading the whole body with `text()` takes a third of the
  // time of reading a stream.
  return request.text();
}

/**
 * Reads the body. Returns null, and stops reading, when the body is larger than `maxBytes`. One growing buffer takes all bytes, so that a
 * body in many small pieces needs no more memory than a body in one piece.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  let bytes = new Uint8Array(FIRST_BYTES);
  let size = 0;
  for await (const chunk of request.body ?? []) {
    const end = size + chunk.byteLength;
    if (end > maxBytes) return null;
    if (end > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * bytes.byteLength)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(chunk, size);
    size = end;
  }
  return bytes.subarray(0, size);
}

const FIRST_BYTES = 65_536;

/** Turns a reply into the response that is sent, and logs the line for the operator. */
export function respond(requestId: string, reply: Reply): Response {
  if ("problem" in reply) {
    if (reply.log !== undefined) console.error(`request ${requestId}: ${reply.log}`);
    const { status, headers, body } = renderProblem(reply.problem, requestId, reply.headers);
    return new Response(body, { status, headers });
  }
  const headers = { ...replyHeaders(requestId), ...reply.headers };
  return Response.json(reply.body, { status: reply.status, headers });
}
