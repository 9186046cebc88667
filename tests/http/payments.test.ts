import { randomUUID } from "node:crypto";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUTS } from "../../packages/core/src/hub/checkout-request.ts";
import { type PaymentServer, startPayments } from "../../packages/local/src/payments/server.ts";
import { signatureOf } from "../../packages/local/src/payments/stripe-api.ts";
import { stripeProvider } from "../../supabase/functions/_shared/payments/stripe.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { SECRET } from "../support/functions/keyhub-alerts.ts";
import { makeUser, publish } from "../support/hub.ts";
import { balances, orderState, problems } from "../support/payments.ts";
import { inProcess, type Service } from "../support/service.ts";
import { until } from "../support/until.ts";
import { tokenOf } from "./publish/fixture.ts";

/* Tests the functions and the real library of Stripe with the provider on loopback, which sends everything twice and in the wrong order. */

const WEBHOOK_SECRET = `whsec_${"w".repeat(32)}`;

let db: Clone;
let payments: PaymentServer;
let service: Service;
/** While this is false, the provider's events are lost on the way. */
let arrives = true;
let isDown = false;

beforeAll(async () => {
  db = await cloneDatabase();
  payments = await startPayments({ webhook: () => null, secret: WEBHOOK_SECRET, pause: 1 });
  const provider = () =>
    stripeProvider({
      ...{ name: "loopback", secretKey: "sk_test", webhookSecrets: ["whsec_another", WEBHOOK_SECRET] },
      ...{ site: "http://hub.test", api: new URL(isDown ? "http://127.0.0.1:1" : payments.url) },
    });
  service = await inProcess(db, undefined, {}, {}, provider);
});
afterAll(async () => {
  await payments.stop();
  await service.stop();
  await db.drop();
});

const send = (body: string, headers: Record<string, string>) =>
  service.fetch("/functions/v1/payment-webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
const signed = (body: string, secret = WEBHOOK_SECRET, at?: number) =>
  send(body, { "Stripe-Signature": signatureOf(body, secret, at) });

let told = 0;
/** Sends the provider's new events in reverse order, each twice. */
async function deliver(): Promise<void> {
  const events = payments.api.events().slice(told);
  told += events.length;
  if (!arrives) return;
  for (const event of events.toReversed())
    for (const _ of [1, 2]) expect((await signed(JSON.stringify(event))).status).toBe(200);
}

async function join() {
  const userId = await makeUser(db.sql);
  const token = tokenOf(userId);
  const ask = async (body: object) => {
    const response = await service.fetch("/functions/v1/hub-checkout", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  return { userId, ask, client: service.client(token) };
}

/** Makes a creator whose account takes payments, with a listing for sale. */
async function sell(price = 1000) {
  const creator = await join();
  const opened = await creator.ask({ account: "open" });
  expect(opened).toMatchObject({ status: 200, body: { charges_enabled: false } });
  const account = new URL(opened.body.url).pathname.split("/")[2] ?? "";
  payments.api.enable(account, true);
  await deliver();
  const { asset_id: id, slug } = await publish(db.sql, creator.userId, {
    ...{ license: "paid", price, teaser: "What it is about.", slug: `sold-${randomUUID()}` },
  });
  return { id, slug, creator, account };
}

/** Begins a purchase: the buyer gets as far as the provider's payment page. */
async function order(listing: string) {
  const buyer = await join();
  const { status, body } = await buyer.ask({ listing });
  expect(status).toBe(200);
  return { buyer, orderId: body.order_id as string, session: new URL(body.url).pathname.split("/")[2] ?? "" };
}

async function bought(listing: string) {
  const made = await order(listing);
  payments.api.pay(made.session);
  await deliver();
  const [payment] = payments.api.payments().filter(({ metadata }) => metadata.keyhub_order === made.orderId);
  return { ...made, paymentId: payment?.id ?? "" };
}

const reads = async (
  { client }: { client: Service["client"] extends () => infer C ? C : never },
  slug: string,
) => {
  const { data } = await client.rpc("hub_asset", { id_or_slug: slug });
  return data.payload !== null;
};

test("a creator opens an account, and sells when it takes payments; a buyer pays, reads, and the share goes on", async () => {
  const { slug, creator } = await sell(999);
  expect(await creator.ask({ account: "refresh" })).toMatchObject({
    status: 200,
    body: { url: null, charges_enabled: true },
  });
  const { buyer, orderId } = await bought(slug);
  expect(await reads(buyer as never, slug)).toBe(true);
  expect(await balances(db.sql, orderId)).toEqual({
    ...{ buyer: -999, creator: 699, platform: 300 - 59, provider_fee: 59 },
  });
  const today = new Date().toISOString().slice(0, 10);
  const earned = await creator.client.rpc("hub_revenue", { from: today, to: today }, { get: true });
  expect(earned).toMatchObject({ error: null, data: [{ sales: 1, gross_cents: 999, net_cents: 699 }] });
  expect(await buyer.ask({ listing: slug })).toMatchObject({
    status: 409,
    body: { code: "already_purchased" },
  });
  const taken = await service.fetch(`/functions/v1/hub-import/${slug}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  expect([taken.status, (await taken.json()).code]).toEqual([403, "purchase_required"]);
});

test("asking again gives the same page, also 8 at once; each page is one order", async () => {
  const { slug } = await sell();
  const buyer = await join();
  const answers = await Promise.all(Array.from({ length: 8 }, () => buyer.ask({ listing: slug })));
  expect(new Set(answers.map(({ body }) => `${body.order_id} ${body.url}`)).size).toBe(1);
});

test("a payment whose event is late or lost: the receipt asks, and reconciliation finds the rest", async () => {
  const { slug } = await sell();
  const [one, two] = [await order(slug), await order(slug)];
  arrives = false;
  for (const { session } of [one, two]) payments.api.pay(session);
  await deliver();
  expect(await orderState(db.sql, one.orderId)).toBe("open");
  expect(await one.buyer.ask({ order_id: one.orderId })).toMatchObject({ body: { state: "paid" } });
  expect(await two.buyer.ask({ order_id: one.orderId })).toMatchObject({
    ...{ status: 404, body: { code: "order_not_found" } },
  });
  const [payment] = payments.api.payments().filter(({ metadata }) => metadata.keyhub_order === one.orderId);
  payments.api.refund(payment?.id ?? "", 400);
  payments.api.dispute(payment?.id ?? "");
  await deliver();
  arrives = true;
  const reconciled = await send("", { apikey: SECRET });
  expect(reconciled.status).toBe(200);
  expect(await orderState(db.sql, two.orderId)).toBe("paid");
  expect(await orderState(db.sql, one.orderId)).toBe("disputed");
  expect(await problems(db.sql, "ledger", "state", "purchase", "mismatch")).toEqual([]);
});

test("orders that stay open are asked about: an expired page, and one that was never made", async () => {
  const { slug } = await sell();
  const [one, two] = [await order(slug), await order(slug)];
  arrives = false;
  payments.api.expire(one.session);
  await deliver();
  arrives = true;
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update private.orders set created_at = now() - interval '2 hours' where id in (${one.orderId}, ${two.orderId})`;
    await tx`update private.orders set checkout_id = null where id = ${two.orderId}`;
  });
  await send("", { apikey: SECRET });
  expect(await orderState(db.sql, one.orderId)).toBe("expired");
  expect(await orderState(db.sql, two.orderId)).toBe("expired");
});

test("who pays twice has it once, and the second payment goes back by itself", async () => {
  const { slug, id } = await sell();
  const { buyer, orderId, session } = await order(slug);
  await db.sql`update hub_assets set price_cents = 1200 where id = ${id}`;
  const { body } = await buyer.ask({ listing: slug });
  expect(body.order_id).not.toBe(orderId);
  payments.api.pay(session);
  payments.api.pay(new URL(body.url).pathname.split("/")[2] ?? "");
  await deliver();
  await deliver();
  const states = [await orderState(db.sql, orderId), await orderState(db.sql, body.order_id)];
  expect(states.toSorted()).toEqual(["paid", "refunded"]);
  expect(await reads(buyer as never, slug)).toBe(true);
});

describe("refunds and disputes", () => {
  test("an admin refunds a part, then the rest; the same request twice refunds once; others may not", async () => {
    const { slug } = await sell();
    const { buyer, orderId } = await bought(slug);
    const admin = await join();
    await db.sql`insert into hub_admins (user_id) values (${admin.userId})`;
    const refund = { amount_cents: 300, reason: "It does not work.", id: randomUUID() };
    expect(await buyer.ask({ order_id: orderId, refund })).toMatchObject({ status: 404 });
    for (const _ of [1, 2])
      expect(await admin.ask({ order_id: orderId, refund })).toMatchObject({ body: { state: "paid" } });
    expect(await balances(db.sql, orderId)).toMatchObject({ buyer: -700 });
    const rest = { reason: "It does not work.", id: randomUUID() };
    expect(await admin.ask({ order_id: orderId, refund: rest })).toMatchObject({
      body: { state: "refunded" },
    });
    await deliver();
    // The provider keeps its fee after the refund, so the platform loses that amount.
    expect(await balances(db.sql, orderId)).toEqual({ platform: -59, provider_fee: 59 });
    expect(await reads(buyer as never, slug)).toBe(false);
    expect(await admin.ask({ order_id: orderId, refund: { ...rest, id: randomUUID() } })).toMatchObject({
      ...{ status: 409, body: { code: "not_refundable" } },
    });
  });

  test("on the provider's own pages: refunded, failed, disputed, won, lost", async () => {
    const { slug } = await sell();
    const { buyer, orderId, paymentId } = await bought(slug);
    payments.api.dispute(paymentId);
    await deliver();
    expect([await orderState(db.sql, orderId), await reads(buyer as never, slug)]).toEqual([
      "disputed",
      false,
    ]);
    const disputes = payments.api.payments().find(({ id }) => id === paymentId)?.disputes ?? [];
    payments.api.closeDispute(disputes[0]?.id ?? "", "won");
    await deliver();
    expect([await orderState(db.sql, orderId), await reads(buyer as never, slug)]).toEqual(["paid", true]);
    const refund = payments.api.refund(paymentId, 1000);
    payments.api.failRefund(refund.id);
    await deliver();
    expect(await balances(db.sql, orderId)).toMatchObject({ buyer: -1000 });
    expect((await problems(db.sql, "refund_failed")).map((row) => row.order_id)).toEqual([orderId]);
  });
});

describe("the simulated provider", () => {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${payments.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body,
    });

  test("takes a name such as __proto__ as a name, and refuses a name that is both a value and a group", async () => {
    expect((await fetch(`${payments.url}/v1/events?__proto__[polluted]=yes`)).status).toBe(200);
    expect((await post("/v1/products", "id=a&constructor[prototype][polluted]=yes")).status).toBe(200);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect((await post("/v1/products", "id=b&id[c]=d")).status).toBe(400);
  });

  test("answers neither a page of another site nor a foreign name", async () => {
    const crossSite = { "Sec-Fetch-Site": "cross-site" };
    expect((await post("/v1/accounts", "", crossSite)).status).toBe(403);
    expect((await fetch(`${payments.url}/v1/events`, { headers: crossSite })).status).toBe(403);
    const named = await new Promise<number | undefined>((resolve, reject) => {
      get(payments.url, { headers: { host: "evil.test" } }, (answer) => resolve(answer.statusCode)).on(
        "error",
        reject,
      );
    });
    expect(named).toBe(403);
  });

  test("gives two calls at once with one key the same answer", async () => {
    const key = { "Idempotency-Key": "one" };
    /** Yields a body that ends only after the server has the headers of both calls. */
    async function* late() {
      yield new TextEncoder().encode("type=");
      await sleep(200);
      yield new TextEncoder().encode("express");
    }
    const answers = await Promise.all(
      [1, 2].map(async () => {
        const init = { method: "POST", headers: key, body: late(), duplex: "half" } as unknown as RequestInit;
        return (await fetch(`${payments.url}/v1/accounts`, init)).json();
      }),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    // The same key with another path is a new call, so it gets an answer of its own.
    expect(await (await post("/v1/products", "id=e", key)).json()).toMatchObject({ id: "e" });
  });
});

describe("a webhook that is wrong", () => {
  const event = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "charge.captured",
    data: { object: {} },
  });

  test("unsigned, signed by somebody else, changed, or ten minutes old: 400", async () => {
    const old = Math.floor(Date.now() / 1000) - 601;
    const wrong = [
      send(event, {}),
      send(event, { "Stripe-Signature": "nonsense" }),
      signed(event, "whsec_somebody"),
      send(`${event} `, { "Stripe-Signature": signatureOf(event, WEBHOOK_SECRET) }),
      signed(event, WEBHOOK_SECRET, old),
      signed("", "whsec_somebody"),
    ];
    for (const answer of await Promise.all(wrong))
      expect([answer.status, (await answer.json()).code]).toEqual([400, "invalid_signature"]);
  });

  test("of an unknown kind, or of no order of ours: 200; of a megabyte: 413; by another method: 405", async () => {
    expect((await signed(event)).status).toBe(200);
    const other = {
      id: "evt_2",
      object: "event",
      type: "checkout.session.expired",
      data: { object: { metadata: {} } },
    };
    expect(await (await signed(JSON.stringify(other))).json()).toEqual({ applied: 0, outcome: "ignored" });
    expect((await signed("x".repeat(1_000_000))).status).toBe(413);
    expect((await service.fetch("/functions/v1/payment-webhook", { method: "PUT" })).status).toBe(405);
    expect((await service.fetch("/functions/v1/payment-webhook/more", { method: "POST" })).status).toBe(404);
    expect((await send("", { apikey: "sb_secret_of_nobody" })).status).toBe(401);
  });

  test("for another amount, rightly signed: kept as a mismatch, and nothing is delivered", async () => {
    const { slug } = await sell();
    const { orderId, session } = await order(slug);
    payments.api.pay(session);
    const paid = payments.api.events().at(-1) as { data: { object: object } };
    const forged = structuredClone(paid);
    Object.assign(forged.data.object, { amount_total: 100 });
    Object.assign(forged, { id: "evt_other_amount" });
    expect(await (await signed(JSON.stringify(forged))).json()).toEqual({ applied: 0, outcome: "mismatch" });
    expect(await orderState(db.sql, orderId)).toBe("open");
    await deliver();
    expect(await orderState(db.sql, orderId)).toBe("paid");
  });
});

test("while the provider is down nothing is lost: 503, and later it goes on", async () => {
  const { slug } = await sell();
  const buyer = await join();
  isDown = true;
  expect(await buyer.ask({ listing: slug })).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect((await send("", { apikey: SECRET })).status).toBe(503);
  isDown = false;
  expect(await buyer.ask({ listing: slug })).toMatchObject({ status: 200, body: { state: "open" } });
  await until(async () =>
    service.console.some((line) => line.includes("no answer") || line.includes("Stripe")),
  );
  service.console.splice(0);
});

test("too many orders in an hour are 429, a banned buyer is 403, and a provider with wrong settings 500", async () => {
  const { slug } = await sell();
  const buyer = await join();
  await db.sql`
    insert into private.hub_calls (user_id, kind)
    select ${buyer.userId}, 'checkouts' from generate_series(1, ${CHECKOUTS.perHour}::int)`;
  expect(await buyer.ask({ listing: slug })).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  await db.sql`insert into private.hub_bans (user_id, reason) values (${buyer.userId}, 'For a test.')`;
  expect(await buyer.ask({ listing: slug })).toMatchObject({ status: 403, body: { code: "banned" } });
  const broken = await inProcess(db, undefined, {}, {}, () => {
    throw new Error("no settings");
  });
  const answer = await broken.fetch("/functions/v1/payment-webhook", { method: "POST" });
  expect([answer.status, (await answer.json()).code]).toEqual([500, "internal_error"]);
  expect(broken.console.splice(0)).toEqual([expect.stringMatching(/^request \S+ failed: Error at /)]);
  await broken.stop();
});

test("a wrong body names its faults; nothing is sold without a provider", async () => {
  const buyer = await join();
  for (const [body, path] of [
    [{}, "listing"],
    [{ listing: "Not A Slug" }, "listing"],
    [{ account: "close" }, "account"],
    [{ order_id: "x" }, "order_id"],
    [{ order_id: randomUUID(), refund: { id: randomUUID() } }, "refund.reason"],
    [{ listing: "a", more: 1 }, "more"],
  ] as const)
    expect(await buyer.ask(body), path).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  const none = await inProcess(db, undefined, {}, {}, () => null);
  const answer = await none.fetch("/functions/v1/payment-webhook", { method: "POST" });
  expect([answer.status, (await answer.json()).code]).toEqual([404, "payments_not_configured"]);
  await none.stop();
});
