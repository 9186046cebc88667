import type { CheckoutAnswer, OrderPage, OrderState, Purchases, Revenue } from "./answers.ts";
import type { HubCalls } from "./calls.ts";

/** The currency of new prices. The platform's share of a sale, in hundredths of a percent: in general, and for verified creators. */
export interface Fees {
  currency: string;
  fee_bps: number;
  verified_fee_bps: number;
}

/** The refund of a payment or a part of it. `id` identifies the request: sending the same request again refunds nothing more. */
export interface RefundRequest {
  id: string;
  reason: string;
  /** If it is left out, everything that is not refunded yet is refunded. */
  amount_cents?: number;
}

export interface Selling {
  /** Begins a purchase of a listing; `url` is the page on which to pay. */
  checkout(idOrSlug: string): Promise<CheckoutAnswer>;
  /** Returns the state of an order of the caller, after asking the payment provider. */
  order(orderId: string): Promise<CheckoutAnswer>;
  /** Returns the caller's purchases, the newest first. With an id, returns only the order with this id, in any state. */
  purchases(orderId?: string): Promise<Purchases>;
  /** Returns the caller's earnings, by day (UTC, such as 2026-11-30) and listing. */
  revenue(from: string, to: string): Promise<Revenue>;
  /** Opens the caller's payout account (`url` is the page to open), or asks the payment provider for the account's state. */
  payoutAccount(what: "open" | "refresh"): Promise<CheckoutAnswer>;
  fees(): Promise<Fees>;
  /** Returns orders, page by page. Only for admins, as are `refund` and `verifyCreator`. */
  orders(request?: { q?: string; state?: OrderState; cursor?: string | null }): Promise<OrderPage>;
  refund(orderId: string, refund: RefundRequest): Promise<CheckoutAnswer>;
  verifyCreator(username: string, verified: boolean): Promise<void>;
}

export function sellingOf({ read, run, rows, invoke }: HubCalls): Selling {
  return {
    checkout: (listing) => invoke("hub-checkout", { listing }),
    order: (order_id) => invoke("hub-checkout", { order_id }),
    purchases: (order_id) => read("hub_my_purchases", { order_id }),
    revenue: (from, to) => read("hub_revenue", { from, to }),
    payoutAccount: (account) => invoke("hub-checkout", { account }),
    fees: async () => {
      const columns = "currency,fee_bps,verified_fee_bps";
      const [row] = await rows<Fees[]>({ table: "hub_settings", method: "select", columns });
      return row ?? { currency: "USD", fee_bps: 0, verified_fee_bps: 0 };
    },
    orders: ({ q, state, cursor } = {}) => read("hub_orders", { q, state, cursor }),
    refund: (order_id, refund) => invoke("hub-checkout", { order_id, refund }),
    verifyCreator: (username, verified) => run("hub_verify_creator", { username, verified }),
  };
}
