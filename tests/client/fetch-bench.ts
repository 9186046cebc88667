import { openBench } from "./fixture.ts";

/** Returns the answer of a provider whose limit is reached, with a Retry-After. */
export const limit = (retryAfter: string) => ({
  act: "error" as const,
  status: 429,
  body: JSON.stringify({
    error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
  }),
  headers: { "retry-after": retryAfter },
});

export const post = { method: "POST", body: "{}", headers: { authorization: "Bearer keyhub" } };

/** Returns an answer of get-active-key with this key. */
export const leaseOf = (api_key: string) => ({
  lease_id: "l",
  key_id: "k",
  key_name: "n",
  provider: "openai",
  api_key,
  priority: 0,
  leased_at: "",
  settings: {},
});

/** Starts the key service and a provider for one test file, and returns a way to open clients of them. */
export function openFetchBench() {
  const setup = openBench();
  /** Opens a client with a pool of `keys` openai keys, and its fetch for the provider on loopback. */
  async function open(
    keys: number,
    ...rest: Parameters<typeof setup.bench> extends [unknown, ...infer R] ? R : never
  ) {
    const bench = await setup.bench({ provider: "openai", keys }, ...rest);
    const fetch = bench.keyhub.fetch("openai", { hosts: [setup.provider.origin] });
    const url = `${setup.provider.origin}/v1/chat/completions`;
    return { ...bench, fetch, url, call: (init: RequestInit = {}) => fetch(url, { ...post, ...init }) };
  }
  return { setup, open };
}
