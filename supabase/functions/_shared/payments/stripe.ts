import Stripe from "stripe";
import {
  BadSignature,
  type OrderToAsk,
  type OrderToPay,
  type OrderToRefund,
  type PaymentProvider,
  type ProviderEvent,
  Unreachable,
} from "./provider.ts";

/** The version of Stripe's API that this file was written for, sent because an account may have another default version. */
const API_VERSION = "2026-10-28.endive";

export interface StripeSettings {
  name: string;
  secretKey: string;
  /** The signing secrets of the webhooks: Stripe has one webhook for the platform and another for connected accounts. */
  webhookSecrets: readonly string[];
  /** The address of the hub's pages. */
  site: string;
  /** The address of a server that replaces Stripe, such as the simulated provider of the local stack. */
  api?: URL | null;
}

/** The types of events that are about an order. */
const TYPES = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.closed",
];

/** Returns the provider for Stripe Connect: the buyer pays the platform, and Stripe transfers the creator's share (destination charges). */
export function stripeProvider({
  name,
  secretKey,
  webhookSecrets,
  site,
  api,
}: StripeSettings): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    apiVersion: API_VERSION as never,
    httpClient: Stripe.createFetchHttpClient(),
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
    ...(api && { host: api.hostname, port: Number(api.port), protocol: "http" }),
  });
  const crypto = Stripe.createSubtleCryptoProvider();
  const ask = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      const { type, code, statusCode } = error as { type?: string; code?: string; statusCode?: number };
      // Stripe's message is left out, because it may repeat what was sent.
      throw new Unreachable(`${name}: ${type ?? "no answer"}, code ${code ?? statusCode ?? "none"}`);
    });

  const paymentOf = async (payment: string | Stripe.PaymentIntent | null) =>
    typeof payment === "string"
      ? await stripe.paymentIntents.retrieve(payment, { expand: ["latest_charge.balance_transaction"] })
      : payment;

  async function paid(id: string, session: Stripe.Checkout.Session): Promise<ProviderEvent | null> {
    const orderId = session.metadata?.keyhub_order;
    const payment = await paymentOf(session.payment_intent);
    if (orderId === undefined || payment === null) return null;
    const charge = payment.latest_charge as Stripe.Charge | null;
    const { fee = 0 } = Object(charge?.balance_transaction) as { fee?: number };
    return {
      ...{ id, kind: "paid", orderId, objectId: "payment", paymentId: payment.id, providerFee: fee },
      ...{ amount: session.amount_total, currency: session.currency },
    };
  }

  async function refunded(id: string, refund: Stripe.Refund): Promise<ProviderEvent | null> {
    const kind =
      refund.status === "succeeded"
        ? "refunded"
        : refund.status === "failed" || refund.status === "canceled"
          ? "refund_failed"
          : null;
    // A refund that was made on Stripe's own pages does not name the order, but its payment does.
    const orderId =
      refund.metadata?.keyhub_order ??
      (await paymentOf(refund.payment_intent as string | null))?.metadata.keyhub_order;
    if (kind === null || orderId === undefined) return null;
    const { amount, currency } = refund;
    return {
      ...{ id, kind, orderId, objectId: refund.id, amount, currency },
      providerFee: 0,
      paymentId: null,
    };
  }

  async function disputed(id: string, dispute: Stripe.Dispute): Promise<ProviderEvent | null> {
    // An inquiry (`warning_…`) has not taken any money back, so it is ignored.
    if (dispute.status.startsWith("warning_")) return null;
    const orderId = (await paymentOf(dispute.payment_intent as string | null))?.metadata.keyhub_order;
    if (orderId === undefined) return null;
    const kind =
      dispute.status === "won" ? "dispute_won" : dispute.status === "lost" ? "dispute_lost" : "disputed";
    const providerFee = dispute.balance_transactions.reduce((sum, { fee }) => sum + fee, 0);
    const { amount, currency } = dispute;
    return {
      ...{ id, kind, orderId, objectId: dispute.id, amount, currency, paymentId: null },
      providerFee: Math.max(providerFee, 0),
    };
  }

  const expired = (id: string, orderId: string | undefined): ProviderEvent | null =>
    orderId === undefined
      ? null
      : {
          ...{ id, kind: "expired", orderId, objectId: "checkout", amount: null, currency: null },
          ...{ providerFee: 0, paymentId: null },
        };

  const accountEvent = (id: string, account: Stripe.Account, at: Date): ProviderEvent => ({
    ...{ id, kind: "account", accountId: account.id, chargesEnabled: account.charges_enabled === true, at },
  });

  async function read({ id, type, created, data }: Stripe.Event): Promise<ProviderEvent | null> {
    const session = data.object as Stripe.Checkout.Session;
    switch (type) {
      case "checkout.session.completed":
      case "checkout.session.async_payment_succeeded":
        return session.payment_status === "paid" ? paid(id, session) : null;
      case "checkout.session.expired":
      case "checkout.session.async_payment_failed":
        return expired(id, session.metadata?.keyhub_order);
      case "refund.created":
      case "refund.updated":
      case "refund.failed":
        return refunded(id, data.object as Stripe.Refund);
      case "charge.dispute.created":
      case "charge.dispute.closed":
        return disputed(id, data.object as Stripe.Dispute);
      case "account.updated":
        return accountEvent(id, data.object as Stripe.Account, new Date(created * 1000));
      default:
        return null;
    }
  }

  async function makeProduct({ product_id: product, title }: OrderToPay): Promise<string> {
    const id = (product ?? "").split(":")[1] ?? "";
    await stripe.products.create({ id, name: title }).catch((error: { code?: string }) => {
      if (error.code !== "resource_already_exists") throw error;
    });
    return id;
  }

  return {
    name,

    createCheckout: (order) =>
      ask(async () => {
        const metadata = { keyhub_order: order.order_id };
        const product = await makeProduct(order);
        const price_data = {
          currency: order.currency.toLowerCase(),
          unit_amount: order.price_cents,
          product,
        };
        const back = `${site}/workspace/purchases?order=${order.order_id}`;
        const session = await stripe.checkout.sessions.create(
          {
            mode: "payment",
            line_items: [{ quantity: 1, price_data }],
            client_reference_id: order.order_id,
            metadata,
            payment_intent_data: {
              metadata,
              transfer_data: { destination: order.account_id },
              ...(order.fee_cents > 0 && { application_fee_amount: order.fee_cents }),
            },
            expires_at: Math.floor(Date.parse(order.expires_at) / 1000),
            success_url: back,
            cancel_url: back,
          },
          { idempotencyKey: `checkout-${order.order_id}` },
        );
        if (session.url === null) throw new Error("a session without a page");
        return { id: session.id, url: session.url };
      }),

    refund: ({ order_id, payment_id }: OrderToRefund, amount, key) =>
      ask(async () => {
        const refund = await stripe.refunds.create(
          {
            ...{ payment_intent: payment_id, amount, metadata: { keyhub_order: order_id } },
            // These options take the money back in proportion from the creator and from the platform's fee.
            ...{ reverse_transfer: true, refund_application_fee: true },
          },
          { idempotencyKey: `refund-${key}` },
        );
        return refunded(`asked:${refund.id}:${refund.status}`, refund);
      }),

    async readEvent(rawBody, headers) {
      const signature = headers.get("stripe-signature") ?? "";
      for (const secret of webhookSecrets) {
        const event = await stripe.webhooks
          .constructEventAsync(rawBody, signature, secret, undefined, crypto)
          .catch(() => null);
        if (event !== null) return ask(() => read(event));
      }
      throw new BadSignature();
    },

    askAbout: ({ order_id: orderId, checkout_id: checkout }: OrderToAsk) =>
      ask(async () => {
        // Without a checkout the buyer never got a page to pay on, so the order has expired.
        if (checkout === null) return [expired(`asked:${orderId}:expired`, orderId)];
        const session = await stripe.checkout.sessions
          .retrieve(checkout)
          .catch((error: { code?: string }) => {
            if (error.code === "resource_missing") return null;
            throw error;
          });
        if (session === null || session.status === "expired")
          return [expired(`asked:${orderId}:expired`, orderId)];
        const payment = session.payment_intent as string | null;
        if (session.payment_status !== "paid" || payment === null) return [];
        const [refunds, disputes] = await Promise.all([
          stripe.refunds.list({ payment_intent: payment, limit: 100 }),
          stripe.disputes.list({ payment_intent: payment, limit: 100 }),
        ]);
        return Promise.all([
          paid(`asked:${orderId}:paid`, session),
          ...refunds.data.map((refund) => refunded(`asked:${refund.id}:${refund.status}`, refund)),
          ...disputes.data.map((dispute) => disputed(`asked:${dispute.id}:${dispute.status}`, dispute)),
        ]);
      }).then((events) => events.filter((event) => event !== null)),

    eventsSince: (since) =>
      ask(async () => {
        const events: ProviderEvent[] = [];
        const created = { gte: Math.floor(since.getTime() / 1000) };
        for await (const event of stripe.events.list({ types: TYPES, created, limit: 100 })) {
          const told = await read(event);
          if (told !== null) events.push(told);
          if (events.length >= MOST_EVENTS) break;
        }
        return events;
      }),

    createAccount: (userId) =>
      ask(async () => {
        const capabilities = { card_payments: { requested: true }, transfers: { requested: true } };
        const made = await stripe.accounts.create(
          { type: "express", capabilities, metadata: { keyhub_user: userId } },
          { idempotencyKey: `account-${userId}` },
        );
        return made.id;
      }),

    askAccount: (accountId) =>
      ask(async () => {
        const account = await stripe.accounts.retrieve(accountId);
        // Stripe gives the time of an event in whole seconds. Round this time down, too, or an event of the same second would seem older.
        const at = new Date(Math.floor(Date.now() / 1000) * 1000);
        return accountEvent(`asked:${accountId}:${globalThis.crypto.randomUUID()}`, account, at);
      }),

    accountLink: (account) =>
      ask(async () => {
        const page = `${site}/workspace/revenue`;
        const link = await stripe.accountLinks.create({
          ...{ account, type: "account_onboarding", refresh_url: page, return_url: page },
        });
        return link.url;
      }),
  };
}

/** The largest number of events that eventsSince returns. */
const MOST_EVENTS = 2_000;
