import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { serveOnLoopback } from "../processes/loopback.ts";
import { errorOf, type Imitated, type ProviderAnswer, proxyPage } from "./provider-answers.ts";
import { createRateWindow, type RatePlan } from "./rate-window.ts";
import { count, type StatusCounts } from "./record.ts";

/** A key that the provider has issued, its rate limit, and the provider whose error format it uses. Keys of one account share the limit. */
export interface IssuedKey {
  name: string;
  value: string;
  plan: RatePlan;
  provider: Imitated;
  account?: string | null;
}

/** The body of a call. Each model has its own rate limit; the limit of "pro" is a third of the plan. */
export interface DemoCall {
  model?: "flash" | "pro";
  /** Whether the prompt is improper; the provider then refuses it with any key. */
  improper?: boolean;
}

export interface DemoProviderOptions {
  keys: IssuedKey[];
  /** Shares in [0, 1] of the calls that fail at the provider, and of those that a proxy answers with a page of HTML. */
  faultRate?: number;
  proxyRate?: number;
  /** Shortest and longest time for a call, in milliseconds. */
  workMs?: [number, number];
  /** `random` returns numbers in [0, 1), and `now` the milliseconds of a monotonic clock. */
  random?: () => number;
  now?: () => number;
  /** The port on loopback; 0 or undefined means any free port. */
  port?: number;
}

export type DemoProvider = Awaited<ReturnType<typeof startProvider>>;

/**
 * Simulates three providers on loopback. `POST /v1/answers`, with the key in the place that the provider requires, answers 200 or an error
 * in the format of the key's provider: unknown key, revoked key, improper prompt, rate limit of the model, and sometimes a failure or the
 * page of a proxy. It never repeats a key in an answer.
 */
export async function startProvider(options: DemoProviderOptions) {
  const { faultRate = 0, proxyRate = 0, workMs: [least, most] = [0, 0], port = 0 } = options;
  const { random = Math.random, now: clock = () => performance.now() } = options;
  const accounts = options.keys.map((key) => ({
    ...key,
    counts: {} as StatusCounts,
    revoked: false,
    spoiledUntil: Number.NEGATIVE_INFINITY,
  }));
  type Account = (typeof accounts)[number];
  const unknown: StatusCounts = {};
  const windows = new Map<string, ReturnType<typeof createRateWindow>>();
  /** Counts a call against a model's limit, which the keys of an account share. Returns null, or the seconds to wait at the limit. */
  function take({ name, account, plan }: Account, model: string, now: number): number | null {
    const limit = `${account ?? name} ${model}`;
    const calls = model === "pro" ? Math.ceil(plan.calls / 3) : plan.calls;
    const window = windows.get(limit) ?? createRateWindow({ ...plan, calls });
    windows.set(limit, window);
    return window(now);
  }

  async function answerTo(
    account: Account | undefined,
    model: string,
    improper: boolean,
  ): Promise<ProviderAnswer> {
    // OpenAI gives the same answer to a key that it never issued as to a revoked key.
    if (account === undefined) return errorOf("openai", "revoked");
    if (account.revoked) return errorOf(account.provider, "revoked");
    if (improper) return errorOf(account.provider, "refused");
    const now = clock();
    const wait = take(account, model, now);
    if (wait !== null) return errorOf(account.provider, "limited", wait);
    await sleep(least + (most - least) * random());
    if (now < account.spoiledUntil || random() < faultRate) return errorOf(account.provider, "fault");
    return { status: 200, headers: { "content-type": "application/json" }, body: '{"answer":"42"}' };
  }

  const app = new Hono();
  app.post("/v1/answers", async (c) => {
    // Each imitated provider expects the key in a different header.
    const { authorization = "", "x-api-key": byName, "x-goog-api-key": byGoogle } = c.req.header();
    const sent = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? byName ?? byGoogle ?? "";
    const account = accounts.find(({ value }) => value === sent);
    const proxied = random() < proxyRate;
    // An empty body means the defaults.
    const { model = "flash", improper = false } = JSON.parse((await c.req.text()) || "{}") as DemoCall;
    const given = proxied ? proxyPage : await answerTo(account, model, improper);
    count(account?.counts ?? unknown, `${given.status}${proxied ? " page" : ""}`);
    return new Response(given.body, given);
  });
  const served = await serveOnLoopback(app, port);
  const named = (name: string): Account => {
    const account = accounts.find((one) => one.name === name);
    if (account === undefined) throw new Error(`the provider has no key named ${name}`);
    return account;
  };
  return {
    url: `${served.url}/v1/answers`,
    /** Returns the counts by the name of a key. Calls with a key that was never issued are counted under "". */
    counts: (name: string): StatusCounts => ({ ...(name === "" ? unknown : named(name).counts) }),
    /** Makes the provider answer calls with this key as for a revoked key. */
    revoke: (name: string) => void Object.assign(named(name), { revoked: true }),
    isRevoked: (name: string) => named(name).revoked,
    /** Makes each call with this key fail for `ms` milliseconds. */
    spoil: (name: string, ms: number) => void Object.assign(named(name), { spoiledUntil: clock() + ms }),
    stop: served.stop,
  };
}
