import { CHECKOUTS, type CheckoutRequest, parseCheckoutRequest } from "@keyhub/core/checkout";
import { problem } from "@keyhub/core/problem";
import { endpoint, type Reply } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import { applyEvent, refusalOf, settle } from "../_shared/payments/apply.ts";
import type { OrderToAsk, OrderToPay, OrderToRefund, PaymentProvider } from "../_shared/payments/provider.ts";
import { identifyUser, type User } from "../_shared/user.ts";

export interface Dependencies {
  database: HubDatabase;
  /** Returns the payment provider; null when none is set up, so that nothing can be sold. */
  provider: () => PaymentProvider | null;
}

/**
 * POST hub-checkout: begins the purchase of a listing, returns the state of an order, opens a payout account, or refunds an order. Buyers
 * pay, and creators identify themselves, on the provider's pages; payment-webhook receives the events about both.
 */
export function hubCheckout({ database, provider }: Dependencies): (request: Request) => Promise<Response> {
  const options = {
    name: "hub-checkout",
    maxBytes: 16_384,
    identify: (request: Request) => identifyUser(request, database),
  };
  return endpoint(options, async ({ caller: user, body }): Promise<Reply> => {
    const parsed = parseCheckoutRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };
    const payments = provider();
    if (payments === null) return { problem: problem("payments_not_configured") };
    try {
      return await serve(parsed.value, { database, payments, user });
    } catch (error) {
      return refusalOf(error);
    }
  });
}

interface Context {
  database: HubDatabase;
  payments: PaymentProvider;
  user: User;
}

function serve(asked: CheckoutRequest, context: Context): Promise<Reply> {
  if ("account" in asked) return openAccount(asked.account === "open", context);
  if ("refund" in asked) return refund(asked, context);
  return "order_id" in asked ? tellState(asked.order_id, context) : buy(asked.listing, context);
}

const NOTHING = { url: null, order_id: null, state: null, charges_enabled: null };
const done = (said: Partial<Record<keyof typeof NOTHING, unknown>>): Reply => ({
  status: 200,
  body: { ...NOTHING, ...said },
});

/**
 * Begins a purchase. The order is stored before its payment page is made. If the function fails in between, the buyer's next attempt makes
 * the page for the same order, or payment-webhook later closes the order as expired.
 */
async function buy(listing: string, { database, payments, user }: Context): Promise<Reply> {
  const begun = await database.callRpc("hub_begin_checkout", {
    ...{ user_id: user.id, listing, provider: payments.name, hourly_limit: CHECKOUTS.perHour },
  });
  if ("problem" in begun) return begun;
  const order = begun.data as OrderToPay & { checkout_url: string | null };
  if (order.checkout_url !== null)
    return done({ url: order.checkout_url, order_id: order.order_id, state: "open" });
  const { id, url } = await payments.createCheckout(order);
  const noted = await database.callRpc("hub_note_checkout", {
    ...{ order_id: order.order_id, checkout_id: id, checkout_url: url },
  });
  return "problem" in noted ? noted : done({ url, order_id: order.order_id, state: "open" });
}

/** Returns the state of an order. It asks the provider first, because the provider's event may be late. */
async function tellState(orderId: string, { database, payments, user }: Context): Promise<Reply> {
  const find = () => database.callRpc("hub_order_for_status", { order_id: orderId, user_id: user.id });
  const found = await find();
  if ("problem" in found) return found;
  const order = found.data as (OrderToAsk & { state: string }) | null;
  if (order === null) return { problem: problem("order_not_found") };
  if (order.checkout_id !== null) {
    for (const event of await payments.askAbout(order)) {
      const settled = await settle(database, payments, event, order);
      if ("problem" in settled) return settled;
    }
  }
  const now = await find();
  return "problem" in now ? now : done({ order_id: orderId, state: (now.data as { state: string }).state });
}

async function openAccount(isOpening: boolean, { database, payments, user }: Context): Promise<Reply> {
  const begin = (account_id: string | null) =>
    database.callRpc("hub_begin_onboarding", { user_id: user.id, provider: payments.name, account_id });
  let held = await begin(null);
  if ("problem" in held) return held;
  if (held.data === null) {
    if (!isOpening) return done({ charges_enabled: false });
    held = await begin(await payments.createAccount(user.id));
    if ("problem" in held) return held;
  }
  const account = held.data as string;
  const told = await payments.askAccount(account);
  const applied = await applyEvent(database, payments.name, told);
  if ("problem" in applied) return applied;
  return done({
    url: isOpening ? await payments.accountLink(account) : null,
    charges_enabled: told.kind === "account" && told.chargesEnabled,
  });
}

/**
 * Refunds an order. The database checks, with the rights of the admin who asks, whether the order may be refunded. Then the provider
 * refunds the money, and the provider's answer is applied like one of its events.
 */
async function refund(
  { order_id, refund: wanted }: Extract<CheckoutRequest, { refund: unknown }>,
  { database, payments, user }: Context,
): Promise<Reply> {
  const begun = await database.callRpcAs(user.token, "hub_begin_refund", {
    ...{ order_id, amount_cents: wanted.amount_cents ?? null, reason: wanted.reason },
  });
  if ("problem" in begun) return begun;
  const order = begun.data as OrderToRefund & { amount_cents: number };
  const event = await payments.refund(order, order.amount_cents, wanted.id);
  const applied = event === null ? null : await applyEvent(database, payments.name, event);
  if (applied !== null && "problem" in applied) return applied;
  const now = await database.callRpc("hub_order_for_status", { order_id, user_id: user.id });
  return "problem" in now ? now : done({ order_id, state: (now.data as { state: string }).state });
}
