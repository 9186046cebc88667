/** The headers in which SDKs send a key, the most common one first. */
export const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "xi-api-key"] as const;

/** The header in which a provider expects its key. */
export type KeyHeader = (typeof KEY_HEADERS)[number];

/** Returns whether a header can contain the key. Callers check this first: the runtime's error for an unfit key repeats the key. */
export function fitsHeader(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Puts the key into a header. Keeps the scheme ("Token") that the header `authorization` already has; the default is "Bearer". */
export function putInHeader(headers: Headers, place: KeyHeader, key: string): void {
  const [, scheme = "Bearer"] = /^([A-Za-z]+) /.exec(headers.get(place) ?? "") ?? [];
  headers.set(place, place === "authorization" ? `${scheme} ${key}` : key);
}

/** Puts the key into the parameter `key` of the query, if the query has this parameter. The rest of the query stays unchanged. */
export function putInQuery(url: URL, key: string): void {
  url.search = url.search.replace(
    /([?&])key=[^&]*/,
    (_, before: string) => `${before}key=${encodeURIComponent(key)}`,
  );
}
