import { withoutKey } from "./key-mask.ts";
import type { Sleep } from "./types.ts";
import { parseUrl } from "./url.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOPS = 5;

/** A request to a provider, without its key. */
export interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  body: BodyInit | null;
  /** The body can be sent more than once. */
  resendable: boolean;
  redirect: RequestRedirect;
  signal: AbortSignal | undefined;
  /** Other options of fetch: a dispatcher, cache, credentials. */
  rest: RequestInit;
}

/** The URL and the headers of a request. The key is put into one of the two. */
export interface Target {
  url: URL;
  headers: Headers;
}

export interface SendPorts {
  fetch: typeof fetch;
  /** Puts the key where the provider expects it. */
  place(target: Target, key: string): void;
  /** Returns the error for a redirect that is not followed. */
  refused(what: string): Error;
  wait: Sleep;
  /** The longest wait for the first byte, in milliseconds; null for no limit. */
  firstByteTimeout: number | null;
}

/** Sends the request once with this key. Follows redirects only on the same origin. Errors do not contain the key. */
export async function sendOnce(outgoing: Outgoing, key: string, ports: SendPorts): Promise<Response> {
  const { signal, rest } = outgoing;
  const target = { url: new URL(outgoing.url), headers: new Headers(outgoing.headers) };
  ports.place(target, key);
  const limit = firstByteLimit(ports, signal);
  let { method, body } = outgoing;
  try {
    for (let hop = 0; ; hop += 1) {
      const response = await ports.fetch(target.url, {
        ...rest,
        method,
        headers: target.headers,
        body,
        redirect: outgoing.redirect === "error" ? "error" : "manual",
        ...(limit.signal !== undefined && { signal: limit.signal }),
        ...(!outgoing.resendable && ({ duplex: "half" } as RequestInit)),
      });
      const location = response.headers.get("location");
      const redirected = REDIRECTS.has(response.status) && location !== null;
      if (response.type !== "opaqueredirect" && (!redirected || outgoing.redirect === "manual"))
        return response;

      await response.body?.cancel();
      const next = parseUrl(location ?? "", target.url);
      if (next?.origin !== target.url.origin) throw ports.refused("to another origin");
      if (hop >= HOPS) throw ports.refused(`more than ${HOPS} times`);
      if (response.status === 303 || (response.status <= 302 && method === "POST")) {
        method = "GET";
        body = null;
        for (const name of ["content-type", "content-length", "content-encoding"])
          target.headers.delete(name);
      } else if (!outgoing.resendable) throw ports.refused("a request whose body can be sent once only");
      target.url = next;
    }
  } catch (error) {
    throw withoutKey(limit.isOver() ? limit.error() : error, key);
  } finally {
    limit.clear();
  }
}

/** Limits the wait for the first byte of the answer, but not the time for the rest. */
function firstByteLimit({ firstByteTimeout: ms, wait }: SendPorts, signal: AbortSignal | undefined) {
  if (ms === null) return { signal, isOver: () => false, error: () => null, clear: () => {} };
  const over = new AbortController();
  const answered = new AbortController();
  wait(ms, answered.signal).then(
    () => over.abort(),
    () => {},
  );
  return {
    signal: signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    error: () => new DOMException(`no answer of the provider within ${ms} ms`, "TimeoutError"),
    clear: () => answered.abort(),
  };
}
