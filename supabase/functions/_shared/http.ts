import { answerHeaders, type Fault, type Problem, problem, renderProblem } from "@keyhub/core/problem";
import { corsHeaders } from "@supabase/supabase-js/cors";
import { describeError } from "./log.ts";

/** What a handler is given once the request has passed the door. */
export interface Call<Caller> {
  request: Request;
  /** Who calls, as `identify` found. */
  caller: Caller;
  /** The parsed JSON body; undefined when there is none. */
  body: unknown;
  /** The part of the path after the function's name, decoded; null when there is none. */
  below: string | null;
  requestId: string;
}

/** A handler's answer: JSON for 2xx, or a problem. */
export type Answer = { status: number; body: unknown; headers?: Record<string, string> } | Refusal;

/** A problem; `log` is a line for the operator, without anything of the request, logged with the request id. */
export interface Refusal {
  problem: Problem;
  headers?: Record<string, string>;
  log?: string;
}

/** Who calls. Where that is not certain yet, `confirm` tells: null, or the refusal of who is not known after all. */
export interface Identified<Caller> {
  caller: Caller;
  confirm?: () => Promise<Refusal | null>;
}

export interface EndpointOptions<Caller> {
  /** The function's name, which its path begins with. */
  name: string;
  /** Largest body in bytes; a larger one is 413. */
  maxBytes: number;
  /** Whether the path may have one more part. */
  below?: boolean;
  /** Looks at the credential, before anything of the body is read. */
  identify: (request: Request) => Promise<Identified<Caller> | Refusal>;
  /** The fault of a text that is not to be parsed at all, since what it holds would take too much; null when it is. */
  excessive?: (text: string) => Fault | null;
  /** What is wrong with a body that can be parsed, as a detail of malformed_json; null when nothing is. */
  ambiguous?: (text: string, body: unknown) => string | null;
}

/**
 * The door of every POST endpoint: path, CORS, method, credential, size, JSON, in this order; and on the way out
 * problem+json, no-store and the request id. A fault that nobody expected is 500 without detail; its log line holds no
 * part of the request.
 */
export function endpoint<Caller>(
  options: EndpointOptions<Caller>,
  handle: (call: Call<Caller>) => Promise<Answer>,
): (request: Request) => Promise<Response> {
  const address = new RegExp(`^(?:/functions/v1)?/${options.name}(?:/([^/]+))?/?$`);
  return async (request) => {
    const requestId = crypto.randomUUID();
    try {
      const path = readPath(address.exec(URL.parse(request.url)?.pathname ?? ""), options);
      if (path === null) return respond(requestId, { problem: problem("not_found") });
      if (request.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { ...preflight, Allow: ALLOWED } });
      if (request.method !== "POST")
        return respond(requestId, { problem: problem("method_not_allowed"), headers: { Allow: ALLOWED } });
      const identified = await options.identify(request);
      if ("problem" in identified) {
        await request.body?.cancel();
        return respond(requestId, identified);
      }
      const { caller, confirm = async () => null } = identified;
      const text = await readText(request, options.maxBytes);
      // Whoever is not known is told nothing of a body, and has no large one read. A small one that is right needs no
      // question: what it asks for is refused to them anyway.
      const large = text === null || text.length > SMALL_BODY;
      const unknown = large ? await confirm() : null;
      if (unknown !== null) return respond(requestId, unknown);
      const read = text === null ? tooLarge(options) : readJson(request, text, options);
      const answer =
        "problem" in read ? read : await handle({ request, caller, body: read.body, ...path, requestId });
      const ofBody = "problem" in answer && OF_THE_BODY.has(answer.problem.status);
      return respond(requestId, (ofBody && !large ? await confirm() : null) ?? answer);
    } catch (error) {
      console.error(`request ${requestId} failed: ${describeError(error)}`);
      return respond(requestId, { problem: problem("internal_error") });
    }
  };
}

/** A body of so many characters is read in no time. */
const SMALL_BODY = 16_384;

/** What a refusal for the body's sake is answered with. */
const OF_THE_BODY = new Set([400, 415, 422]);

/** Largest body of both key endpoints, in bytes: room for a provider's whole error page, so that no report is lost. */
export const KEY_BODY_BYTES = 524_288;

const ALLOWED = "POST, OPTIONS";

/** What a page of another origin may send: asked before it does. */
const preflight = {
  ...corsHeaders,
  "Access-Control-Allow-Headers": `${corsHeaders["Access-Control-Allow-Headers"]}, idempotency-key`,
};

/** Null for a path that is not the function's, or an address that is none, by an odd Host header. */
function readPath(
  path: RegExpExecArray | null,
  { below = false }: { below?: boolean },
): { below: string | null } | null {
  if (path === null) return null;
  const [, part] = path;
  if (part === undefined) return { below: null };
  try {
    return below ? { below: decodeURIComponent(part) } : null;
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
  { ambiguous, excessive }: EndpointOptions<Caller>,
): { body: unknown } | Refusal {
  if (text.trim() === "") return { body: undefined };
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

/** Reads the body, or stops at the limit; null when it is larger. */
async function readText(request: Request, maxBytes: number): Promise<string | null> {
  const announced = request.headers.get("content-length");
  if (announced === null || request.headers.has("transfer-encoding")) return readStream(request, maxBytes);
  if (Number(announced) > maxBytes) {
    await request.body?.cancel();
    return null;
  }
  // HTTP ends such a body at the length that was announced; read whole, it costs a third of a stream.
  return request.text();
}

/** Into one buffer, that a body in very many pieces takes no more memory than in one. */
async function readStream(request: Request, maxBytes: number): Promise<string | null> {
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
  return new TextDecoder().decode(bytes.subarray(0, size));
}

const FIRST_BYTES = 65_536;

function respond(requestId: string, answer: Answer): Response {
  if ("problem" in answer) {
    if (answer.log !== undefined) console.error(`request ${requestId}: ${answer.log}`);
    const { status, headers, body } = renderProblem(answer.problem, requestId, answer.headers);
    return new Response(body, { status, headers });
  }
  const headers = { ...answerHeaders(requestId), ...answer.headers };
  return Response.json(answer.body, { status: answer.status, headers });
}
