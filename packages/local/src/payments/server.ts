// payments/: a simulated payment provider on loopback, for selling in a local stack.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { serveOnLoopback } from "../processes/loopback.ts";
import { paymentRoutes } from "./routes.ts";
import { type Json, type StripeApi, signatureOf, stripeApi } from "./stripe-api.ts";

export interface PaymentServer {
  url: string;
  /** The secret that signs the events. */
  secret: string;
  api: StripeApi;
  /** Resolves when every event has been delivered or abandoned. */
  delivered(): Promise<void>;
  stop(): Promise<void>;
}

export interface PaymentServerOptions {
  /** Returns the address for events; null while there is none. */
  webhook: () => string | null;
  secret?: string;
  onLog?: (line: string) => void;
  /** The time before an event is sent, and between two tries, in milliseconds. */
  pause?: number;
}

/** The pauses before the next try, in multiples of `pause`. */
const TRIES = [1, 2, 4, 8, 16];

/**
 * Starts a payment provider on loopback for `npm start`: the part of Stripe's API that the functions use, pages to pay on, and signed
 * webhooks. It deliberately sends each event twice, and events that occur together in reverse order, because receivers must tolerate both.
 */
export async function startPayments(options: PaymentServerOptions): Promise<PaymentServer> {
  const { webhook, onLog = () => {}, pause = 200 } = options;
  const { secret = `whsec_${randomBytes(24).toString("base64url")}` } = options;
  const waiting: string[] = [];
  const sending = new Set<Promise<void>>();
  const ended = new AbortController();
  const { signal } = ended;
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function deliver(body: string): Promise<void> {
    for (const n of TRIES) {
      const to = webhook();
      if (to === null || signal.aborted) return;
      const response = await fetch(to, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Stripe-Signature": signatureOf(body, secret) },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
      }).catch(() => null);
      await response?.body?.cancel();
      if (response?.ok) return;
      await rest(pause * n);
    }
    onLog("an event of the payment provider was not taken");
  }

  /** Sends the collected events in reverse order. */
  async function flush(): Promise<void> {
    await rest(pause);
    for (const body of waiting.splice(0).reverse()) {
      await deliver(body);
      await deliver(body);
    }
  }
  const send = (event: Json) => {
    waiting.push(JSON.stringify(event));
    if (waiting.length > 1) return;
    const work = flush().finally(() => sending.delete(work));
    sending.add(work);
  };

  let url = "";
  const api = stripeApi(() => url, send);
  const served = await serveOnLoopback(paymentRoutes(api, () => url, onLog));
  url = served.url;
  return {
    url,
    secret,
    api,
    delivered: async () => {
      while (sending.size > 0) await Promise.all(sending);
    },
    stop: async () => {
      ended.abort();
      await served.stop();
      await Promise.all(sending);
    },
  };
}
