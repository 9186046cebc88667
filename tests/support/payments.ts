import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { makeUser, publish, type Snapshot } from "./hub.ts";

/** An event of the provider about an order. */
export interface PaymentEvent {
  kind: "paid" | "expired" | "refunded" | "refund_failed" | "disputed" | "dispute_won" | "dispute_lost";
  orderId: string;
  objectId?: string;
  amount?: number;
  id?: string;
  currency?: string;
  fee?: number;
  provider?: string;
}

export interface Order {
  order_id: string;
  price_cents: number;
  fee_cents: number;
  currency: string;
}

export const PROVIDER = "loopback";

/** Lets a creator sell: adds a payout account for which the provider takes payments. Returns the creator's id. */
export async function makeSeller(sql: postgres.Sql, userId?: string): Promise<string> {
  const id = userId ?? (await makeUser(sql));
  await sql`
    insert into hub_payout_accounts (user_id, provider, account_id, charges_enabled)
    values (${id}, ${PROVIDER}, ${`acct_${randomUUID()}`}, true)`;
  return id;
}

/** Makes a public listing that is for sale. */
export async function makePaid(sql: postgres.Sql, what: Snapshot & { creator?: string } = {}) {
  const creator = what.creator ?? (await makeSeller(sql));
  const offer = { license: "paid", price: 1000, teaser: "What it is about." };
  const { asset_id: id, ...published } = await publish(sql, creator, { ...offer, ...what });
  return { id, creator, ...published };
}

export async function checkout(sql: postgres.ISql, userId: string, listing: string): Promise<Order> {
  const [row] = await sql<{ ordered: Order }[]>`
    select hub_begin_checkout(${userId}, ${listing}, ${PROVIDER}, 1000) as ordered`;
  if (row === undefined) throw new Error("no row came back");
  return row.ordered;
}

/** Applies an event of the payment provider in the database. An event without an id gets a new id, so it never counts as a repetition. */
export async function tell(
  sql: postgres.ISql,
  event: PaymentEvent,
): Promise<{ outcome: string; undelivered: boolean }> {
  const { kind, orderId, objectId = "payment", amount = null, id = randomUUID() } = event;
  const { currency = "USD", fee = 0, provider = PROVIDER } = event;
  const [row] = await sql`
    select hub_apply_payment_event(
      ${provider}, ${id}, ${kind}, ${orderId}, ${objectId}, ${amount}, ${currency}, ${fee},
      ${kind === "paid" ? `pi_${orderId}` : null}
    ) as told`;
  return row?.told;
}

/** Buys a listing for a user. */
export async function buy(sql: postgres.Sql, userId: string, listing: string): Promise<Order> {
  const order = await checkout(sql, userId, listing);
  await tell(sql, { kind: "paid", orderId: order.order_id, amount: order.price_cents });
  return order;
}

/** Returns the sum of each account in the ledger of an order, in cents. Accounts with the sum 0 are left out. */
export async function balances(sql: postgres.Sql, orderId: string): Promise<Record<string, number>> {
  const rows = await sql`
    select account, sum(amount_cents)::int as cents from private.ledger where order_id = ${orderId}
    group by account having sum(amount_cents) <> 0`;
  return Object.fromEntries(rows.map(({ account, cents }) => [account, cents]));
}

export async function orderState(sql: postgres.Sql, orderId: string): Promise<string> {
  const [row] = await sql`select state from private.orders where id = ${orderId}`;
  return row?.state;
}

/** Returns the problems that hub_reconcile finds: those of these kinds, or all if no kind is given. */
export async function problems(sql: postgres.Sql, ...kinds: string[]): Promise<postgres.Row[]> {
  const rows = await sql`select * from hub_reconcile() order by problem, order_id`;
  return rows.filter(({ problem }) => kinds.length === 0 || kinds.includes(problem));
}
