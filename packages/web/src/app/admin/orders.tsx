import type { Hub, OrderPage } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { money, time } from "../../parts/format.ts";
import { STATES } from "../purchases.tsx";

type Order = OrderPage["items"][number];

/** Shows the orders to admins, who can refund an order with a reason, and mark a creator as verified. */
export function Orders({ hub }: { hub: Hub }) {
  const [q, setQ] = useState("");
  const [page, setPage] = useState<OrderPage | null>(null);
  const load = useCallback(
    async (cursor?: string | null) => {
      try {
        const next = await hub.orders({ ...(q && { q }), ...(cursor && { cursor }) });
        setPage((now) => (cursor && now ? { ...next, items: [...now.items, ...next.items] } : next));
      } catch (error) {
        await showFailure(error, () => void load(cursor));
      }
    },
    [hub, q],
  );
  useEffect(() => void load(), [load]);

  return (
    <section aria-labelledby="orders">
      <h2 id="orders">Orders</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          setQ(String(new FormData(event.currentTarget).get("q")).trim());
        }}
      >
        <label class="field">
          <span>Id of an order, words of a title, or a user name</span>
          <input name="q" maxLength={120} dir="auto" />
        </label>
        <button type="submit">Find</button>
      </form>
      {page?.items.length === 0 && <p class="quiet">No order was found.</p>}
      {page?.items.map((order) => (
        <OneOrder key={order.id} order={order} hub={hub} onDone={load} />
      ))}
      {page?.next_cursor && (
        <button type="button" onClick={() => void load(page.next_cursor)}>
          More orders
        </button>
      )}
      <Verify hub={hub} />
    </section>
  );
}

function OneOrder({ order, hub, onDone }: { order: Order; hub: Hub; onDone: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const left = order.price_cents - order.refunded_cents;
  const amount = (price_cents: number) => money({ price_cents, currency: order.currency });

  /** Refunds an order. A retry has the id of the first try, so that a lost answer does not cause a second refund. */
  async function refund(form: FormData, id: string = crypto.randomUUID()): Promise<void> {
    setBusy(true);
    const given = Number(form.get("amount"));
    const reason = String(form.get("reason"));
    try {
      const amount_cents = Math.round(given * 100);
      await hub.refund(order.id, { id, reason, ...(amount_cents < left && { amount_cents }) });
      say("The money is being paid back.");
      await onDone();
    } catch (error) {
      await showFailure(error, () => void refund(form, id));
    } finally {
      setBusy(false);
    }
  }

  return (
    <details class="order" data-order={order.id}>
      <summary>
        <bdi>{order.title}</bdi>, {amount(order.price_cents)}: {STATES[order.state]}
        {order.refunded_cents > 0 && ` (${amount(order.refunded_cents)} refunded)`} · {time(order.created_at)}
      </summary>
      <p class="quiet">
        {order.buyer ? `@${order.buyer}` : "a deleted account"} of{" "}
        {order.creator ? `@${order.creator}` : "a deleted account"} · fee {amount(order.fee_cents)} ·{" "}
        {order.id}
      </p>
      {order.state === "paid" && left > 0 && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void refund(new FormData(event.currentTarget));
          }}
        >
          <label class="field">
            <span>Amount, at most {amount(left)}</span>
            <input
              name="amount"
              type="number"
              min="0.01"
              step="0.01"
              max={left / 100}
              defaultValue={String(left / 100)}
              required
            />
          </label>
          <label class="field">
            <span>Reason, for the log</span>
            <input name="reason" maxLength={1000} required dir="auto" />
          </label>
          <button type="submit" disabled={busy}>
            Refund
          </button>
        </form>
      )}
    </details>
  );
}

function Verify({ hub }: { hub: Hub }) {
  async function verify(username: string, verified: boolean): Promise<void> {
    try {
      await hub.verifyCreator(username, verified);
      say(verified ? "Marked as verified." : "No longer verified.");
    } catch (error) {
      await showFailure(error, () => void verify(username, verified));
    }
  }
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget, event.submitter);
        void verify(String(form.get("username")).replace(/^@/, ""), form.get("verified") === "yes");
      }}
    >
      <label class="field">
        <span>Verified creators pay the lower fee: user name</span>
        <input name="username" required maxLength={31} />
      </label>
      <button name="verified" value="yes" type="submit">
        Verify
      </button>
      <button name="verified" value="no" type="submit">
        Remove the mark
      </button>
    </form>
  );
}
