import { type Answer, failureOf, rotate, type Told } from "@keyhub/core/rotate";
import { readError, watchSuccess } from "./answer.ts";
import type { Desk } from "./desk.ts";
import { KeyhubRequestError } from "./errors.ts";
import type { Leased } from "./lease.ts";
import type { FetchOptions, Settings } from "./options.ts";
import { isListed, providerOf } from "./providers.ts";
import { type Outgoing, readRequest } from "./request.ts";
import { sendOnce } from "./send.ts";

interface Received extends Answer {
  response(exhausted: boolean): Response;
}

/** A fetch whose requests go out with a leased key, and with another one when the provider refuses it. */
export function rotatingFetch(
  provider: string,
  settings: Settings,
  desk: Desk,
  options: FetchOptions,
): typeof fetch {
  const hosts = options.hosts ?? providerOf(provider)?.hosts ?? [];
  return async (input, init) => {
    const outgoing = readRequest(input as RequestInfo | URL, init);
    const { signal, resendable } = outgoing;
    if (!isListed(outgoing.url, hosts)) throw notListed(provider, outgoing, hosts.length > 0);
    let asked = 0;
    const { answer, exhausted } = await rotate<Leased, Received>(
      {
        lease: (want) => desk.lease(provider, want, ++asked),
        send: async (lease) => {
          const response = await sendOnce(outgoing, lease, settings, options);
          return received(response, outgoing, lease, (told) => void desk.report(lease, told));
        },
        report: (lease, told) => desk.report(lease, told),
        toldOf: (error) => failureOf(error, signal?.aborted),
        onRotate: ({ keyId, keyName }, { error_code: errorCode }, attempt) =>
          settings.emit({ type: "rotate", provider, keyId, keyName, attempt, errorCode }),
      },
      { attempts: resendable ? settings.maxAttempts : 1, maxWait: settings.maxWait },
      signal,
    );
    return answer.response(exhausted);
  };
}

async function received(
  response: Response,
  { url, signal }: Outgoing,
  lease: Leased,
  tell: (told: Told) => void,
): Promise<Received> {
  if (response.status >= 400) return readError(response, lease, url.href);
  return {
    failure: null,
    discard: () => {},
    response: () => watchSuccess(response, url.href, signal, tell),
  };
}

function notListed(provider: string, { url }: Outgoing, known: boolean): KeyhubRequestError {
  const why = known
    ? "give its origin as hosts, if the key may go there"
    : "its hosts are not known: give them as hosts";
  return new KeyhubRequestError(`${url.origin} is not listed as a host of ${provider}: ${why}`, {
    code: "host_not_listed",
    provider,
  });
}
