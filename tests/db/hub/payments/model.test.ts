import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf, signedIn } from "../../../support/actors.ts";
import { asAuth } from "../../../support/auth.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { call, makeUsers } from "../../../support/hub.ts";
import {
  apply,
  balancesOf,
  checkout,
  deleteAccount,
  deleteListing,
  feeOf,
  isUndelivered,
  type ModelOrder,
  type Sales,
  stateOf,
  type Told,
} from "../../../support/model/payments.ts";
import { makePaid, makeSeller, PROVIDER, problems, tell } from "../../../support/payments.ts";

let db: Clone;
let sql: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  sql = db.as("postgres" as never, 4);
});
afterAll(() => db.drop());

const BUYERS = 3;
const index = fc.nat({ max: 999 });
const action = (weight: number, name: string) => ({ weight, arbitrary: fc.constant(name) });
const step = fc.record({
  do: fc.oneof(
    action(14, "check out"),
    action(3, "check out twice at once"),
    action(14, "pay"),
    action(4, "expire"),
    action(9, "refund"),
    action(3, "fail a refund"),
    action(7, "dispute"),
    action(7, "close a dispute"),
    action(30, "tell"),
    action(8, "tell two at once"),
    action(6, "tell again"),
    action(4, "lose"),
    action(3, "change the price"),
    action(3, "change the fee"),
    action(2, "delete an account"),
    action(2, "delete a listing"),
  ),
  who: index,
  what: index,
  how: index,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The provider's payments, refunds and disputes, and its events: those that wait, were sent, or were lost. */
interface Provider {
  paid: Set<string>;
  refunds: { id: string; order: ModelOrder; amount: number; failed: boolean }[];
  disputes: { id: string; order: ModelOrder; closed: boolean }[];
  waiting: Told[];
  sent: Told[];
  lost: Told[];
}

const pick = <T>(list: readonly T[], which: number): T | undefined => list[which % Math.max(list.length, 1)];

const send = ({ id, kind, orderId, objectId, amount, fee }: Told) =>
  tell(sql, { id, kind: kind as never, orderId, objectId, amount, fee });

async function take(sales: Sales, provider: Provider, { do: what, who, what: which, how }: Step) {
  const emit = (kind: string, order: ModelOrder, objectId: string, amount: number, fee = 0) =>
    provider.waiting.push({ id: randomUUID(), kind, orderId: order.id, objectId, amount, fee });
  const asset = pick(sales.assets, which);
  const order = pick(sales.orders, which);
  const buyer = pick(sales.people, who);
  if (what === "check out" || what === "check out twice at once") {
    if (asset === undefined || buyer === undefined) return;
    const may = checkout(sales, buyer, asset);
    const ask = () =>
      sql`select hub_begin_checkout(${buyer}, ${asset.id}, ${PROVIDER}, null) as made`.then(
        ([row]) => row?.made,
        (error) => refusalOf(error),
      );
    const answers = await Promise.all(what === "check out" ? [ask()] : [ask(), ask()]);
    if (typeof may === "string") return expect(new Set(answers)).toEqual(new Set([may]));
    const ids = new Set(answers.map(({ order_id: id }) => id));
    expect(ids.size, "the same listing is ordered once").toBe(1);
    const [id] = ids;
    if (may !== null) return expect(id).toBe(may.id);
    sales.orders.push({
      ...{ id, buyer, asset: asset.id, price: asset.price, fee: feeOf(sales, asset) },
      feeBps: sales.feeBps,
      ...{ paid: false, expired: false, providerFee: 0, refunds: {}, disputes: {} },
      ...{ delivered: false, live: false, revoked: null },
    });
  } else if (what === "pay" && order && !provider.paid.has(order.id)) {
    provider.paid.add(order.id);
    emit("paid", order, "payment", order.price, how % 3 === 0 ? 0 : 59);
  } else if (what === "expire" && order && !provider.paid.has(order.id)) {
    emit("expired", order, "checkout", order.price);
  } else if (what === "refund" && order && provider.paid.has(order.id)) {
    const made = provider.refunds.filter((refund) => refund.order === order && !refund.failed);
    const left = order.price - made.reduce((cents, { amount }) => cents + amount, 0);
    if (left <= 0) return;
    const amount = how % 2 === 0 ? left : 1 + (how % left);
    const id = `re_${randomUUID()}`;
    provider.refunds.push({ id, order, amount, failed: false });
    emit("refunded", order, id, amount);
  } else if (what === "fail a refund") {
    const refund = pick(
      provider.refunds.filter(({ failed }) => !failed),
      which,
    );
    if (refund === undefined) return;
    refund.failed = true;
    emit("refund_failed", refund.order, refund.id, refund.amount);
  } else if (what === "dispute" && order && provider.paid.has(order.id)) {
    const id = `dp_${randomUUID()}`;
    provider.disputes.push({ id, order, closed: false });
    emit("disputed", order, id, order.price, 1500);
  } else if (what === "close a dispute") {
    const dispute = pick(
      provider.disputes.filter(({ closed }) => !closed),
      which,
    );
    if (dispute === undefined) return;
    dispute.closed = true;
    const { order: of, id } = dispute;
    emit(how % 2 === 0 ? "dispute_won" : "dispute_lost", of, id, of.price, 1500);
  } else if (what === "tell") {
    const [event] = provider.waiting.splice(which % Math.max(provider.waiting.length, 1), 1);
    if (event === undefined) return;
    expect(await send(event)).toMatchObject({ outcome: "applied" });
    apply(sales, event);
    provider.sent.push(event);
  } else if (what === "tell two at once") {
    const events = [who, which].flatMap((n) =>
      provider.waiting.splice(n % Math.max(provider.waiting.length, 1), 1),
    );
    // The same event may also be sent twice.
    const both = events.length === 1 || how % 3 === 0 ? [events[0], events[0]] : events;
    if (events[0] === undefined) return;
    const outcomes = await Promise.all(both.map((event) => send(event as Told)));
    expect(outcomes.filter(({ outcome }) => outcome === "applied").length).toBe(new Set(both).size);
    // One of the two events was applied first, so the stored result is that of one of the two sequences.
    const stored = await snapshot(sales);
    const attempts = [both, both.toReversed()].map((events) => {
      const tried = structuredClone(sales);
      for (const event of events) apply(tried, event as Told);
      return tried;
    });
    const matching = attempts.find((tried) => isDeepEqual(expected(tried), stored));
    expect(matching ?? expected(attempts[0] as Sales), "as if one went first").toEqual(matching ?? stored);
    for (const order of sales.orders)
      Object.assign(
        order,
        matching?.orders.find(({ id }) => id === order.id),
      );
    sales.told = matching?.told ?? [];
    provider.sent.push(...new Set(both as Told[]));
    provider.waiting.push(...events.filter((event) => !both.includes(event)));
  } else if (what === "tell again") {
    const event = pick(provider.sent, which);
    if (event !== undefined) expect(await send(event)).toMatchObject({ outcome: "duplicate" });
  } else if (what === "lose") {
    provider.lost.push(...provider.waiting.splice(which % Math.max(provider.waiting.length, 1), 1));
  } else if (what === "change the price" && asset && !asset.gone) {
    asset.price = 100 + how;
    await sql`update hub_assets set price_cents = ${asset.price} where id = ${asset.id}`;
  } else if (what === "change the fee") {
    sales.feeBps = how * 10;
    await sql`update hub_settings set fee_bps = ${sales.feeBps}`;
  } else if (what === "delete an account" && buyer) {
    await asAuth(sql)`delete from auth.users where id = ${buyer}`;
    deleteAccount(sales, buyer);
  } else if (what === "delete a listing" && asset && !asset.gone && sales.people.includes(asset.creator)) {
    expect(await call(signedIn({ sql }, asset.creator), "hub_delete_asset", asset.id)).toHaveProperty("rows");
    deleteListing(sales, asset);
  }
}

/** Returns the stored orders, purchases and balances. */
async function snapshot(sales: Sales): Promise<Record<string, unknown>> {
  const rows = await sql`
    select o.id, o.state, o.price_cents as price, o.fee_cents as fee, coalesce(p.revoked_at is null and p.id is not null, false) as live,
      o.delivered_at is not null as delivered, private.is_undelivered(o.id) as undelivered,
      coalesce((
        select jsonb_object_agg(l.account, l.cents)
        from (
          select account, sum(amount_cents) as cents from private.ledger where order_id = o.id
          group by account having sum(amount_cents) <> 0
        ) l
      ), '{}') as balances
    from private.orders o left join hub_purchases p on p.order_id = o.id
    where o.id = any(${sales.orders.map(({ id }) => id)})`;
  return Object.fromEntries(rows.map(({ id, ...row }) => [id, row]));
}

const expected = (sales: Sales): Record<string, unknown> =>
  Object.fromEntries(
    sales.orders.map((order) => [
      order.id,
      {
        ...{ state: stateOf(order), price: order.price, fee: order.fee, live: order.live },
        // These values may be the only ones that show which of two events was applied first.
        ...{ delivered: order.delivered, undelivered: isUndelivered(order), balances: balancesOf(order) },
      },
    ]),
  );

const isDeepEqual = (one: unknown, other: unknown): boolean => {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
};

test("random sales, refunds, disputes and deletions, told late, twice, in any order, two at once, or only when asked: money and purchases are the model's", async () => {
  /** The ids of the orders that are undelivered at the end of any history. */
  const due: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: "max" }), async (steps) => {
      await sql`update hub_settings set fee_bps = 3000`;
      const people = await makeUsers(sql, BUYERS);
      const sales: Sales = { orders: [], assets: [], people, told: [], feeBps: 3000 };
      for (const price of [100, 999]) {
        const creator = await makeSeller(sql);
        const { id } = await makePaid(sql, { creator, price });
        sales.people.push(creator);
        sales.assets.push({ id, creator, price, onShelf: true, gone: false, hidden: false });
      }
      const provider: Provider = {
        paid: new Set(),
        refunds: [],
        disputes: [],
        waiting: [],
        sent: [],
        lost: [],
      };
      for (const each of steps) {
        await take(sales, provider, each);
        expect(await snapshot(sales)).toEqual(expected(sales));
      }
      // Reconciliation: lost events are asked for, and waiting events arrive.
      for (const event of [...provider.lost, ...provider.waiting]) {
        await send(event);
        apply(sales, event);
      }
      expect(await snapshot(sales)).toEqual(expected(sales));
      for (const order of sales.orders) if (isUndelivered(order)) due.push(order.id);
    }),
    { numRuns: Number(process.env.KEYHUB_MODEL_RUNS ?? 5), endOnFailure: true },
  );
  // This query runs once for all histories, because it reads every order.
  const unbalanced = await sql`
    select event_id from private.ledger group by provider, event_id having sum(amount_cents) <> 0`;
  expect(unbalanced).toEqual([]);
  expect(await problems(sql, "ledger", "state", "purchase", "mismatch", "unknown")).toEqual([]);
  expect((await problems(sql, "undelivered")).map((row) => row.order_id)).toEqual(due.sort());
});
