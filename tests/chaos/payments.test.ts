import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning } from "../stack/scratch.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { makeUsers } from "../support/hub.ts";
import { makePaid, PROVIDER } from "../support/payments.ts";
import { until } from "../support/until.ts";
import { type Fixture, startFixture } from "./fixture.ts";

/** The victims, which are killed in turns: by default each once, in a long run with KEYHUB_KILLS more often. */
const VICTIMS = ["postgres", "payment-webhook", "hub-checkout"];
const KILLS = Number(process.env.KEYHUB_KILLS ?? 3);
/** The least time in which each victim is killed once. The stack ends at the tenth death (or failed restart) of Postgres in a minute. */
const LEAST_ROUND_MS = 13_000;
const WORKERS = process.env.KEYHUB_KILLS ? 4 : 2;
/**
 * The number of listings. It is smaller than the number of orders that one account may begin in an hour. So a worker who has bought all
 * listings continues as another user.
 */
const LISTINGS = process.env.KEYHUB_KILLS ? 40 : 12;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture(1, copyDataFolder);
});
afterAll(() => fixture?.stop());

interface Buyer {
  id: string;
  token: string;
}

async function signUp(): Promise<Buyer> {
  const { SUPABASE_URL = "", SUPABASE_PUBLISHABLE_KEY = "" } = fixture.env;
  const client = createClient(SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  for (;;) {
    const account = { email: `${randomUUID()}@example.test`, password: randomUUID() };
    const { data } = await client.auth.signUp(account);
    if (data.user && data.session) return { id: data.user.id, token: data.session.access_token };
    // Sign-up fails while the killed database restarts, so it is tried again.
    await sleep(50);
  }
}

const form = (path: string, fields: Record<string, string>) =>
  fetch(`${fixture.env.KEYHUB_PAYMENTS}${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
  });

/** Makes listings of a creator who has an account with the provider. */
async function makeShop(count: number): Promise<string[]> {
  const [creator = ""] = await makeUsers(fixture.sql, 1);
  const { id: account } = await (await form("/v1/accounts", {})).json();
  await form(`/onboard/${account}`, { do: "enable" });
  await fixture.sql`
    insert into hub_payout_accounts (user_id, provider, account_id, charges_enabled)
    values (${creator}, ${PROVIDER}, ${account}, true)`;
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const payload = { content: `Number ${n}` };
    made.push((await makePaid(fixture.sql, { creator, slug: `shop-${n}-${randomUUID()}`, payload })).slug);
  }
  return made;
}

/** Begins a purchase. The call is repeated until it is answered, because a killed process is restarted. */
async function checkout({ token }: Buyer, listing: string): Promise<{ url: string } | null> {
  for (;;) {
    const answer = await fetch(`${fixture.url}/functions/v1/hub-checkout`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ listing }),
    }).catch(() => null);
    if (answer?.ok) return answer.json();
    const body = await answer?.json().catch(() => null);
    if (answer?.status === 409) return null;
    if (answer && answer.status < 500) throw new Error(`refused: ${answer.status} ${body?.code}`);
    await sleep(50);
  }
}

/** Returns the paid orders and their refunds as the payment provider has stored them. */
async function truth(): Promise<Map<string, { price: number; back: number; payment: string }>> {
  const types = ["checkout.session.completed", "refund.created"]
    .map((type, n) => `types[${n}]=${type}`)
    .join("&");
  const { data } = await (await fetch(`${fixture.env.KEYHUB_PAYMENTS}/v1/events?${types}`)).json();
  const orders = new Map<string, { price: number; back: number; payment: string }>();
  for (const { type, data: told } of data.toReversed()) {
    const { metadata, amount_total: price, payment_intent: payment, amount } = told.object;
    if (type === "checkout.session.completed") orders.set(metadata.keyhub_order, { price, back: 0, payment });
    else for (const order of orders.values()) if (order.payment === payment) order.back += amount;
  }
  return orders;
}

test("kill -9 of the database and the functions in the middle of sales and refunds: no money and no purchase is lost or doubled", async () => {
  const shop = await makeShop(LISTINGS);
  let isOver = false;
  let sales = 0;
  async function buyAll(worker: number): Promise<void> {
    const buyer = await signUp();
    for (const [i, listing] of shop.entries()) {
      if (isOver) return;
      const begun = await checkout(buyer, listing);
      if (begun === null) continue;
      await form(new URL(begun.url).pathname, { do: "pay" });
      sales += 1;
      // Some orders are refunded wholly or in part, on the provider's own page.
      const what = ["refund", "refund half", null][(i + worker) % 3];
      const payment = what && [...(await truth()).values()].at(-1)?.payment;
      if (payment) await form("/", { do: what, id: payment });
    }
  }
  const work = Array.from({ length: WORKERS }, async (_, worker) => {
    while (!isOver) await buyAll(worker);
  });
  let pause: Promise<void> = Promise.resolve();
  for (let n = 0; n < KILLS; n += 1) {
    if (n % VICTIMS.length === 0) {
      await pause;
      pause = sleep(LEAST_ROUND_MS);
    }
    const victim = VICTIMS[n % VICTIMS.length] ?? "";
    const goal = sales + 2;
    await until(() => sales >= goal);
    const pid = fixture.pids()[victim] ?? 0;
    process.kill(pid, "SIGKILL");
    await until(() => {
      const now = fixture.pids()[victim];
      return now !== undefined && now !== pid && isRunning(now);
    });
  }
  isOver = true;
  await Promise.all(work);

  // The provider stops sending an event after some tries, so let the webhook fetch the events that did not arrive.
  const { SUPABASE_SECRET_KEY = "" } = fixture.env;
  await until(async () => {
    const answer = await fetch(`${fixture.url}/functions/v1/payment-webhook`, {
      method: "POST",
      headers: { apikey: SUPABASE_SECRET_KEY },
    }).catch(() => null);
    return answer?.ok === true && (await answer.json()).applied === 0;
  });
  const orders = await truth();
  expect(orders.size).toBe(sales);
  const rows = await fixture.sql`
    select o.id, o.state, coalesce(p.revoked_at is null and p.id is not null, false) as live,
      (select sum(l.amount_cents)::int from private.ledger l where l.order_id = o.id and l.account = 'buyer') as buyer
    from private.orders o left join hub_purchases p on p.order_id = o.id
    where o.state not in ('open', 'expired')`;
  expect(Object.fromEntries(rows.map(({ id, ...row }) => [id, row]))).toEqual(
    Object.fromEntries(
      [...orders].map(([id, { price, back }]) => [
        id,
        {
          state: back >= price ? "refunded" : "paid",
          live: back < price,
          buyer: back === price ? 0 : back - price,
        },
      ]),
    ),
  );
  const found = await fixture.sql`select problem, detail from hub_reconcile() where problem <> 'open'`;
  expect(found).toEqual([]);
  const lines =
    await fixture.sql`select event_id from private.ledger group by 1 having sum(amount_cents) <> 0`;
  expect(lines).toEqual([]);
});
