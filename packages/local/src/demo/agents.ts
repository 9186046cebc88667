import { setTimeout as sleep } from "node:timers/promises";
import { createKeyhub, KeyhubError, NoKeyError } from "@keyhub/client/source";
import { MOST_CALLS } from "@keyhub/core/rotate";
import { CommandFailure } from "../cli/command.ts";
import { observe } from "./observe.ts";
import type { DemoCall } from "./provider.ts";
import { count, kindOf } from "./record.ts";
import type { DemoRun } from "./run.ts";

/** One prompt in this many is improper: the provider refuses it with any key, so the service must not block the key for it. */
const IMPROPER = 30;
/** The longest pause while no key is free, in seconds. It is short because an operator may end a long block early. */
const MAX_PAUSE = 1;

/** Calls a provider. Resolves to 0 when the provider answered, else to the seconds to wait for a key; throws for a fault of the service. */
type Call = (provider: string, body: string) => Promise<number>;

/** The number of faults of the service in a row after which an agent gives up. */
const MAX_FAULTS = 10;
/** The pause after a fault, and the average time that an agent works between two calls, in milliseconds. */
const PAUSE_MS = 250;
/** The longest time that the client waits for a cooling key, in milliseconds. It is short, so that a run ends soon. */
const MAX_WAIT_MS = 2_000;

/** Calls one provider after another until the run ends. */
async function work(call: Call, { pool, record, end: { signal } }: DemoRun): Promise<void> {
  const providers = [...new Set(pool.keys.map(({ poolProvider }) => poolProvider))];
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  let faults = 0;
  for (let task = 0; !signal.aborted; task += 1) {
    try {
      const asked: DemoCall = {
        model: task % 2 === 0 ? "flash" : "pro",
        improper: Math.random() < 1 / IMPROPER,
      };
      const wait = await call(providers[task % providers.length] ?? "", JSON.stringify(asked));
      faults = 0;
      const from = performance.now();
      await pause(wait > 0 ? Math.min(wait, MAX_PAUSE) * 1000 : PAUSE_MS * (0.5 + Math.random()));
      if (wait > 0) record.waited(performance.now() - from);
    } catch (error) {
      const { message } = error as Error;
      count(record.faults, message);
      if (++faults >= MAX_FAULTS) throw new CommandFailure(`the stack does not answer any more: ${message}`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Runs an agent that uses the client, and observes its calls to the service and the provider. */
export async function runByFetch(run: DemoRun, token: string): Promise<void> {
  const { settings, provider, record } = run;
  const keyhub = createKeyhub({
    ...{ url: settings.url, token, fetch: observe(record), maxWait: MAX_WAIT_MS },
    onEvent: (event) => event.type === "wait" && record.waited(event.ms),
    onReportLost: ({ code }) => count(record.faults, `a report is lost: ${code}`),
  });
  const hosts = [new URL(provider.url).origin];
  await work(async (name, body) => {
    try {
      const response = await keyhub.fetch(name, { hosts })(provider.url, { method: "POST", body });
      await response.text();
      return 0;
    } catch (error) {
      if (error instanceof NoKeyError && error.retryAfter !== null) return error.retryAfter;
      throw new Error(error instanceof KeyhubError ? error.code : "no answer from the provider");
    }
  }, run);
  await keyhub.flush();
}

/** Runs an agent that uses the gateway, with the agent token as the API key: it never sees a real key. */
export async function runByGateway(run: DemoRun, token: string): Promise<void> {
  const { settings, provider, record } = run;
  const headers = { Authorization: `Bearer ${token}` };
  const { pathname } = new URL(provider.url);
  await work(async (name, body) => {
    const address = `${settings.url}/functions/v1/keyhub-gateway/${name}${pathname}`;
    const response = await fetch(address, { method: "POST", headers, body }).catch(() => null);
    const text = await response?.text().catch(() => "");
    const attempts = response?.headers.get("x-keyhub-attempts");
    if (response && attempts) {
      count(record.byGateway, kindOf(response));
      record.attempts += Number(attempts);
      return 0;
    }
    const code = /"code":"(\w+)"/.exec(text ?? "")?.[1] ?? "no answer";
    if (code === "keys_cooling_down") return Number(response?.headers.get("retry-after"));
    // This answer does not tell how many keys the gateway leased for the request, so count the most that it leases.
    record.lost += MOST_CALLS;
    throw new Error(`gateway: ${response?.status ?? ""} ${code}`);
  }, run);
}
