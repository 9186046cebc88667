import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorOf, type Imitated, type ProviderAnswer, proxyPage } from "./provider-answers.ts";
import { createRateWindow, type RatePlan } from "./rate-window.ts";
import { count, type StatusCounts } from "./record.ts";

/** A key that the provider has issued, its rate limit, and the provider whose errors it answers with. */
export interface IssuedKey {
  name: string;
  value: string;
  plan: RatePlan;
  provider: Imitated;
}

export interface DemoProviderOptions {
  keys: IssuedKey[];
  /** Shares of calls, in [0, 1]: those that fail at the provider, and those that a proxy answers with a page. */
  faultRate?: number;
  proxyRate?: number;
  /** Shortest and longest time for a call, in milliseconds. */
  workMs?: [number, number];
  /** Numbers in [0, 1), and milliseconds of a clock that only goes forward. */
  random?: () => number;
  now?: () => number;
  /** On loopback; 0 or nothing takes a free one. */
  port?: number;
}

export type DemoProvider = Awaited<ReturnType<typeof startProvider>>;

/**
 * Simulates three providers on loopback. `POST /v1/answers` with the key where the provider wants it answers 200 or, in the format of the
 * key's provider, an error: unknown key, revoked key, rate limit, sometimes a failure; and sometimes the page of a proxy. It never
 * repeats a key.
 */
export async function startProvider(options: DemoProviderOptions) {
  const { faultRate = 0, proxyRate = 0, workMs: [least, most] = [0, 0], port = 0 } = options;
  const { random = Math.random, now: clock = () => performance.now() } = options;
  const accounts = options.keys.map((key) => ({
    ...key,
    take: createRateWindow(key.plan),
    counts: {} as StatusCounts,
    revoked: false,
    spoiledUntil: Number.NEGATIVE_INFINITY,
  }));
  type Account = (typeof accounts)[number];
  const unknown: StatusCounts = {};

  async function answer(request: IncomingMessage): Promise<ProviderAnswer> {
    if (request.url !== "/v1/answers") return { status: 404, body: "" };
    if (request.method !== "POST") return { status: 405, headers: { allow: "POST" }, body: "" };
    const sent = keyIn(request);
    const account = accounts.find(({ value }) => value === sent);
    const proxied = random() < proxyRate;
    const given = proxied ? proxyPage : await answerTo(account);
    count(account?.counts ?? unknown, `${given.status}${proxied ? " page" : ""}`);
    return given;
  }

  async function answerTo(account: Account | undefined): Promise<ProviderAnswer> {
    // OpenAI answers the same for a key that it never issued.
    if (account === undefined) return errorOf("openai", "revoked");
    if (account.revoked) return errorOf(account.provider, "revoked");
    const now = clock();
    const wait = account.take(now);
    if (wait !== null) return errorOf(account.provider, "limited", wait);
    await sleep(least + (most - least) * random());
    if (now < account.spoiledUntil || random() < faultRate) return errorOf(account.provider, "fault");
    return { status: 200, headers: { "content-type": "application/json" }, body: '{"answer":"42"}' };
  }

  const server = createServer(async (request, response) => {
    const { status, headers, body } = await answer(request.resume());
    response.writeHead(status, headers).end(body);
  });
  // Longer than any pause of an agent, so that none finds its connection closed.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const named = (name: string): Account => {
    const account = accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`the provider knows no key named ${name}`);
    return account;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/answers`,
    /** By the name of a key; calls with a value that it never issued are counted under "". */
    counts: (name: string): StatusCounts => ({ ...(name === "" ? unknown : named(name).counts) }),
    /** From now on calls with this key get the answer for a revoked key. */
    revoke: (name: string) => void Object.assign(named(name), { revoked: true }),
    isRevoked: (name: string) => named(name).revoked,
    /** For so many milliseconds each call with this key fails. */
    spoil: (name: string, ms: number) => void Object.assign(named(name), { spoiledUntil: clock() + ms }),
    stop: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** Each format has its own place for the key. */
function keyIn({ headers }: IncomingMessage): string {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  return String(bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "");
}
