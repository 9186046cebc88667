/** What a payment provider tells, in our words; `null` in their place: nothing that matters here. */
export type ProviderEvent =
  | {
      id: string;
      kind: "paid" | "expired" | "refunded" | "refund_failed" | "disputed" | "dispute_won" | "dispute_lost";
      orderId: string;
      /** The payment, refund or dispute that it is about. */
      objectId: string;
      amount: number | null;
      currency: string | null;
      providerFee: number;
      /** Of a payment: what a refund names. */
      paymentId: string | null;
    }
  | { id: string; kind: "account"; accountId: string; chargesEnabled: boolean; at: Date };

/** An order, as the provider needs it for a payment page. */
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

/** An order, as the provider is asked about it. */
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

/** The seam to the provider. All but `readEvent` throw an Unreachable when it cannot be reached. */
export interface PaymentProvider {
  name: string;
  createCheckout(order: OrderToPay): Promise<{ id: string; url: string }>;
  /** `key` names the request: the same one again refunds nothing more. */
  refund(order: OrderToRefund, amount: number, key: string): Promise<ProviderEvent | null>;
  /** Throws a BadSignature for what the provider did not send. */
  readEvent(rawBody: string, headers: Headers): Promise<ProviderEvent | null>;
  /** All that it knows of an order. */
  askAbout(order: OrderToAsk): Promise<ProviderEvent[]>;
  /** What it told since then, whether or not it arrived. */
  eventsSince(since: Date): Promise<ProviderEvent[]>;
  createAccount(userId: string): Promise<string>;
  askAccount(accountId: string): Promise<ProviderEvent>;
  /** The page where a creator says who they are. */
  accountLink(accountId: string): Promise<string>;
}

export class BadSignature extends Error {}
export class Unreachable extends Error {}
