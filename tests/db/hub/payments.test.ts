import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, attempt, operator, refusalOf, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, makeAdmin, makeUser, makeUsers, publish, untilWaiting } from "../../support/hub.ts";
import {
  balances,
  buy,
  checkout,
  makePaid,
  makeSeller,
  orderState,
  PROVIDER,
  problems,
  tell,
} from "../../support/payments.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing was refused",
    (error) => refusalOf(error),
  );

const hasLive = async (userId: string, assetId: string) => {
  const rows = await db.sql`
    select from hub_purchases where user_id = ${userId} and asset_id = ${assetId} and revoked_at is null`;
  return rows.length > 0;
};

describe("a sale", () => {
  test("is the buyer's loss, and goes to the creator and the platform, by the fee of its time", async () => {
    const { id } = await makePaid(db.sql, { price: 999 });
    const buyer = await makeUser(db.sql);
    const order = await checkout(db.sql, buyer, id);
    await db.sql`update hub_settings set fee_bps = 9000`;
    await tell(db.sql, { kind: "paid", orderId: order.order_id, amount: 999, fee: 59 });
    await db.sql`update hub_settings set fee_bps = 3000`;
    expect(await balances(db.sql, order.order_id)).toEqual({
      buyer: -999,
      creator: 699,
      platform: 300 - 59,
      provider_fee: 59,
    });
    expect(await hasLive(buyer, id)).toBe(true);
  });

  test("of a verified creator has the lower fee", async () => {
    const { id, creator } = await makePaid(db.sql);
    const admin = await makeAdmin(db.sql);
    const [profile] = await db.sql`select username from hub_profiles where user_id = ${creator}`;
    const verify = (who: string, verified: boolean) =>
      attempt(signedIn(db, who), (tx) => tx`select hub_verify_creator(${profile?.username}, ${verified})`);
    expect(await verify(creator, true)).toEqual({ refused: "42501" });
    await verify(admin, true);
    expect(await checkout(db.sql, await makeUser(db.sql), id)).toMatchObject({ fee_cents: 200 });
    await verify(admin, false);
    expect(await checkout(db.sql, await makeUser(db.sql), id)).toMatchObject({ fee_cents: 300 });
  });

  test("is refused of one's own, of what is free, hidden, deleted or unknown, without an account that takes payments, and twice", async () => {
    const buyer = await makeUser(db.sql);
    const order = (asset: string, who = buyer) => refused(checkout(db.sql, who, asset));
    const { id, creator } = await makePaid(db.sql);
    expect(await order(id, creator)).toBe("own_asset");
    const free = await publish(db.sql, await makeUser(db.sql));
    expect(await order(free.asset_id)).toBe("not_for_sale");
    expect(await order(randomUUID())).toBe("asset_not_found");
    const gone = await makePaid(db.sql);
    await call(signedIn(db, gone.creator), "hub_delete_asset", gone.id);
    expect(await order(gone.id)).toBe("asset_not_found");
    await db.sql`update hub_assets set is_hidden = true where id = ${id}`;
    expect(await order(id)).toBe("asset_not_found");
    await db.sql`update hub_assets set is_hidden = false where id = ${id}`;
    await db.sql`update hub_payout_accounts set charges_enabled = false where user_id = ${creator}`;
    expect(await order(id)).toBe("not_for_sale");
    await db.sql`update hub_payout_accounts set charges_enabled = true where user_id = ${creator}`;
    await buy(db.sql, buyer, id);
    expect(await order(id)).toBe("already_purchased");
    await db.sql`insert into private.hub_bans (user_id) values (${buyer})`;
    expect(await order((await makePaid(db.sql)).id)).toBe("banned");
  });

  test("that was asked for twice is one order, and a new one when price or fee have changed", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const orders = await Promise.all(Array.from({ length: 8 }, () => checkout(db.sql, buyer, id)));
    expect(new Set(orders.map((order) => order.order_id)).size).toBe(1);
    await db.sql`update hub_assets set price_cents = 1100 where id = ${id}`;
    const dearer = await checkout(db.sql, buyer, id);
    expect(dearer).toMatchObject({ price_cents: 1100 });
    expect(await orderState(db.sql, orders[0]?.order_id ?? "")).toBe("expired");
    // The buyer pays on both payment pages nevertheless: one order is delivered, and the money of the other is due back.
    for (const order of [orders[0], dearer])
      await tell(db.sql, {
        kind: "paid",
        orderId: order?.order_id ?? "",
        amount: order?.price_cents ?? 0,
      });
    expect((await problems(db.sql, "undelivered")).map((row) => row.order_id)).toEqual([dearer.order_id]);
    await tell(db.sql, { kind: "refunded", orderId: dearer.order_id, objectId: "re", amount: 1100 });
    expect(await problems(db.sql, "undelivered")).toEqual([]);
    expect(await hasLive(buyer, id)).toBe(true);
  });

  test("of a listing that became free between page and payment stands", async () => {
    const { id, creator, refId } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const order = await checkout(db.sql, buyer, id);
    await publish(db.sql, creator, { refId, license: "cc0" });
    expect(await refused(checkout(db.sql, await makeUser(db.sql), id))).toBe("not_for_sale");
    await tell(db.sql, { kind: "paid", orderId: order.order_id, amount: 1000 });
    expect(await hasLive(buyer, id)).toBe(true);
  });

  test("of a listing that is gone by the payment is due back", async () => {
    const { id, creator } = await makePaid(db.sql);
    const order = await checkout(db.sql, await makeUser(db.sql), id);
    await call(signedIn(db, creator), "hub_delete_asset", id);
    expect(await tell(db.sql, { kind: "paid", orderId: order.order_id, amount: 1000 })).toEqual({
      outcome: "applied",
      undelivered: true,
    });
    await tell(db.sql, { kind: "refunded", orderId: order.order_id, objectId: "re", amount: 1000 });
    expect(await balances(db.sql, order.order_id)).toEqual({});
  });

  test("at most 60 orders an hour are begun by one account", async () => {
    const buyer = await makeUser(db.sql);
    const { id } = await makePaid(db.sql);
    await db.sql`select private.limit_calls(${buyer}, 'checkouts', 2)`;
    const ask = () => db.sql`select hub_begin_checkout(${buyer}, ${id}, ${PROVIDER}, 1)`;
    expect(await refused(ask())).toBe("rate_limited");
  });
});

describe("an event", () => {
  test("of another amount, currency or provider changes nothing and is found", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await checkout(db.sql, buyer, id);
    const wrong = [
      { kind: "paid", amount: 999 },
      { kind: "paid", amount: 1001 },
      { kind: "paid", amount: 1000, currency: "EUR" },
      { kind: "paid", amount: 1000, provider: "other" },
      { kind: "paid" },
      { kind: "refunded", amount: 1001, objectId: "re_1" },
      { kind: "refunded", amount: 0, objectId: "re_1" },
      { kind: "refunded", amount: -5, objectId: "re_1" },
      { kind: "disputed", amount: 2000, objectId: "dp_1" },
    ] as const;
    for (const event of wrong)
      expect(await tell(db.sql, { ...event, orderId })).toMatchObject({ outcome: "mismatch" });
    expect(await orderState(db.sql, orderId)).toBe("open");
    expect(await hasLive(buyer, id)).toBe(false);
    expect((await problems(db.sql, "mismatch")).filter((row) => row.order_id === orderId).length).toBe(
      wrong.length,
    );
  });

  test("of no order is noted and found", async () => {
    const orderId = randomUUID();
    expect(await tell(db.sql, { kind: "paid", orderId, amount: 5 })).toMatchObject({ outcome: "unknown" });
    expect(await problems(db.sql, "unknown")).toMatchObject([{ order_id: orderId }]);
  });

  test("that came already changes nothing, 20 at once", async () => {
    const { id } = await makePaid(db.sql);
    const { order_id: orderId } = await checkout(db.sql, await makeUser(db.sql), id);
    const event = { kind: "paid", orderId, amount: 1000, id: randomUUID() } as const;
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => tell(db.sql, event)));
    expect(outcomes.filter(({ outcome }) => outcome === "applied").length).toBe(1);
    const lines = await db.sql`select from private.ledger where order_id = ${orderId}`;
    expect(lines.length).toBe(3);
  });

  test("about two payments of a buyer for one listing, at once: the second one waits, and is due back", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const first = await checkout(db.sql, buyer, id);
    await db.sql`update hub_assets set price_cents = 1200 where id = ${id}`;
    const second = await checkout(db.sql, buyer, id);
    const two = db.as("postgres" as never, 2);
    let late: ReturnType<typeof tell> | undefined;
    await two.begin(async (tx) => {
      await tell(tx, { kind: "paid", orderId: first.order_id, amount: 1000 });
      late = tell(two, { kind: "paid", orderId: second.order_id, amount: 1200 });
      late.catch(() => undefined);
      await untilWaiting(db.sql, "hub_apply_payment_event");
    });
    expect(await late).toEqual({ outcome: "applied", undelivered: true });
    expect(await hasLive(buyer, id)).toBe(true);
    await tell(db.sql, { kind: "refunded", orderId: second.order_id, objectId: "re_second", amount: 1200 });
    expect(await orderState(db.sql, second.order_id)).toBe("refunded");
    await two.end();
  });

  test("about an account: the newest counts, whenever it comes", async () => {
    const seller = await makeSeller(db.sql);
    const [account] = await db.sql`select account_id from hub_payout_accounts where user_id = ${seller}`;
    const said = async (enabled: boolean, at: string) =>
      db.sql`select hub_apply_account_event(${PROVIDER}, ${randomUUID()}, ${account?.account_id}, ${enabled}, ${at})`;
    const enabled = async () =>
      (await db.sql`select charges_enabled from hub_payout_accounts where user_id = ${seller}`)[0]
        ?.charges_enabled;
    await said(false, "2026-01-02");
    await said(true, "2026-01-01");
    expect(await enabled()).toBe(false);
    await said(true, "2026-01-03");
    expect(await enabled()).toBe(true);
  });
});

describe("money that goes back", () => {
  test("in parts takes from creator and platform in proportion, and exactly all in the end", async () => {
    const { id } = await makePaid(db.sql, { price: 333 });
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await buy(db.sql, buyer, id);
    for (const [n, amount] of [1, 100, 232].entries()) {
      expect(await hasLive(buyer, id), "a part keeps the purchase").toBe(true);
      await tell(db.sql, { kind: "refunded", orderId, objectId: `re_${n}`, amount });
    }
    expect(await balances(db.sql, orderId)).toEqual({});
    expect(await orderState(db.sql, orderId)).toBe("refunded");
    expect(await hasLive(buyer, id)).toBe(false);
    const again = await buy(db.sql, buyer, id);
    expect(again.order_id).not.toBe(orderId);
    expect(await hasLive(buyer, id)).toBe(true);
  });

  test("and does not arrive is in the books again, and found", async () => {
    const { id } = await makePaid(db.sql);
    const { order_id: orderId } = await buy(db.sql, await makeUser(db.sql), id);
    await tell(db.sql, { kind: "refunded", orderId, objectId: "re", amount: 1000 });
    await tell(db.sql, { kind: "refund_failed", orderId, objectId: "re", amount: 1000 });
    expect(await balances(db.sql, orderId)).toMatchObject({ buyer: -1000 });
    expect(await orderState(db.sql, orderId)).toBe("refunded");
    expect((await problems(db.sql, "refund_failed")).map((row) => row.order_id)).toEqual([orderId]);
  });

  test("a second time, before it is known that the first failed, is booked once", async () => {
    const { id } = await makePaid(db.sql);
    const { order_id: orderId } = await buy(db.sql, await makeUser(db.sql), id);
    for (const objectId of ["re_1", "re_2"])
      await tell(db.sql, { kind: "refunded", orderId, objectId, amount: 1000 });
    expect(await balances(db.sql, orderId)).toEqual({});
    await tell(db.sql, { kind: "refund_failed", orderId, objectId: "re_1", amount: 1000 });
    expect(await balances(db.sql, orderId)).toEqual({});
  });

  test("by a dispute is the platform's loss while it lasts, and for good when it is lost", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await buy(db.sql, buyer, id);
    const dispute = { orderId, objectId: "dp_1", amount: 1000, fee: 1500 };
    await tell(db.sql, { kind: "disputed", ...dispute });
    expect(await balances(db.sql, orderId)).toEqual({
      creator: 700,
      platform: -700 - 1500,
      provider_fee: 1500,
    });
    expect(await hasLive(buyer, id)).toBe(false);
    await tell(db.sql, { kind: "dispute_won", ...dispute });
    expect(await orderState(db.sql, orderId)).toBe("paid");
    expect(await balances(db.sql, orderId)).toMatchObject({ buyer: -1000, platform: 300 - 1500 });
    expect(await hasLive(buyer, id)).toBe(true);
    await tell(db.sql, { kind: "disputed", ...dispute, objectId: "dp_2" });
    await tell(db.sql, { kind: "dispute_lost", ...dispute, objectId: "dp_2" });
    expect(await orderState(db.sql, orderId)).toBe("lost");
    expect(await hasLive(buyer, id)).toBe(false);
    const [row] = await db.sql`select revoked_reason from hub_purchases where order_id = ${orderId}`;
    expect(row).toEqual({ revoked_reason: "lost" });
  });

  test("is asked for by admins only, with a reason, and never more than is left", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await buy(db.sql, buyer, id);
    const admin = signedIn(db, await makeAdmin(db.sql));
    const ask = (who: Actor, amount: number | null, reason: string | null, order = orderId) =>
      attempt(who, (tx) => tx`select hub_begin_refund(${order}, ${amount}, ${reason}) as refund`);
    expect(await ask(signedIn(db, buyer), 1, "Please")).toEqual({ refused: "order_not_found" });
    expect(await ask(admin, 1, " ")).toEqual({ refused: "validation_failed" });
    for (const amount of [0, -1, 1001])
      expect(await ask(admin, amount, "Broken")).toEqual({ refused: "validation_failed" });
    expect(await ask(admin, null, "Broken", randomUUID())).toEqual({ refused: "order_not_found" });
    await tell(db.sql, { kind: "refunded", orderId, objectId: "re_1", amount: 400 });
    expect(await ask(admin, 601, "Broken")).toEqual({ refused: "validation_failed" });
    expect(await ask(admin, null, "Broken")).toMatchObject({
      rows: [{ refund: { order_id: orderId, amount_cents: 600, payment_id: `pi_${orderId}` } }],
    });
    await tell(db.sql, { kind: "refunded", orderId, objectId: "re_2", amount: 600 });
    expect(await ask(admin, null, "Broken")).toEqual({ refused: "not_refundable" });
    const log = await db.sql`select note, details from hub_events where action = 'refund_requested'`;
    expect(log).toMatchObject([{ note: "Broken", details: { order_id: orderId, amount_cents: 600 } }]);
  });
});

describe("by hand, also an operator's", () => {
  const edit = (work: Parameters<Actor["run"]>[0]) => attempt(operator(db), work);
  let orderId: string;
  let buyer: string;
  let asset: string;
  beforeAll(async () => {
    const { id } = await makePaid(db.sql);
    asset = id;
    buyer = await makeUser(db.sql);
    orderId = (await buy(db.sql, buyer, id)).order_id;
  });

  test("an order keeps what was agreed, and its state is what the events tell", async () => {
    for (const change of [
      { price_cents: 500 },
      { currency: "EUR" },
      { fee_cents: 1 },
      { buyer_id: randomUUID() },
      { state: "refunded" },
      { state: "open" },
      { payment_id: "another" },
      { delivered_at: null },
    ] as Record<string, unknown>[])
      expect(
        await edit((tx) => tx`update private.orders set ${tx(change as never)} where id = ${orderId}`),
        JSON.stringify(change),
      ).toEqual({ refused: "order_is_fixed" });
    expect(await edit((tx) => tx`delete from private.orders where id = ${orderId}`)).toEqual({
      refused: "append_only",
    });
  });

  test("a state does not go back, even if the events told so", async () => {
    const { order_id: other } = await buy(db.sql, await makeUser(db.sql), asset);
    await tell(db.sql, { kind: "refunded", orderId: other, objectId: "re", amount: 1000 });
    expect(
      await edit(async (tx) => {
        await tx`alter table private.payment_events disable trigger payment_events_append_only`;
        await tx`delete from private.ledger where false`;
        await tx`update private.payment_events set outcome = 'mismatch' where order_id = ${other} and kind = 'refunded'`;
        return tx`update private.orders set state = 'paid' where id = ${other}`;
      }),
    ).toEqual({ refused: "order_is_fixed" });
  });

  test("lines and events are neither changed nor deleted, and lines add up", async () => {
    for (const table of ["private.ledger", "private.payment_events"]) {
      for (const statement of [`delete from ${table}`, `truncate ${table} cascade`])
        expect(await edit((tx) => tx.unsafe(statement)), statement).toEqual({ refused: "append_only" });
    }
    expect(await edit((tx) => tx`update private.ledger set amount_cents = 1`)).toEqual({
      refused: "append_only",
    });
    expect(
      await edit(
        (tx) => tx`
          insert into private.ledger (provider, event_id, order_id, account, kind, amount_cents, currency, creator_id, asset_id)
          select provider, event_id, order_id, 'creator', kind, 5, currency, creator_id, asset_id
          from private.ledger where order_id = ${orderId} limit 1`,
      ),
    ).toEqual({ refused: "ledger_unbalanced" });
  });

  test("a purchase has a paid order of its buyer, listing and price", async () => {
    const row = { order_id: orderId, user_id: buyer, asset_id: asset, price_cents: 1000, currency: "USD" };
    const { order_id: open, price_cents } = await checkout(db.sql, await makeUser(db.sql), asset);
    const [unpaid] = await db.sql`select buyer_id from private.orders where id = ${open}`;
    const add = (changed: Record<string, unknown>) =>
      edit((tx) => tx`insert into hub_purchases ${tx({ ...row, ...changed } as never)}`);
    expect(await add({ order_id: open, user_id: unpaid?.buyer_id, price_cents })).toEqual({
      refused: "purchase_unpaid",
    });
    expect(await add({ user_id: unpaid?.buyer_id })).toEqual({ refused: "order_is_fixed" });
    expect(
      await edit(
        (tx) => tx`update hub_purchases set user_id = ${unpaid?.buyer_id} where order_id = ${orderId}`,
      ),
    ).toEqual({ refused: "order_is_fixed" });
  });

  test("a purchase that an operator takes away stays away", async () => {
    await db.sql`update hub_purchases set revoked_at = now() where order_id = ${orderId}`;
    await tell(db.sql, { kind: "refunded", orderId, objectId: "re_part", amount: 1 });
    expect(await hasLive(buyer, asset)).toBe(false);
    expect((await problems(db.sql, "undelivered")).filter((row) => row.order_id === orderId)).toEqual([]);
  });
});

describe("the books", () => {
  test("of a creator show days, listings, gross, fee, refunds and net, and nobody else's", async () => {
    const { id, creator } = await makePaid(db.sql, { title: "Sold twice" });
    const [one, two, three] = (await makeUsers(db.sql, 3)) as [string, string, string];
    await buy(db.sql, one, id);
    const { order_id: orderId } = await buy(db.sql, two, id);
    await tell(db.sql, { kind: "refunded", orderId, objectId: "re", amount: 500 });
    const revenue = (who: string, from = "2020-01-01", to = "2022-12-31") =>
      attempt(signedIn(db, who), (tx) => tx`select hub_revenue(${from}, ${to}) as days`);
    const today = new Date().toISOString().slice(0, 10);
    expect(await revenue(creator, today, today)).toMatchObject({
      rows: [
        {
          days: [
            {
              ...{ day: today, asset_id: id, title: "Sold twice", currency: "USD", sales: 2 },
              ...{ gross_cents: 2000, fee_cents: 450, refunds_cents: 500, net_cents: 1050 },
            },
          ],
        },
      ],
    });
    expect(await revenue(creator)).toMatchObject({ rows: [{ days: [] }] });
    expect(await revenue(three, today, today)).toMatchObject({ rows: [{ days: [] }] });
    expect(await revenue(creator, "2022-01-02", "2022-01-01")).toEqual({ refused: "validation_failed" });
    expect(await revenue(creator, "2000-01-01", today)).toEqual({ refused: "validation_failed" });
  });

  test("stay when buyer, creator and listing are gone; only the purchase goes with the buyer", async () => {
    const { id, creator } = await makePaid(db.sql);
    const [gone, stays] = (await makeUsers(db.sql, 2)) as [string, string];
    const orders = [await buy(db.sql, gone, id), await buy(db.sql, stays, id)];
    await db.auth`delete from auth.users where id = ${gone}`;
    await db.auth`delete from auth.users where id = ${creator}`;
    expect(await hasLive(stays, id)).toBe(true);
    await db.sql`update hub_assets set deleted_at = now() where id = ${id}`;
    await db.sql`delete from hub_assets where id = ${id}`;
    for (const { order_id: orderId } of orders)
      expect(await balances(db.sql, orderId)).toEqual({ buyer: -1000, creator: 700, platform: 300 });
    expect(await problems(db.sql, "ledger", "state", "purchase", "undelivered")).toEqual([]);
    // The provider can still refund an order, and the ledger records the refund.
    await tell(db.sql, {
      kind: "refunded",
      orderId: orders[0]?.order_id ?? "",
      objectId: "re",
      amount: 1000,
    });
    expect(await balances(db.sql, orders[0]?.order_id ?? "")).toEqual({});
  });

  test("hub_reconcile finds books that somebody changed with the triggers off, and orders that stay open", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await buy(db.sql, buyer, id);
    const { order_id: open } = await checkout(db.sql, await makeUser(db.sql), id);
    await db.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from private.ledger where order_id = ${orderId} and account = 'creator'`;
      await tx`update private.orders set created_at = now() - interval '61 minutes' where id = ${open}`;
      await tx`update private.orders set state = 'lost' where id = ${orderId}`;
    });
    const found = await problems(db.sql, "ledger", "state", "purchase", "open");
    expect(found.filter(({ order_id: of }) => [orderId, open].includes(of))).toMatchObject([
      { order_id: orderId, problem: "ledger", detail: { account: "creator", missing_cents: 700 } },
      { order_id: open, problem: "open" },
      { order_id: orderId, problem: "purchase" },
      { order_id: orderId, problem: "state" },
    ]);
    const [asked] = await db.sql`select hub_orders_to_ask(10) as orders`;
    expect(asked?.orders.map((order: { order_id: string }) => order.order_id)).toContain(open);
  });

  test("of orders are admins' to search", async () => {
    const { id, creator } = await makePaid(db.sql, { title: "Findable order" });
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await buy(db.sql, buyer, id);
    const admin = await makeAdmin(db.sql);
    const search = (who: string, ...args: (string | null)[]) =>
      call(signedIn(db, who), "hub_orders", ...args);
    expect(await search(creator, "x")).toEqual({ refused: "42501" });
    expect(await search(admin, "findable", "paid")).toMatchObject({
      rows: [
        { hub_orders: { items: [{ id: orderId, price_cents: 1000, refunded_cents: 0 }], next_cursor: null } },
      ],
    });
    expect(await search(admin, "findable", "open")).toMatchObject({ rows: [{ hub_orders: { items: [] } }] });
    const mine = await call(signedIn(db, buyer), "hub_my_purchases", null);
    expect(mine).toMatchObject({
      rows: [{ hub_my_purchases: [{ order_id: orderId, state: "paid", readable: true }] }],
    });
    expect(await call(signedIn(db, creator), "hub_my_purchases", orderId)).toMatchObject({
      rows: [{ hub_my_purchases: [] }],
    });
  });
});
