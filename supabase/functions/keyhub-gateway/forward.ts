import { problem } from "@keyhub/core/problem";
import {
  type Attempt,
  CANCELLED,
  failureOf,
  fitsHeader,
  KeyMask,
  modelOf,
  type Outgoing,
  putInHeader,
  type Report,
  readError,
  rotate,
  type SendPorts,
  type Sleep,
  sendOnce,
  type Target,
  watchBody,
  withoutEcho,
} from "@keyhub/core/rotate";
import { responseHeaders, type Upstream, withoutParameter } from "@keyhub/core/upstream";
import type { Caller } from "../_shared/caller.ts";
import type { HeldKey } from "./held-key.ts";
import type { GatewayLeases } from "./lease-manager.ts";
import { Refused } from "./refused.ts";

export interface ForwardDependencies {
  leaseManager: GatewayLeases;
  /** Sends requests to the providers. */
  fetch: typeof fetch;
  wait: Sleep;
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
  /** Per request: the largest number of keys that are tried, not counting invalid ones, and the longest sum of waits, in milliseconds. */
  maxAttempts: number;
  maxWait: number;
  /** Longest wait for a provider's first byte, in milliseconds. */
  firstByteTimeout: number;
}

export interface Forwarded {
  caller: Caller;
  provider: string;
  upstream: Upstream;
  outgoing: Outgoing;
  /** Whether the body has turned out to be larger than the limit while it was sent. */
  isTooLarge(): boolean;
  /** The scheme of the Authorization header that the caller sent. */
  scheme: string | null;
}

interface Received extends Attempt {
  response(attempts: number, exhausted: boolean): Response;
}

/** Sends a request with one key after another, and streams the provider's own answer to the caller. */
export async function forward(call: Forwarded, dependencies: ForwardDependencies): Promise<Response> {
  const { leaseManager, wait, now, maxAttempts, maxWait } = dependencies;
  const { caller, provider, outgoing } = call;
  const model = modelOf(outgoing.url, outgoing.body);
  const { resendable, signal } = outgoing;
  const ports: SendPorts = {
    fetch: dependencies.fetch,
    place: (target, key) => place(target, key, call),
    refused: (what) =>
      new Refused({ problem: problem("upstream_refused", { detail: `The provider redirects ${what}.` }) }),
    wait,
    firstByteTimeout: dependencies.firstByteTimeout,
  };
  const { answer, attempts, exhausted } = await rotate<HeldKey, Received>(
    {
      lease: (want) => leaseManager.lease(caller, provider, model, want),
      send: async (lease) => {
        const response = await sendOnce(outgoing, lease.key, ports);
        return received(
          response,
          lease.key,
          dependencies,
          (report) => void leaseManager.report(lease, report),
        );
      },
      report: (lease, report) => leaseManager.report(lease, report),
      reportOf: (error) => failureOf(error, signal?.aborted || call.isTooLarge()),
      wait,
      now,
      random: Math.random,
    },
    { attempts: resendable ? maxAttempts : 1, maxWait, serverErrors: 0 },
    signal,
  );
  // If the body could be sent only once, do not stop the SDK from retrying: it can send the body again, and then gets another key.
  return answer.response(attempts, exhausted && resendable);
}

function place(target: Target, key: string, { upstream, scheme }: Forwarded): void {
  // A key with characters that no header allows is refused here, because the runtime's own error would repeat the key.
  if (!fitsHeader(key)) throw new Refused({ problem: problem("unusable_key") });
  if (upstream.place === "query") {
    const others = withoutParameter(target.url.search, "key");
    target.url.search = `${others === "" ? "?" : `${others}&`}key=${encodeURIComponent(key)}`;
    return;
  }
  if (upstream.place === "authorization" && scheme !== null)
    target.headers.set("authorization", `${scheme} `);
  putInHeader(target.headers, upstream.place, key);
}

async function received(
  original: Response,
  key: string,
  gather: Pick<ForwardDependencies, "wait" | "now">,
  report: (report: Report) => void,
): Promise<Received> {
  const { status } = original;
  if (status >= 400) {
    const error = await readError(original, key, gather.wait);
    return {
      failure: error.failure,
      discard: error.discard,
      response: (attempts, exhausted) => {
        const headers = passedHeaders(error.headers, status, attempts);
        // Without this header, the retries of the SDK would multiply those of the gateway.
        if (exhausted) headers.set("X-Should-Retry", "false");
        return new Response(error.body(new KeyMask(key)), { status, headers });
      },
    };
  }
  return {
    failure: null,
    discard: () => {},
    response: (attempts) => {
      const headers = passedHeaders(withoutEcho(original.headers, key), status, attempts);
      const watch = { report, cancelled: () => CANCELLED, broken: failureOf, mask: new KeyMask(key), gather };
      return new Response(watchBody(original, watch), { status, headers });
    },
  };
}

function passedHeaders(original: Headers, status: number, attempts: number): Headers {
  const headers = responseHeaders(original, status);
  headers.set("X-Keyhub-Attempts", String(attempts));
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", "*");
  return headers;
}
