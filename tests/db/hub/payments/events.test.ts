import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Actor, attempt, signedIn } from "../../../support/actors.ts";
import { makeAdmin, makeUser, untilWaiting } from "../../../support/hub.ts";
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
} from "../../../support/payments.ts";
import { db, hasLive, usePaymentFixture } from "./fixture.ts";

usePaymentFixture();

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

  test("about a refund that comes before the payment moves nothing until the payment comes", async () => {
    const { id } = await makePaid(db.sql);
    const buyer = await makeUser(db.sql);
    const { order_id: orderId } = await checkout(db.sql, buyer, id);
    await tell(db.sql, { kind: "refunded", orderId, amount: 400, objectId: "re_early" });
    expect(await orderState(db.sql, orderId)).toBe("open");
    expect(await balances(db.sql, orderId)).toEqual({});
    await tell(db.sql, { kind: "paid", orderId, amount: 1000 });
    expect(await orderState(db.sql, orderId)).toBe("paid");
    expect(await balances(db.sql, orderId)).toMatchObject({ buyer: -600 });
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
