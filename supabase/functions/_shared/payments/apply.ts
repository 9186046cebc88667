import { problem } from "@keyhub/core/problem";
import type { Database } from "../database.ts";
import type { Refusal } from "../http.ts";
import type { OrderToAsk, OrderToRefund, PaymentProvider, ProviderEvent } from "./provider.ts";
import { BadSignature, Unreachable } from "./provider.ts";

export interface Applied {
  outcome: "applied" | "duplicate" | "mismatch" | "unknown";
  /** Whether the order is paid but delivered nothing, so that the money is due back. */
  undelivered?: boolean;
}

/** Applies an event of the provider in the database, with one RPC. */
export async function applyEvent(
  database: Database,
  provider: string,
  event: ProviderEvent,
): Promise<Applied | Refusal> {
  const answer =
    event.kind === "account"
      ? await database.callRpc("hub_apply_account_event", {
          ...{ provider, event_id: event.id, account_id: event.accountId },
          ...{ charges_enabled: event.chargesEnabled, at: event.at.toISOString() },
        })
      : await database.callRpc("hub_apply_payment_event", {
          ...{ provider, event_id: event.id, kind: event.kind, order_id: event.orderId },
          ...{ object_id: event.objectId, amount_cents: event.amount, currency: event.currency },
          ...{ provider_fee_cents: event.providerFee, payment_id: event.paymentId },
        });
  return "problem" in answer ? answer : (answer.data as Applied);
}

/** Applies an event, and pays back an order that was paid but delivered nothing. A repeated event refunds nothing more. */
export async function settle(
  database: Database,
  provider: PaymentProvider,
  event: ProviderEvent,
  order: Pick<OrderToAsk, "price_cents"> | null = null,
): Promise<Applied | Refusal> {
  const applied = await applyEvent(database, provider.name, event);
  if ("problem" in applied || !applied.undelivered || event.kind === "account") return applied;
  const amount = event.kind === "paid" ? event.amount : (order?.price_cents ?? null);
  if (event.paymentId === null || amount === null) return applied;
  const returned = await payBack(database, provider, {
    ...{ order_id: event.orderId, payment_id: event.paymentId, price_cents: amount },
  });
  return returned ?? applied;
}

/** Refunds the whole payment of an order that delivered nothing. Returns a refusal of the database, else null. */
export async function payBack(
  database: Database,
  provider: PaymentProvider,
  order: OrderToRefund & { price_cents: number },
): Promise<Refusal | null> {
  const refund = await provider.refund(order, order.price_cents, `undelivered-${order.order_id}`);
  const applied = refund === null ? null : await applyEvent(database, provider.name, refund);
  return applied !== null && "problem" in applied ? applied : null;
}

/** Returns the refusal for a provider that did not answer, or for a text that it did not sign; throws any other error again. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof BadSignature) return { problem: problem("invalid_signature") };
  if (error instanceof Unreachable) return { problem: problem("unavailable"), log: error.message };
  throw error;
}
