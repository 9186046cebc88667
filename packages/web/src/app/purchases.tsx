import type { Purchases as Bought, OrderState } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { assetPath, TYPE_NAMES } from "../data/addresses.ts";
import { date, money } from "../parts/format.ts";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { Skeleton } from "./skeleton.tsx";
import { useViewer } from "./use-viewer.ts";
import { ForMembers, WorkspaceNav } from "./workspace-nav.tsx";

/** The state of an order in words for its buyer. */
export const STATES: Record<OrderState, string> = {
  open: "not paid",
  expired: "not paid",
  paid: "paid",
  disputed: "disputed",
  lost: "disputed and returned",
  refunded: "refunded",
};

/** The time in milliseconds between two reads of a new order, and the largest number of reads. */
const PAUSE_MS = 1_500;
const TRIES = 20;

/** Shows the caller's purchases. The payment page returns here with an order in the address, which is shown as a receipt. */
export default function Purchases() {
  const viewer = useViewer();
  const [bought, setBought] = useState<Bought | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const hub = viewer?.member?.hub;
  const receipt = new URLSearchParams(location.search).get("order");

  const load = useCallback(async () => {
    if (!hub) return;
    setFailure(null);
    try {
      setBought(await hub.purchases());
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void load(), [load]);

  return (
    <>
      <WorkspaceNav at="purchases" />
      {viewer && !hub ? (
        <ForMembers title="Your purchases" back={`/workspace/purchases${location.search}`} />
      ) : (
        <>
          <h1>Purchases</h1>
          {hub && receipt && <Receipt hub={hub} orderId={receipt} onPaid={load} />}
          <FailureNote failure={failure} onRetry={load} />
          {!bought && !failure && <Skeleton />}
          {bought?.length === 0 && <p class="quiet">Nothing yet.</p>}
          <ul class="shelf">
            {bought?.map((one) => (
              <li key={one.order_id} class={one.asset_type ?? ""}>
                <span>
                  {one.slug && one.asset_type ? (
                    <a href={assetPath({ slug: one.slug, asset_type: one.asset_type })} dir="auto">
                      {one.title}
                    </a>
                  ) : (
                    <bdi>{one.title}</bdi>
                  )}{" "}
                  <span class="quiet">
                    {one.asset_type && `${TYPE_NAMES[one.asset_type].one} · `}
                    {money(one)} · {date(one.paid_at ?? one.created_at)} · {STATES[one.state]}
                    {one.refunded_cents > 0 &&
                      one.state === "paid" &&
                      `, ${money({ price_cents: one.refunded_cents, currency: one.currency })} refunded`}
                    {one.state !== "paid" && ". Your copies stay, without updates."}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

interface ReceiptProps {
  hub: NonNullable<NonNullable<ReturnType<typeof useViewer>>["member"]>["hub"];
  orderId: string;
  onPaid: () => Promise<void>;
}

/** Reads an order until its payment is known. If the payment provider's event is late, `hub.order` makes the hub ask the provider. */
function Receipt({ hub, orderId, onPaid }: ReceiptProps) {
  const [order, setOrder] = useState<Bought[number] | null | undefined>();
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const ask = useCallback(async () => {
    setFailure(null);
    try {
      for (let n = 0; n < TRIES; n += 1) {
        const [known] = await hub.purchases(orderId);
        setOrder(known ?? null);
        if (known?.state !== "open") break;
        // The first round only waits for the provider's event, because most events arrive within a second.
        if (n > 0) await hub.order(orderId);
        await new Promise((resolve) => setTimeout(resolve, n === 0 ? PAUSE_MS / 3 : PAUSE_MS));
      }
      await onPaid();
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub, orderId, onPaid]);
  useEffect(() => void ask(), [ask]);

  if (failure) return <FailureNote failure={failure} onRetry={ask} />;
  if (order === undefined) return null;
  if (order === null) return <p class="note">There is no such order of yours.</p>;
  return (
    <p class="note" role="status" data-receipt={order.state}>
      {order.state === "paid" ? (
        <>
          Thank you. You have bought “<bdi>{order.title}</bdi>” for {money(order)}.{" "}
          {order.slug && order.asset_type && (
            <a href={assetPath({ slug: order.slug, asset_type: order.asset_type })}>Open it</a>
          )}
        </>
      ) : order.state === "open" ? (
        <>
          “<bdi>{order.title}</bdi>”: we are waiting to hear of the payment.
        </>
      ) : (
        <>
          “<bdi>{order.title}</bdi>”: {STATES[order.state]}.
        </>
      )}
    </p>
  );
}
