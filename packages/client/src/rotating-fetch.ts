import {
  type Attempt,
  CANCELLED,
  failureOf,
  isListed,
  masked,
  modelName,
  modelOf,
  type Outgoing,
  providerOf,
  type Report,
  readError,
  rotate,
  rotates,
  type SendPorts,
  SUCCESS,
  sendOnce,
  watchBody,
} from "@keyhub/core/rotate";
import { KeyhubRequestError } from "./errors.ts";
import type { Leased } from "./lease.ts";
import type { LeaseManager } from "./lease-manager.ts";
import type { FetchOptions, Settings } from "./options.ts";
import { placeKey } from "./place-key.ts";
import { readRequest } from "./request.ts";
import { timing, wait } from "./time.ts";

interface Received extends Attempt {
  response(exhausted: boolean): Response;
}

/** Returns a fetch that sends requests with a leased key, and with another key when the provider refuses the first one. */
export function rotatingFetch(
  provider: string,
  settings: Settings,
  leaseManager: LeaseManager,
  options: FetchOptions,
): typeof fetch {
  const hosts = options.hosts ?? providerOf(provider)?.hosts ?? [];
  const ports: SendPorts = {
    fetch: settings.fetch,
    place: (target, key) => placeKey(target, key, provider, options),
    refused: (what) =>
      new KeyhubRequestError(`the provider redirects ${what}: the key is not sent there`, {
        code: "redirect_refused",
      }),
    wait,
    firstByteTimeout: settings.firstByteTimeout,
  };
  return async (input, init) => {
    const outgoing = await readRequest(input as RequestInfo | URL, init, (url) => {
      if (!isListed(url, hosts)) throw notListed(provider, url, hosts.length > 0);
    });
    const { signal, resendable } = outgoing;
    const model =
      options.model === undefined ? modelOf(outgoing.url, outgoing.body) : modelName(options.model);
    let asked = 0;
    const { answer, exhausted } = await rotate<Leased, Received>(
      {
        lease: (want) => leaseManager.lease(provider, model, want, ++asked),
        send: async (lease) => {
          const response = await sendOnce(outgoing, lease.key, ports);
          return received(response, outgoing, lease, (report) => void leaseManager.report(lease, report));
        },
        report: (lease, report) => leaseManager.report(lease, report),
        reportOf: (error) => failureOf(error, signal?.aborted),
        ...timing(provider, settings),
        onRotate: ({ keyId, keyName }, { error_code: errorCode }, attempt) =>
          settings.emit({ type: "rotate", provider, keyId, keyName, attempt, errorCode }),
      },
      {
        attempts: resendable ? settings.maxAttempts : 1,
        maxWait: settings.maxWait,
        serverErrors: resendable ? settings.retryServerErrors : 0,
      },
      signal,
    );
    if (!resendable && answer.failure !== null && rotates(answer.failure, null))
      settings.emit({ type: "give_up", provider, code: "body_sent_once" });
    // If the body could be sent only once, do not stop the SDK from retrying: it can send the body again, and then gets another key.
    return answer.response(exhausted && resendable);
  };
}

/**
 * Returns the provider's response. If the provider repeats the key, the key is masked in errors and in every reason phrase; everything else
 * stays unchanged. With `exhausted`, a header tells SDKs not to retry.
 */
async function received(
  original: Response,
  { url, signal }: Outgoing,
  { key }: Leased,
  report: (report: Report) => void,
): Promise<Received> {
  if (original.status >= 400) {
    const { failure, discard, headers, body } = await readError(original, key, wait);
    const response = (exhausted: boolean) => {
      if (exhausted) headers.set("x-should-retry", "false");
      return rebuild(original, body(), headers, url.href, key);
    };
    return { failure, discard, response };
  }
  const watch = {
    report,
    cancelled: () => (signal?.aborted ? CANCELLED : SUCCESS),
    broken: (error: unknown) => failureOf(error, signal?.aborted),
  };
  return {
    failure: null,
    discard: () => {},
    response: () => rebuild(original, watchBody(original, watch), original.headers, url.href, key),
  };
}

/** Returns a copy of the response with the URL that the caller requested, because with `?key=` the real URL contains the key. */
function rebuild(
  { status, statusText }: Response,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  headers: Headers,
  url: string,
  key: string,
): Response {
  const response = new Response(body, { status, statusText: masked(statusText, key), headers });
  return Object.defineProperty(response, "url", { value: url, enumerable: true });
}

function notListed(provider: string, url: URL, known: boolean): KeyhubRequestError {
  const why = known
    ? "give its origin as hosts, if the key may go there"
    : "its hosts are not known: give them as hosts";
  return new KeyhubRequestError(`${url.origin} is not listed as a host of ${provider}: ${why}`, {
    code: "host_not_listed",
    provider,
  });
}
