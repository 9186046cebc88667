import { fitsHeader, KEY_HEADERS, providerOf, putInHeader, putInQuery } from "@keyhub/core/rotate";
import { KeyhubRequestError } from "./errors.ts";
import type { FetchOptions } from "./options.ts";

const PLACEHOLDER = "keyhub";

/**
 * Puts the key where the request has the placeholder: in the header that the SDK set, or in
 * `?key=`. Without a placeholder, the key replaces the value of the provider's own header, or of another header for keys. If the request
 * has no such header, the key replaces the value of `?key=` (only for Gemini), or the provider's own header is added.
 */
export function placeKey(
  request: { url: URL; headers: Headers },
  key: string,
  provider: string,
  { authorize, placeholder = PLACEHOLDER }: FetchOptions,
): void {
  // A key that no header can contain is refused here, because the runtime's own error would repeat the key.
  if (!fitsHeader(key)) {
    throw new KeyhubRequestError(`the key for ${provider} has characters that no header can hold`, {
      code: "unusable_key",
      provider,
    });
  }
  if (authorize !== undefined) byHand(request, key, provider, authorize);
  else putInPlace(request, key, provider, placeholder);
}

function putInPlace(
  { url, headers }: { url: URL; headers: Headers },
  key: string,
  provider: string,
  placeholder: string,
): void {
  const set = KEY_HEADERS.filter((place) => headers.has(place));
  const marked = set.filter((place) => bare(headers.get(place)) === placeholder);
  const query = url.searchParams.get("key");
  const queryMarked = query === placeholder;
  for (const place of marked) putInHeader(headers, place, key);
  if (queryMarked) putInQuery(url, key);
  if (queryMarked || marked.length > 0) return;

  const own = providerOf(provider)?.place;
  const place = set.find((known) => known === own) ?? set[0];
  if (place !== undefined) putInHeader(headers, place, key);
  else if (query !== null && own === "x-goog-api-key") putInQuery(url, key);
  else if (own !== undefined) putInHeader(headers, own, key);
  else {
    throw new KeyhubRequestError(
      `the request has no header for a key, and it is not known where ${provider} expects it: set a header, or give authorize`,
      { code: "no_key_header", provider },
    );
  }
}

function bare(value: string | null): string {
  return (value ?? "").replace(/^[A-Za-z]+ +/, "");
}

function byHand(
  request: { url: URL; headers: Headers },
  key: string,
  provider: string,
  authorize: NonNullable<FetchOptions["authorize"]>,
): void {
  const { origin } = request.url;
  let failed = true;
  try {
    authorize(request, key);
    failed = request.url.origin !== origin;
  } catch {}
  // The error that `authorize` threw may contain the key, so another error is thrown.
  if (failed)
    throw new KeyhubRequestError("authorize threw or changed the origin", {
      code: "authorize_failed",
      provider,
    });
}
