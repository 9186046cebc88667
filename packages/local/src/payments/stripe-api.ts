import { createHmac, randomUUID } from "node:crypto";

/** Simulates the part of Stripe's API that Keyhub uses: a provider for trying out sales without an account. */
export interface Json {
  [member: string]: unknown;
}

interface Session extends Json {
  id: string;
  status: "open" | "complete" | "expired";
  payment_status: "unpaid" | "paid";
  payment_intent: string | null;
  metadata: Json;
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

interface Refund extends Json {
  id: string;
  amount: number;
  status: "succeeded" | "failed";
  payment_intent: string;
}

interface Dispute extends Json {
  id: string;
  amount: number;
  status: "needs_response" | "won" | "lost";
  payment_intent: string;
}

interface Account extends Json {
  id: string;
  charges_enabled: boolean;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const now = () => Math.floor(Date.now() / 1000);

/** The fees that Stripe would keep for a payment and for a dispute. */
const paymentFee = (amount: number) => Math.round(amount * 0.029) + 30;
const DISPUTE_FEE = 1500;

export interface StripeApi {
  /** Answers a call of the library. */
  call(method: string, path: string, body: Json, query: Json, idempotencyKey: string | null): unknown;
  session(id: string): Session | undefined;
  payments(): (Payment & { refunds: Refund[]; disputes: Dispute[] })[];
  pay(session: string): void;
  expire(session: string): void;
  refund(payment: string, amount: number, metadata?: Json): Refund;
  failRefund(refund: string): void;
  dispute(payment: string): void;
  closeDispute(dispute: string, status: "won" | "lost"): void;
  enable(account: string, enabled: boolean): void;
  events(): Json[];
}

/** Returns the simulated API. `origin` returns the address of its pages; `send` gets each event, as Stripe would post it. */
export function stripeApi(origin: () => string, send: (event: Json) => void): StripeApi {
  const products = new Map<string, Json>();
  const sessions = new Map<string, Session>();
  const payments = new Map<string, Payment>();
  const refunds = new Map<string, Refund>();
  const disputes = new Map<string, Dispute>();
  const accounts = new Map<string, Account>();
  const answered = new Map<string, unknown>();
  const events: Json[] = [];

  function emit(type: string, object: Json): void {
    const event = {
      id: `evt_${randomUUID()}`,
      object: "event",
      type,
      created: now(),
      data: { object: { ...object } },
    };
    events.push(event);
    send(event);
  }
  const found = <T>(map: Map<string, T>, id: unknown): T => {
    const value = map.get(String(id));
    if (value === undefined) throw new ApiError(404, "resource_missing");
    return value;
  };
  /**
   * Returns the account with this id. An unknown id is from the demo data or from before a restart of the stack, so its account takes
   * payments.
   */
  const accountOf = (id: unknown): Account => {
    const account = accounts.get(String(id)) ?? { id: String(id), object: "account", charges_enabled: true };
    accounts.set(account.id, account);
    return account;
  };
  const listOf = (data: unknown[]) => ({ object: "list", data, has_more: false });
  const shown = (payment: Payment) => ({
    ...payment,
    latest_charge: { balance_transaction: { fee: paymentFee(payment.amount) } },
  });
  const leftOf = (payment: Payment) =>
    payment.amount -
    [...refunds.values()]
      .filter(({ payment_intent: of, status }) => of === payment.id && status === "succeeded")
      .reduce((sum, { amount }) => sum + amount, 0);

  function makeSession(body: Json): Session {
    const [line] = Object.values(body.line_items as Record<string, Json>);
    const price = line?.price_data as Json;
    const payment = body.payment_intent_data as Json;
    const account = (payment.transfer_data as Json).destination;
    if (!accountOf(account).charges_enabled) throw new ApiError(400, "account_invalid");
    const id = `cs_${randomUUID()}`;
    const session: Session = {
      ...{ id, object: "checkout.session", status: "open", payment_status: "unpaid", payment_intent: null },
      ...{
        url: `${origin()}/pay/${id}`,
        metadata: body.metadata as Json,
        title: found(products, price.product).name,
      },
      ...{ amount_total: Number(price.unit_amount), currency: String(price.currency) },
      ...{ success_url: String(body.success_url), expires_at: Number(body.expires_at) },
      payment_metadata: payment.metadata,
    };
    sessions.set(id, session);
    return session;
  }

  const api: StripeApi = {
    call(method, path, body, query, key) {
      const known = key === null ? undefined : answered.get(key);
      if (known !== undefined) return known;
      const answer = serve(method, path, body, query);
      if (key !== null) answered.set(key, structuredClone(answer));
      return answer;
    },
    session: (id) => sessions.get(id),
    payments: () =>
      [...payments.values()].map((payment) => ({
        ...payment,
        refunds: [...refunds.values()].filter(({ payment_intent: of }) => of === payment.id),
        disputes: [...disputes.values()].filter(({ payment_intent: of }) => of === payment.id),
      })),
    pay(id) {
      const session = found(sessions, id);
      if (session.status !== "open" || session.expires_at < now()) throw new ApiError(400, "session_closed");
      const payment: Payment = {
        ...{ id: `pi_${randomUUID()}`, object: "payment_intent", status: "succeeded" },
        ...{ amount: session.amount_total, currency: session.currency, title: String(session.title) },
        metadata: session.payment_metadata as Json,
      };
      payments.set(payment.id, payment);
      Object.assign(session, { status: "complete", payment_status: "paid", payment_intent: payment.id });
      emit("checkout.session.completed", session);
    },
    expire(id) {
      const session = found(sessions, id);
      if (session.status !== "open") throw new ApiError(400, "session_closed");
      session.status = "expired";
      emit("checkout.session.expired", session);
    },
    refund(payment, amount, metadata = {}) {
      const of = found(payments, payment);
      if (!(amount > 0 && amount <= leftOf(of))) throw new ApiError(400, "charge_already_refunded");
      const refund: Refund = {
        ...{ id: `re_${randomUUID()}`, object: "refund", status: "succeeded", metadata },
        ...{ amount, currency: of.currency, payment_intent: payment },
      };
      refunds.set(refund.id, refund);
      emit("refund.created", refund);
      emit("refund.updated", refund);
      return refund;
    },
    failRefund(id) {
      const refund = found(refunds, id);
      refund.status = "failed";
      emit("refund.failed", refund);
    },
    dispute(payment) {
      const of = found(payments, payment);
      const dispute: Dispute = {
        ...{ id: `dp_${randomUUID()}`, object: "dispute", status: "needs_response", payment_intent: payment },
        ...{ amount: of.amount, currency: of.currency, balance_transactions: [{ fee: DISPUTE_FEE }] },
      };
      disputes.set(dispute.id, dispute);
      emit("charge.dispute.created", dispute);
    },
    closeDispute(id, status) {
      const dispute = found(disputes, id);
      dispute.status = status;
      emit("charge.dispute.closed", dispute);
    },
    enable(id, enabled) {
      const account = accountOf(id);
      account.charges_enabled = enabled;
      emit("account.updated", account);
    },
    events: () => events,
  };

  function serve(method: string, path: string, body: Json, query: Json): unknown {
    const [, , kind = "", id, more] = path.split("/");
    const [of] = [query.payment_intent];
    switch (
      `${method} ${[kind, id === undefined ? "" : kind === "checkout" ? id : "id", more ? "id" : ""].join("/")}`
    ) {
      case "POST products//":
        if (products.has(String(body.id))) throw new ApiError(400, "resource_already_exists");
        products.set(String(body.id), body);
        return { ...body, object: "product" };
      case "POST checkout/sessions/":
        return makeSession(body);
      case "GET checkout/sessions/id":
        return found(sessions, more);
      case "GET payment_intents/id/":
        return shown(found(payments, id));
      case "POST refunds//":
        return api.refund(String(body.payment_intent), Number(body.amount), body.metadata as Json);
      case "GET refunds//":
        return listOf([...refunds.values()].filter(({ payment_intent: payment }) => payment === of));
      case "GET disputes//":
        return listOf([...disputes.values()].filter(({ payment_intent: payment }) => payment === of));
      case "POST accounts//": {
        const account = { id: `acct_${randomUUID()}`, object: "account", charges_enabled: false };
        accounts.set(account.id, account);
        return account;
      }
      case "GET accounts/id/":
        return accountOf(id);
      case "POST account_links//":
        accountOf(body.account);
        return {
          object: "account_link",
          url: `${origin()}/onboard/${body.account}?back=${encodeURIComponent(String(body.return_url))}`,
        };
      case "GET events//": {
        const types = Object.values((query.types ?? {}) as Json);
        const since = Number(Object(query.created).gte ?? 0);
        return listOf(
          events.filter(({ type, created }) => types.includes(type) && Number(created) >= since).toReversed(),
        );
      }
      default:
        throw new ApiError(404, "url_invalid");
    }
  }
  return api;
}

/** Returns the signature with which Stripe signs the body of a webhook. */
export function signatureOf(body: string, secret: string, at: number = now()): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

/** Reads the form that Stripe's library sends: `a[b][0]=c`. */
export function readForm(text: string): Json {
  const read: Json = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[?/).filter((part) => part !== "");
    const last = path.pop() ?? "";
    let at = read;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Json;
    }
    at[last] = value;
  }
  return read;
}
