import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { failureOf, type Provider, type ProviderResponse, proxyPages } from "./provider-errors.ts";
import { createRateWindow, type RatePlan } from "./rate-window.ts";
import { count, type StatusCounts } from "./record.ts";

export interface UpstreamOptions {
  /** The keys it has issued: value, name, rate limit, and the provider whose error format is used. */
  keys: { name: string; value: string; plan: RatePlan; provider: Provider }[];
  /** Share of calls, in [0, 1], that fail at the provider. */
  faultRate?: number;
  /** Share of calls, in [0, 1], that do not reach it: a proxy answers with a page. */
  proxyRate?: number;
  /** Shortest and longest time for a call, in milliseconds. */
  workMs?: [number, number];
  /** A number in [0, 1). */
  random?: () => number;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
  /** Where it listens on loopback; 0 or nothing takes a free port. */
  port?: number;
}

export interface Upstream {
  url: string;
  /** By the name of a key; calls with a value that it never issued are counted under "". */
  counts(name: string): StatusCounts;
  /** From now on calls with this key get the answer for a revoked key. */
  revoke(name: string): void;
  isRevoked(name: string): boolean;
  /** For so many milliseconds each call with this key fails. */
  spoil(name: string, ms: number): void;
  stop(): Promise<void>;
}

interface Account {
  take: (now: number) => number | null;
  counts: StatusCounts;
  provider: Provider;
  revoked: boolean;
  spoiledUntil: number;
}

/**
 * Simulates three providers on loopback. `POST /v1/answers` with the key where the provider wants it answers 200 or, in the format of the
 * key's provider, an error: unknown key, revoked key, rate limit, sometimes a failure; and sometimes the page of a proxy. It never
 * repeats a key.
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { faultRate = 0, proxyRate = 0, workMs: [least, most] = [0, 0], random = Math.random } = options;
  const { now: clock = () => performance.now() } = options;
  const newAccount = (plan: RatePlan, provider: Provider): Account => ({
    provider,
    take: createRateWindow(plan),
    counts: {},
    revoked: false,
    spoiledUntil: Number.NEGATIVE_INFINITY,
  });
  const byValue = new Map<string, Account>();
  const byName = new Map<string, Account>([["", newAccount({ calls: 0, windowMs: 0 }, "openai")]]);
  for (const { name, value, plan, provider } of options.keys) {
    const account = newAccount(plan, provider);
    byValue.set(value, account);
    byName.set(name, account);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    if (request.url !== "/v1/answers") return send(response, { status: 404, body: "" });
    if (request.method !== "POST")
      return send(response, { status: 405, headers: { allow: "POST" }, body: "" });
    const account = byValue.get(keyOf(request));
    const proxied = random() < proxyRate;
    const answer = proxied ? proxyPages[random() < 0.5 ? 0 : 1] : await answerOf(account);
    count((account ?? accountOf("")).counts, proxied ? `${answer.status} page` : String(answer.status));
    send(response, answer);
  }

  async function answerOf(account: Account | undefined): Promise<ProviderResponse> {
    // OpenAI answers the same for a key that it never issued.
    if (account === undefined) return failureOf("openai", "revoked");
    if (account.revoked) return failureOf(account.provider, "revoked");
    const now = clock();
    const wait = account.take(now);
    if (wait !== null) return failureOf(account.provider, "limited", wait);
    await sleep(least + (most - least) * random());
    if (now < account.spoiledUntil || random() < faultRate) return failureOf(account.provider, "fault");
    return { status: 200, headers: { "content-type": "application/json" }, body: '{"answer":"42"}' };
  }

  function accountOf(name: string): Account {
    const account = byName.get(name);
    if (account === undefined) throw new Error(`the provider knows no key named ${name}`);
    return account;
  }

  const server = createServer((request, response) => void answer(request, response));
  // Longer than any pause of an agent, so that none finds its connection closed.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/answers`,
    counts: (name) => ({ ...accountOf(name).counts }),
    revoke: (name) => {
      accountOf(name).revoked = true;
    },
    isRevoked: (name) => accountOf(name).revoked,
    spoil: (name, ms) => {
      accountOf(name).spoiledUntil = clock() + ms;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Each format has its own place for the key. */
function keyOf({ headers }: IncomingMessage): string {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  return String(bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "");
}

function send(response: ServerResponse, { status, headers, body }: ProviderResponse): void {
  response.writeHead(status, headers).end(body);
}
