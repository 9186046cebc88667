import { KeyhubRequestError } from "./errors.ts";
import type { Leased } from "./lease.ts";
import type { FetchOptions, Settings } from "./options.ts";
import { placeKey } from "./place-key.ts";
import type { Outgoing } from "./request.ts";
import { withoutKey } from "./secrecy.ts";
import { parseUrl } from "./url.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOPS = 5;

/** Sends the request once with this key. Redirects are followed on the same origin only. Errors hold no key. */
export async function sendOnce(
  outgoing: Outgoing,
  lease: Leased,
  settings: Settings,
  options: FetchOptions,
): Promise<Response> {
  const { signal, rest } = outgoing;
  const target = { url: new URL(outgoing.url), headers: new Headers(outgoing.headers) };
  placeKey(target, lease.key, lease.provider, options);
  const limit = firstByteLimit(settings.firstByteTimeout, signal);
  let { method, body } = outgoing;
  try {
    for (let hop = 0; ; hop += 1) {
      const response = await settings.fetch(target.url, {
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
      if (next?.origin !== target.url.origin) throw refused("to another origin");
      if (hop >= HOPS) throw refused(`more than ${HOPS} times`);
      if (response.status === 303 || (response.status <= 302 && method === "POST")) {
        method = "GET";
        body = null;
        for (const name of ["content-type", "content-length", "content-encoding"])
          target.headers.delete(name);
      } else if (!outgoing.resendable) throw refused("a request whose body can be sent once only");
      target.url = next;
    }
  } catch (error) {
    throw withoutKey(limit.isOver() ? limit.error() : error, lease.key);
  } finally {
    limit.clear();
  }
}

function refused(what: string): KeyhubRequestError {
  return new KeyhubRequestError(`the provider redirects ${what}: the key does not go there`, {
    code: "redirect_refused",
  });
}

/** Ends the wait for the first byte, and nothing after it. */
function firstByteLimit(ms: number | null, signal: AbortSignal | undefined) {
  if (ms === null) return { signal, isOver: () => false, error: () => null, clear: () => {} };
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    isOver: () => controller.signal.aborted,
    error: () => new DOMException(`no answer of the provider within ${ms} ms`, "TimeoutError"),
    clear: () => clearTimeout(timer),
  };
}
