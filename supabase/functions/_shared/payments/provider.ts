/** An event of a payment provider, translated from the provider's format. A method below returns null for an event that the hub ignores. */
export type ProviderEvent =
  | {
      id: string;
      kind: "paid" | "expired" | "refunded" | "refund_failed" | "disputed" | "dispute_won" | "dispute_lost";
      orderId: string;
      /** What the event is about: the id of the refund or dispute, else `payment` or `checkout`. */
      objectId: string;
      amount: number | null;
      currency: string | null;
      providerFee: number;
      /** The id of the payment, which a refund must name. */
      paymentId: string | null;
    }
  | { id: string; kind: "account"; accountId: string; chargesEnabled: boolean; at: Date };

/** The fields of an order that the provider needs for a payment page. */
export interface OrderToPay {
  order_id: string;
  title: string;
  price_cents: number;
  currency: string;
  fee_cents: number;
  account_id: string;
  product_id: string | null;
  expires_at: string;
}

/** The fields of an order that are needed to ask the provider about it. */
export interface OrderToAsk {
  order_id: string;
  checkout_id: string | null;
  payment_id: string | null;
  price_cents: number;
  currency: string;
}

export interface OrderToRefund {
  order_id: string;
  payment_id: string;
}

/** The interface to a payment provider. Each method throws Unreachable when the provider does not answer, or answers with an error. */
export interface PaymentProvider {
  name: string;
  createCheckout(order: OrderToPay): Promise<{ id: string; url: string }>;
  /** Refunds an amount. `key` is the idempotency key: a repeated request with the same key refunds nothing more. */
  refund(order: OrderToRefund, amount: number, key: string): Promise<ProviderEvent | null>;
  /** Reads an event. Throws BadSignature for a text that the provider did not sign. */
  readEvent(rawBody: string, headers: Headers): Promise<ProviderEvent | null>;
  /** Returns all events that the provider knows of an order. */
  askAbout(order: OrderToAsk): Promise<ProviderEvent[]>;
  /** Returns the provider's events about orders since the given time, including events that payment-webhook never received. */
  eventsSince(since: Date): Promise<ProviderEvent[]>;
  createAccount(userId: string): Promise<string>;
  askAccount(accountId: string): Promise<ProviderEvent>;
  /** Returns the address of the page on which creators identify themselves to the provider. */
  accountLink(accountId: string): Promise<string>;
}

export class BadSignature extends Error {}
export class Unreachable extends Error {}
