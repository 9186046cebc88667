import { problem } from "@keyhub/core/problem";
import {
  holdsAgentToken,
  isLoopback,
  isPrivateHost,
  requestHeaders,
  secureReply,
  targetOf,
  type Upstream,
  type Upstreams,
  withoutAgentTokens,
  withoutParameter,
} from "@keyhub/core/upstream";
import { corsHeaders } from "@supabase/supabase-js/cors";
import { identifyAgent } from "../_shared/caller.ts";
import type { Database } from "../_shared/database.ts";
import { type Refusal, respond } from "../_shared/http.ts";
import { describeError } from "../_shared/log.ts";
import { type Address, readAddress, readToken } from "./address.ts";
import { type BodyLimits, readBody } from "./body.ts";
import { type ForwardDependencies, type Forwarded, forward } from "./forward.ts";
import { bodyTooLarge, CallerGone, Refused, unreached } from "./refused.ts";

export interface Dependencies extends ForwardDependencies {
  database: Database;
  upstreams: () => Upstreams;
  limits: BodyLimits;
  /** Returns the addresses of a host; none when they cannot be looked up. */
  resolve: (host: string) => Promise<string[]>;
  /** Allows an upstream on this machine; only for development. */
  allowLoopback: boolean;
}

/** How long the gateway waits for a body before it checks that the caller is known, in milliseconds. */
const BODY_MS = 50;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const ALLOWED = [...METHODS, "OPTIONS"].join(", ");

/** The headers of the answer to a CORS preflight: a page may send any header that its SDK sends. */
const PREFLIGHT = {
  ...corsHeaders,
  "Access-Control-Allow-Headers": "authorization, *",
  "Access-Control-Allow-Methods": ALLOWED,
  Allow: ALLOWED,
};

/**
 * Answers `keyhub-gateway/<provider>/<path…>` with an agent token in the place of the key: sends the request with a leased key, and returns
 * the provider's own answer.
 */
export function keyhubGateway(dependencies: Dependencies): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await answer(request, dependencies).catch((error) => refusal(request, error));
    secureReply(response.headers);
    return response;
  };
}

async function refusal(request: Request, error: unknown): Promise<Response> {
  const requestId = crypto.randomUUID();
  // Cancelling fails while a part of the body is still being read.
  await request.body?.cancel().catch(() => {});
  if (error instanceof Refused) return respond(requestId, forSdk(error.refusal));
  // The caller has gone, so nobody reads this answer.
  if (error instanceof CallerGone) return new Response(null, { status: 499 });
  console.error(`request ${requestId} failed: ${describeError(error)}`);
  return respond(requestId, forSdk({ problem: problem("internal_error") }));
}

const AGENT_TOKEN = { detail: "Send an agent token (kh_agent_…) where the SDK has its API key." };

/** Adds a member `error` to a problem, because SDKs like OpenAI's show only that member. */
function forSdk({ problem: refused, ...rest }: Refusal): Refusal {
  // The usual detail of this problem names every kind of credential, but the gateway accepts only an agent token.
  const problem = refused.code === "invalid_credential" ? { ...refused, ...AGENT_TOKEN } : refused;
  const { title, detail, code } = problem;
  const message = detail === undefined ? title : `${title}. ${detail}`;
  return { ...rest, problem: { ...problem, error: { message, type: code, code } } };
}

async function answer(request: Request, dependencies: Dependencies): Promise<Response> {
  const address = readAddress(request.url);
  if (address === null) throw new Refused({ problem: problem("not_found") });
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (!METHODS.includes(request.method))
    throw new Refused({ problem: problem("method_not_allowed"), headers: { Allow: ALLOWED } });

  const sent = readToken(request, address.search);
  if (sent === null) throw new Refused({ problem: problem("missing_credential", AGENT_TOKEN) });
  const identified = await identifyAgent(sent.token, dependencies.database);
  if (identified === null) throw new Refused({ problem: problem("invalid_credential") });

  const read = await unlessUnknown(readCall(request, address, dependencies), identified, dependencies);
  // Verify the caller before refusing the request: an unknown caller must learn nothing about its request.
  if ("problem" in read) throw new Refused((await identified.confirm()) ?? read);

  // The request's own signal is not passed on, because in Deno it may also fire at the end of a good answer.
  const gone = new AbortController();
  const abort = () => gone.abort(new CallerGone());
  if (request.signal.aborted) abort();
  request.signal.addEventListener("abort", abort, { once: true });
  const { caller } = identified;
  const call: Forwarded = { ...read, caller, scheme: sent.scheme };
  call.outgoing.signal = gone.signal;
  try {
    return await forward(call, dependencies);
  } catch (error) {
    throw refusedBy(error, call, dependencies);
  } finally {
    // From here on, a caller that disconnects cancels the body of the answer.
    request.signal.removeEventListener("abort", abort);
  }
}

/**
 * Waits until the call is read, but refuses an unknown caller. If the body arrives within BODY_MS, no check is needed here, because the
 * lease refuses an unknown caller. Otherwise the database is asked first, so that an unknown caller cannot keep a request open.
 */
async function unlessUnknown<Read>(
  reading: Promise<Read>,
  { confirm }: { confirm(): Promise<Refusal | null> },
  { wait }: Dependencies,
): Promise<Read> {
  const read = new AbortController();
  const late = wait(BODY_MS, read.signal).then(
    () => null,
    () => null,
  );
  const first = await Promise.race([reading, late]).finally(() => read.abort());
  if (first !== null) return first;
  const refused = await confirm();
  if (refused === null) return await reading;
  // The reading fails when the body is cancelled; that error is expected.
  reading.catch(() => {});
  throw new Refused(refused);
}

/** Finds out where the request goes, and which of its parts are forwarded. */
async function readCall(
  request: Request,
  { provider, rest, search }: Address,
  { upstreams, limits, resolve, allowLoopback }: Dependencies,
): Promise<Omit<Forwarded, "caller" | "scheme"> | Refusal> {
  const configured = upstreams();
  const upstream = configured.get(provider);
  if (upstream === undefined)
    return { problem: problem("upstream_not_configured", { providers: [...configured.keys()].sort() }) };
  const url = targetOf(upstream.base, rest, ownQuery(upstream, search));
  if (url === null) return { problem: problem("not_found", { detail: "The path is ambiguous." }) };
  if (holdsAgentToken(rest))
    return { problem: problem("not_found", { detail: "A path must not contain an agent token." }) };
  const local = allowLoopback && isLoopback(url.hostname);
  if (!local && (await resolve(url.hostname)).some(isPrivateHost))
    return {
      problem: problem("upstream_refused", { detail: "The provider's host resolves to a private address." }),
      log: `upstream_refused: ${provider} resolves to a private address`,
    };
  const body = await readBody(request, limits);
  if (body === null) return bodyTooLarge(limits.maxBytes);
  const headers = requestHeaders(request.headers);
  if (!body.resendable && body.length !== null) headers.set("content-length", body.length);
  const { content, resendable } = body;
  const { method } = request;
  const isTooLarge = () => !body.resendable && body.isTooLarge();
  return {
    provider,
    upstream,
    isTooLarge,
    outgoing: {
      url,
      method,
      headers,
      body: content,
      resendable,
      redirect: "follow",
      signal: undefined,
      rest: {},
    },
  };
}

/** Returns the query without the caller's token, and without `key=` when the provider takes its key there or in x-goog-api-key. */
function ownQuery({ place }: Upstream, search: string): string {
  const own = withoutAgentTokens(search);
  return place === "query" || place === "x-goog-api-key" ? withoutParameter(own, "key") : own;
}

/** Returns the error for the caller: about a lease, about the connection to the provider, or about the caller's own body. */
function refusedBy(
  error: unknown,
  { provider, outgoing, isTooLarge }: Forwarded,
  { limits }: Dependencies,
): unknown {
  if (error instanceof Refused) return error;
  if (outgoing.signal?.aborted) return new CallerGone();
  if (isTooLarge()) return new Refused(bodyTooLarge(limits.maxBytes));
  return new Refused(unreached(provider, error));
}
