import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../../support/actors.ts";
import { call, makeAdmin, makeUser, publish } from "../../../support/hub.ts";
import {
  balances,
  buy,
  checkout,
  makePaid,
  orderState,
  PROVIDER,
  problems,
  tell,
} from "../../../support/payments.ts";
import { db, hasLive, refused, usePaymentFixture } from "./fixture.ts";

usePaymentFixture();

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
