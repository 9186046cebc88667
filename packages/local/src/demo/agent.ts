import { setTimeout as sleep } from "node:timers/promises";
import { createKeyhub, KeyhubError, NoKeyError } from "@keyhub/client/source";
import { CommandFailure } from "../cli/command.ts";
import { type Observed, observe } from "./observe.ts";
import { kindOf } from "./record.ts";

export interface AgentOptions extends Observed {
  /** The address of the project. */
  url: string;
  token: string;
  /** The address of the provider. */
  upstreamUrl: string;
  /** Ends the work. A running call is finished first, so that every lease is reported. */
  signal: AbortSignal;
}

/** The result of one task. */
type Done = { kind: "answered" } | { kind: "wait"; seconds: number } | { kind: "fault"; what: string };

/** After so many failures of the service in a row an agent gives up. */
const MAX_FAULTS = 10;
/** Pause after a fault, in milliseconds. */
const FAULT_PAUSE_MS = 250;
/** An agent's own work between two calls, in milliseconds. */
const THINKING_MS = 250;
/** Longest wait of the client for a cooling key: short, so that a run ends soon. */
const MAX_WAIT_MS = 2_000;

/** One agent: asks one provider after another until it is stopped, by keyhub.fetch or through the gateway. */
export async function runAgent(by: "fetch" | "gateway", options: AgentOptions): Promise<void> {
  const { keys, record, signal } = options;
  const providers = [...new Set(keys.map(({ pool }) => pool))];
  const { call, end } = by === "fetch" ? byFetch(options) : byGateway(options);
  let faults = 0;
  for (let task = 0; !signal.aborted; task += 1) {
    const done = await call(providers[task % providers.length] ?? "");
    if (done.kind === "fault") {
      record.fault(done.what);
      faults += 1;
      if (faults >= MAX_FAULTS) throw new CommandFailure(`the stack does not serve any more: ${done.what}`);
      await sleep(FAULT_PAUSE_MS);
      continue;
    }
    faults = 0;
    if (done.kind === "wait") await waitForKeys(done.seconds, options);
    else await pause(THINKING_MS * (0.5 + Math.random()), signal);
  }
  await end();
}

interface Caller {
  call(provider: string): Promise<Done>;
  end(): Promise<void>;
}

/** With the client, whose every call to the service and the provider is observed. */
function byFetch(options: AgentOptions): Caller {
  const { url, token, upstreamUrl, record } = options;
  const keyhub = createKeyhub({
    url,
    token,
    maxWait: MAX_WAIT_MS,
    fetch: observe(options),
    onEvent: (event) => event.type === "wait" && record.waited(event.ms / 1000),
    onReportLost: ({ code }) => record.fault(`a report is lost: ${code}`),
  });
  const hosts = [new URL(upstreamUrl).origin];
  return {
    async call(provider) {
      try {
        const response = await keyhub.fetch(provider, { hosts })(upstreamUrl, { method: "POST" });
        await response.text();
        return { kind: "answered" };
      } catch (error) {
        if (error instanceof NoKeyError && error.retryAfter !== null)
          return { kind: "wait", seconds: error.retryAfter };
        return {
          kind: "fault",
          what: error instanceof KeyhubError ? error.code : "no answer of the provider",
        };
      }
    },
    end: () => keyhub.flush(),
  };
}

/** Through the gateway, with the agent token as the API key: the agent never sees a real key. */
function byGateway({ url, token, upstreamUrl, record }: AgentOptions): Caller {
  const { pathname } = new URL(upstreamUrl);
  return {
    async call(provider) {
      try {
        const response = await fetch(`${url}/functions/v1/keyhub-gateway/${provider}${pathname}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}` },
        });
        const text = await response.text();
        const attempts = response.headers.get("x-keyhub-attempts");
        if (attempts !== null) {
          record.throughGateway(kindOf(response), Number(attempts));
          return { kind: "answered" };
        }
        const { code } = JSON.parse(text) as { code?: string };
        if (code === "keys_cooling_down")
          return { kind: "wait", seconds: Number(response.headers.get("retry-after")) };
        record.lost += 1;
        return { kind: "fault", what: `gateway: ${response.status} ${code}` };
      } catch {
        record.lost += 1;
        return { kind: "fault", what: "no answer of the gateway" };
      }
    },
    end: async () => {},
  };
}

async function waitForKeys(seconds: number, { record, signal }: AgentOptions): Promise<void> {
  record.note("no key is free: an agent waits, as Retry-After says");
  const from = performance.now();
  await pause(seconds * 1000, signal);
  record.waited((performance.now() - from) / 1000);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
