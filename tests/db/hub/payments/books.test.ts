import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Actor, attempt, operator, signedIn } from "../../../support/actors.ts";
import { call, makeAdmin, makeUser, makeUsers } from "../../../support/hub.ts";
import { balances, buy, checkout, makePaid, problems, tell } from "../../../support/payments.ts";
import { db, hasLive, usePaymentFixture } from "./fixture.ts";

usePaymentFixture();

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
