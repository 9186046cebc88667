import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createRateWindow, type RatePlan } from "./rate-window.ts";

export interface UpstreamOptions {
  /** The keys it has issued, what their owner calls them, and what each may do. */
  keys: { name: string; value: string; plan: RatePlan }[];
  /** Share of calls, in [0, 1], that it spoils with a 500. */
  faultRate?: number;
  /** Least and greatest time it works on a call, in milliseconds. */
  workMs?: [number, number];
  /** A number in [0, 1). */
  random?: () => number;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
}

/** How many answers of each status a key got. */
export type StatusCounts = Record<number, number>;

export interface Upstream {
  url: string;
  /** By the name of a key; calls with a value that it never issued are counted under "". */
  counts(name: string): StatusCounts;
  /** From now on the key gets 403. */
  revoke(name: string): void;
  /** For so many milliseconds each call of the key ends in a 500. */
  spoil(name: string, ms: number): void;
  stop(): Promise<void>;
}

interface Account {
  take: (now: number) => number | null;
  counts: StatusCounts;
  revoked: boolean;
  spoiledUntil: number;
}

/**
 * A provider on loopback: `POST /v1/answers` with `Authorization: Bearer <key>` gives 200, 401 for an unknown key,
 * 403 for a revoked one, 429 with Retry-After beyond the plan, and now and then 500. It says nothing of a key that
 * it was sent.
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { faultRate = 0, workMs: [least, most] = [0, 0], random = Math.random } = options;
  const { now: clock = () => performance.now() } = options;
  const newAccount = (plan: RatePlan): Account => ({
    take: createRateWindow(plan),
    counts: {},
    revoked: false,
    spoiledUntil: Number.NEGATIVE_INFINITY,
  });
  const byValue = new Map<string, Account>();
  const byName = new Map<string, Account>([["", newAccount({ calls: 0, windowMs: 0 })]]);
  for (const { name, value, plan } of options.keys) {
    const account = newAccount(plan);
    byValue.set(value, account);
    byName.set(name, account);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    if (request.url !== "/v1/answers") return send(response, 404, "There is nothing here.");
    if (request.method !== "POST") return send(response, 405, "Use POST.", { allow: "POST" });
    const value = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const account = byValue.get(value) ?? accountOf("");
    const now = clock();
    const wait = account.revoked ? null : account.take(now);
    const refused = !byValue.has(value) ? 401 : account.revoked ? 403 : wait !== null ? 429 : undefined;
    if (refused === undefined) await sleep(least + (most - least) * random());
    const spoiled = now < account.spoiledUntil || random() < faultRate;
    const status = refused ?? (spoiled ? 500 : 200);
    account.counts[status] = (account.counts[status] ?? 0) + 1;
    send(response, status, words[status] ?? "", wait === null ? {} : { "retry-after": String(wait) });
  }

  function accountOf(name: string): Account {
    const account = byName.get(name);
    if (account === undefined) throw new Error(`the provider knows no key named ${name}`);
    return account;
  }

  const server = createServer((request, response) => void answer(request, response));
  // Longer than an agent ever rests, so that none finds its connection closed.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/answers`,
    counts: (name) => ({ ...accountOf(name).counts }),
    revoke: (name) => {
      accountOf(name).revoked = true;
    },
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

const words: Record<number, string> = {
  200: "42",
  401: "This API key is not known.",
  403: "This API key has been revoked.",
  429: "Too many requests for this API key.",
  500: "Something went wrong here.",
};

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(status === 200 ? { answer: text } : { error: { message: text } });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}
