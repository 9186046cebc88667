import { problem } from "@keyhub/core/problem";
import type { Database } from "../_shared/database.ts";
import { endpoint, type Identified, type Refusal, type Reply } from "../_shared/http.ts";
import { type Applied, payBack, refusalOf, settle } from "../_shared/payments/apply.ts";
import type { OrderToAsk, PaymentProvider } from "../_shared/payments/provider.ts";
import { identifyService } from "../_shared/service.ts";

export interface Dependencies {
  database: Database;
  /** Returns the payment provider; null when none is set up, so that nothing can be sold. */
  provider: () => PaymentProvider | null;
  secretKeys: () => string[];
  now: () => Date;
}

/**
 * MISSED_MS: how far back a scheduled call asks the provider for missed events, in milliseconds. ORDERS: one call asks about at most this
 * many open orders, and refunds at most this many undelivered orders.
 */
const MISSED_MS = 48 * 3_600_000;
const ORDERS = 50;

/**
 * POST payment-webhook: receives an event that the payment provider has signed. When a scheduler calls it with the project's secret key, it
 * instead asks the provider for events that did not arrive.
 */
export function paymentWebhook(dependencies: Dependencies): (request: Request) => Promise<Response> {
  const { database, provider, secretKeys } = dependencies;
  const options = {
    name: "payment-webhook",
    maxBytes: 262_144,
    isRaw: true,
    identify: async (request: Request): Promise<Identified<"provider" | "service"> | Refusal> =>
      request.headers.has("stripe-signature") || !hasCredential(request)
        ? { caller: "provider" }
        : identifyService(request, secretKeys()),
  };
  return endpoint(options, async ({ request, caller, text }): Promise<Reply> => {
    const payments = provider();
    if (payments === null) return { problem: problem("payments_not_configured") };
    try {
      if (caller === "service") return await reconcile(dependencies, payments);
      const event = await payments.readEvent(text, request.headers);
      if (event === null) return { status: 200, body: { applied: 0, outcome: "ignored" } };
      const settled = await settle(database, payments, event);
      return "problem" in settled ? later(settled) : answerOf([settled]);
    } catch (error) {
      return refusalOf(error);
    }
  });
}

const hasCredential = ({ headers }: Request) => headers.has("apikey") || headers.has("authorization");

const answerOf = (settled: Applied[]): Reply => ({
  status: 200,
  body: {
    applied: settled.filter(({ outcome }) => outcome === "applied").length,
    outcome: settled.at(-1)?.outcome ?? "ignored",
  },
});

/** Turns any refusal into a 5xx, so that the provider sends the event again and no event gets lost. */
const later = ({ problem: why, ...refusal }: Refusal): Refusal => ({
  ...refusal,
  problem: why.status >= 500 ? why : problem("unavailable"),
});

/** Applies events that did not arrive, asks about orders that are open for over an hour, and refunds undelivered orders. */
async function reconcile({ database, now }: Dependencies, payments: PaymentProvider): Promise<Reply> {
  const settled: Applied[] = [];
  const since = new Date(now().getTime() - MISSED_MS);
  for (const event of await payments.eventsSince(since)) {
    const one = await settle(database, payments, event);
    if ("problem" in one) return one;
    settled.push(one);
  }
  const waiting = await database.callRpc("hub_orders_to_ask", { most: ORDERS });
  if ("problem" in waiting) return waiting;
  for (const order of waiting.data as (OrderToAsk & { undelivered: boolean })[]) {
    const { payment_id } = order;
    if (order.undelivered && payment_id !== null) {
      const refused = await payBack(database, payments, { ...order, payment_id });
      if (refused !== null) return refused;
      continue;
    }
    for (const event of await payments.askAbout(order)) {
      const one = await settle(database, payments, event, order);
      if ("problem" in one) return one;
      settled.push(one);
    }
  }
  return answerOf(settled);
}
