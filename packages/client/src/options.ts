import { parseUrl } from "@keyhub/core/rotate";
import type { KeyhubError } from "./errors.ts";
import { KeyhubRequestError } from "./errors.ts";
import type { KeyhubEvent, LostReport } from "./events.ts";

/** Milliseconds, or a text such as "500ms", "2s", "1m". */
export type Duration = number | string;

export interface KeyhubOptions {
  /** The Supabase URL. Default: KEYHUB_URL, then SUPABASE_URL of the environment. */
  url?: string;
  /** An agent token, or a function that returns a user's access token. Default: KEYHUB_AGENT_TOKEN. */
  token?: string | (() => string | Promise<string>);
  /** The largest number of keys that are tried for one request, not counting keys that the provider calls invalid. Default 3. */
  maxAttempts?: number;
  /** How often a request is sent again after a 5xx or a failed connection, for SDKs whose own retries are switched off. Default 0. */
  retryServerErrors?: number;
  /** The longest total wait of one call: for keys at their limit, between tries, and for a service that does not answer. Default "30s". */
  maxWait?: Duration;
  /** The longest wait for one answer of the key service. Default "15s". */
  keyhubTimeout?: Duration;
  /** The longest wait for a provider's first byte. Default: no limit of this client. */
  firstByteTimeout?: Duration;
  /** Uses one lease for several requests of this process. Off by default. */
  reuse?: { for: Duration; uses: number };
  /** Returns a key to use when the service has none or does not answer. The use of this key is not reported. */
  fallback?: (
    provider: string,
    error: KeyhubError,
  ) => string | null | undefined | Promise<string | null | undefined>;
  /** Called with every event. Events never contain a key. */
  onEvent?: (event: KeyhubEvent) => void;
  /** Called with a report that the service did not accept. */
  onReportLost?: (report: LostReport) => void;
  /** Replaces the global fetch, for the key service and for providers. */
  fetch?: typeof fetch;
}

/** The names of all options. Any other name is refused, because JavaScript has no types that catch a misspelled name. */
const NAMES: Record<keyof KeyhubOptions, true> = {
  url: true,
  token: true,
  maxAttempts: true,
  retryServerErrors: true,
  maxWait: true,
  keyhubTimeout: true,
  firstByteTimeout: true,
  reuse: true,
  fallback: true,
  onEvent: true,
  onReportLost: true,
  fetch: true,
};

export interface FetchOptions {
  /** The model for which keys are leased, instead of the model that each request names. A key limited for one model still serves others. */
  model?: string;
  /** The hosts to which the key may be sent, instead of the provider's own: "api.example.com", "*.example.com", or a whole origin. */
  hosts?: string[];
  /** The placeholder for a key in the SDK's settings. Default "keyhub". */
  placeholder?: string;
  /** Puts the key into the request, for a provider that this client does not know. */
  authorize?: (request: { url: URL; headers: Headers }, key: string) => void;
}

export interface CallOptions {
  /** The model that the key is for. A key that is limited for one model can still be leased for other models. */
  model?: string;
  signal?: AbortSignal;
}

/** Options with all defaults filled in. */
export interface Settings {
  url: string;
  token: () => string | Promise<string>;
  maxAttempts: number;
  retryServerErrors: number;
  maxWait: number;
  keyhubTimeout: number;
  firstByteTimeout: number | null;
  reuse: { forMs: number; uses: number } | null;
  fallback: NonNullable<KeyhubOptions["fallback"]>;
  emit: (event: KeyhubEvent) => void;
  onReportLost: (report: LostReport) => void;
  fetch: typeof fetch;
}

export function readOptions(options: KeyhubOptions): Settings {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw wrong(name.slice(0, 40), "is not an option");
  const url = options.url ?? environment("KEYHUB_URL") ?? environment("SUPABASE_URL");
  const token = options.token ?? environment("KEYHUB_AGENT_TOKEN");
  if (!url)
    throw wrong("url", "is missing: set SUPABASE_URL in the environment, or pass the project's URL as url");
  const parsed = parseUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw wrong("url", "is not the URL of a Supabase project");
  if (!token)
    throw wrong(
      "token",
      "is missing: set KEYHUB_AGENT_TOKEN in the environment, or pass an agent token, or a function, as token",
    );
  const maxAttempts = options.maxAttempts ?? 3;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
    throw wrong("maxAttempts", "is not a whole number from 1 on");
  const retryServerErrors = options.retryServerErrors ?? 0;
  if (!Number.isInteger(retryServerErrors) || retryServerErrors < 0)
    throw wrong("retryServerErrors", "is not a whole number from 0 on");
  const { reuse, firstByteTimeout, onEvent, onReportLost } = options;
  if (reuse !== undefined && !(Number.isInteger(reuse.uses) && reuse.uses >= 1))
    throw wrong("reuse.uses", "is not a whole number from 1 on");
  return {
    url: parsed.href.replace(/\/+$/, ""),
    token: typeof token === "function" ? token : () => token,
    maxAttempts,
    retryServerErrors,
    maxWait: milliseconds("maxWait", options.maxWait ?? "30s"),
    keyhubTimeout: milliseconds("keyhubTimeout", options.keyhubTimeout ?? "15s"),
    firstByteTimeout:
      firstByteTimeout === undefined ? null : milliseconds("firstByteTimeout", firstByteTimeout),
    reuse: reuse === undefined ? null : { forMs: milliseconds("reuse.for", reuse.for), uses: reuse.uses },
    fallback: options.fallback ?? (() => null),
    emit: (event) => quietly(() => onEvent?.(event)),
    onReportLost: (report) => quietly(() => onReportLost?.(report)),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function milliseconds(name: string, duration: Duration): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (!Number.isFinite(ms) || ms < 0)
    throw wrong(name, 'is not a duration: milliseconds, or a text such as "30s"');
  return ms;
}

/** Calls a hook of the caller. If it throws or rejects, the call does not fail and the process does not end. */
function quietly(call: () => unknown): void {
  // The hook starts at once. In an async function, an exception becomes a rejection, which is ignored.
  void (async () => await call())().catch(() => {});
}

function wrong(name: string, what: string): KeyhubRequestError {
  return new KeyhubRequestError(`${name} ${what}`, { code: "invalid_option" });
}

function environment(name: string): string | undefined {
  try {
    return (
      (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] ||
      undefined
    );
  } catch {
    // In Deno, the permission to read the environment may be missing.
    return undefined;
  }
}
