import { createHmac, randomUUID } from "node:crypto";
import { HTTPException } from "hono/http-exception";

export interface Json {
  [member: string]: unknown;
}

interface Session extends Json {
  id: string;
  status: "open" | "complete" | "expired";
  title: string;
  amount_total: number;
  currency: string;
  success_url: string;
  expires_at: number;
}

interface Payment extends Json {
  id: string;
  metadata: Json;
  amount: number;
  currency: string;
  title: string;
}

/** A refund or a dispute of a payment. */
interface Return extends Json {
  id: string;
  amount: number;
  status: string;
  payment_intent: string;
}

interface Account extends Json {
  id: string;
  charges_enabled: boolean;
}

/** Returns Stripe's error answer with this code. */
export const refusal = (status: 400 | 404, code: string) => new HTTPException(status, { message: code });

const now = () => Math.floor(Date.now() / 1000);

/** The fees that Stripe would keep for a payment and for a dispute, in cents. */
const paymentFee = (amount: number) => Math.round(amount * 0.029) + 30;
const DISPUTE_FEE = 1500;

export type StripeApi = ReturnType<typeof stripeApi>;

/**
 * Simulates the part of Stripe that Keyhub uses, to try out sales without an account. `origin` returns the address of the provider's pages;
 * `send` gets each event, as Stripe would post it.
 */
export function stripeApi(origin: () => string, send: (event: Json) => void) {
  const products = new Map<string, Json>();
  const sessions = new Map<string, Session>();
  const payments = new Map<string, Payment>();
  const refunds = new Map<string, Return>();
  const disputes = new Map<string, Return>();
  const accounts = new Map<string, Account>();
  const events: Json[] = [];

  function emit(type: string, object: Json): void {
    const data = { object: { ...object } };
    const event = { id: `evt_${randomUUID()}`, object: "event", type, created: now(), data };
    events.push(event);
    send(event);
  }
  const found = <T>(map: Map<string, T>, id: unknown): T => {
    const value = map.get(String(id));
    if (value === undefined) throw refusal(404, "resource_missing");
    return value;
  };
  const keep = <T extends { id: string }>(map: Map<string, T>, value: T): T => {
    map.set(value.id, value);
    return value;
  };
  const returnsOf = (map: Map<string, Return>, payment: string) =>
    [...map.values()].filter(({ payment_intent: of }) => of === payment);

  const api = {
    session: (id: string) => sessions.get(id),
    payments: () =>
      [...payments.values()].map((payment) => ({
        ...payment,
        refunds: returnsOf(refunds, payment.id),
        disputes: returnsOf(disputes, payment.id),
      })),
    events: () => events,
    refunds: (payment: string) => returnsOf(refunds, payment),
    disputes: (payment: string) => returnsOf(disputes, payment),
    sessionOf: (id: string) => found(sessions, id),
    paymentOf: (id: string) => {
      const payment = found(payments, id);
      return { ...payment, latest_charge: { balance_transaction: { fee: paymentFee(payment.amount) } } };
    },
    /**
     * Returns the account with this id. An unknown id is from the demo data or from before a restart of the stack, so its account takes
     * payments.
     */
    account: (id: string): Account =>
      accounts.get(id) ?? keep(accounts, { id, object: "account", charges_enabled: true }),
    makeAccount: () =>
      keep(accounts, { id: `acct_${randomUUID()}`, object: "account", charges_enabled: false }),
    makeProduct(body: Json): Json {
      const id = String(body.id);
      if (products.has(id)) throw refusal(400, "resource_already_exists");
      return keep(products as Map<string, Json & { id: string }>, { ...body, id, object: "product" });
    },
    makeSession(body: Json): Session {
      const [line] = Object.values(body.line_items as Record<string, Json>);
      const price = line?.price_data as Json;
      const payment = body.payment_intent_data as Json;
      const { destination } = payment.transfer_data as Json;
      if (!api.account(String(destination)).charges_enabled) throw refusal(400, "account_invalid");
      const id = `cs_${randomUUID()}`;
      return keep(sessions, {
        ...{ id, object: "checkout.session", url: `${origin()}/pay/${id}`, metadata: body.metadata },
        ...{ status: "open", payment_status: "unpaid", payment_intent: null },
        ...{ amount_total: Number(price.unit_amount), currency: String(price.currency) },
        ...{ success_url: String(body.success_url), expires_at: Number(body.expires_at) },
        ...{ title: String(found(products, price.product).name), payment_metadata: payment.metadata },
      });
    },
    pay(id: string): void {
      const session = found(sessions, id);
      if (session.status !== "open" || session.expires_at < now()) throw refusal(400, "session_closed");
      const payment = keep(payments, {
        ...{ id: `pi_${randomUUID()}`, object: "payment_intent", status: "succeeded" },
        ...{ amount: session.amount_total, currency: session.currency, title: session.title },
        metadata: session.payment_metadata as Json,
      });
      Object.assign(session, { status: "complete", payment_status: "paid", payment_intent: payment.id });
      emit("checkout.session.completed", session);
    },
    expire(id: string): void {
      const session = found(sessions, id);
      if (session.status !== "open") throw refusal(400, "session_closed");
      session.status = "expired";
      emit("checkout.session.expired", session);
    },
    /** Returns the part of a payment that is not refunded, in the smallest unit of its currency. */
    left(payment: string): number {
      const returned = returnsOf(refunds, payment).filter(({ status }) => status === "succeeded");
      return returned.reduce((left, { amount }) => left - amount, found(payments, payment).amount);
    },
    refund(payment: string, amount: number, metadata: Json = {}): Return {
      const { currency } = found(payments, payment);
      if (!(amount > 0 && amount <= api.left(payment))) throw refusal(400, "charge_already_refunded");
      const refund = keep(refunds, {
        ...{ id: `re_${randomUUID()}`, object: "refund", status: "succeeded", metadata },
        ...{ amount, currency, payment_intent: payment },
      });
      emit("refund.created", refund);
      emit("refund.updated", refund);
      return refund;
    },
    failRefund(id: string): void {
      const refund = found(refunds, id);
      refund.status = "failed";
      emit("refund.failed", refund);
    },
    dispute(payment: string): void {
      const { amount, currency } = found(payments, payment);
      const dispute = keep(disputes, {
        ...{ id: `dp_${randomUUID()}`, object: "dispute", status: "needs_response", payment_intent: payment },
        ...{ amount, currency, balance_transactions: [{ fee: DISPUTE_FEE }] },
      });
      emit("charge.dispute.created", dispute);
    },
    closeDispute(id: string, status: "won" | "lost"): void {
      const dispute = found(disputes, id);
      dispute.status = status;
      emit("charge.dispute.closed", dispute);
    },
    enable(id: string, enabled: boolean): void {
      const account = api.account(id);
      account.charges_enabled = enabled;
      emit("account.updated", account);
    },
  };
  return api;
}

/** Returns the header with which Stripe signs the body of a webhook; `at` is the time in seconds. */
export function signatureOf(body: string, secret: string, at: number = now()): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}
