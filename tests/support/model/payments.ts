/**
 * A reference model of sales, written from the rules and not from the SQL: the state of each order, the purchases, and the gain of each
 * account, after any actions of buyers, creators and the provider. An event changes stored facts; the model derives everything else.
 */
export interface ModelOrder {
  id: string;
  buyer: string;
  asset: string;
  price: number;
  fee: number;
  /** The hub's fee at the order's checkout, in hundredths of a percent. After a change of the fee, a checkout makes a new order. */
  feeBps: number;
  paid: boolean;
  expired: boolean;
  providerFee: number;
  refunds: Record<string, { amount: number; made: boolean; failed: boolean }>;
  disputes: Record<string, { amount: number; fee: number; opened: boolean; won: boolean; lost: boolean }>;
  /** Whether the buyer has ever got the purchase. */
  delivered: boolean;
  live: boolean;
  /** The reason why the purchase was revoked. */
  revoked: string | null;
}

export interface ModelAsset {
  id: string;
  creator: string;
  price: number;
  onShelf: boolean;
  gone: boolean;
  hidden: boolean;
}

export interface Sales {
  orders: ModelOrder[];
  assets: ModelAsset[];
  people: string[];
  told: string[];
  feeBps: number;
}

export interface Told {
  id: string;
  kind: string;
  orderId: string;
  objectId: string;
  amount: number;
  fee: number;
}

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);

export function stateOf({ paid, expired, refunds, disputes, price }: ModelOrder): string {
  if (!paid) return expired ? "expired" : "open";
  const made = sum(Object.values(refunds).map(({ made, amount }) => (made ? amount : 0)));
  if (made >= price) return "refunded";
  const closed = Object.values(disputes);
  if (closed.some(({ lost }) => lost)) return "lost";
  return closed.some(({ opened, won }) => opened && !won) ? "disputed" : "paid";
}

export function balancesOf(order: ModelOrder): Record<string, number> {
  if (!order.paid) return {};
  const back = Math.min(
    order.price,
    sum(Object.values(order.refunds).map(({ made, failed, amount }) => (made && !failed ? amount : 0))),
  );
  const taken = sum(
    Object.values(order.disputes).map(({ opened, won, lost, amount }) =>
      lost || (opened && !won) ? amount : 0,
    ),
  );
  const providerFee = order.providerFee + sum(Object.values(order.disputes).map(({ fee }) => fee));
  const feeBack = Math.floor((order.fee * back) / order.price);
  const gained = {
    buyer: back + taken - order.price,
    platform: order.fee - feeBack - taken - providerFee,
    creator: order.price - order.fee - (back - feeBack),
    provider_fee: providerFee,
  };
  return Object.fromEntries(Object.entries(gained).filter(([, cents]) => cents !== 0));
}

/** Returns whether the order is paid but has no purchase. */
export function isUndelivered(order: ModelOrder): boolean {
  return stateOf(order) === "paid" && (!order.delivered || order.revoked === "disputed");
}

/** Returns the open order that a checkout continues, null if it makes a new order, or the code of a refusal. */
export function checkout(sales: Sales, buyer: string, asset: ModelAsset): ModelOrder | string | null {
  if (!asset.onShelf || asset.gone || asset.hidden) return "asset_not_found";
  if (asset.creator === buyer) return "own_asset";
  if (!sales.people.includes(asset.creator)) return "not_for_sale";
  const own = sales.orders.filter((order) => order.buyer === buyer && order.asset === asset.id);
  if (own.some(({ live }) => live)) return "already_purchased";
  const open = own.find((order) => stateOf(order) === "open");
  if (open === undefined) return null;
  if (open.price === asset.price && open.feeBps === sales.feeBps) return open;
  open.expired = true;
  return null;
}

export const feeOf = ({ feeBps }: Sales, { price }: ModelAsset): number =>
  Math.floor((price * feeBps + 5000) / 10000);

export function apply(sales: Sales, event: Told): void {
  const order = sales.orders.find(({ id }) => id === event.orderId);
  if (order === undefined || sales.told.includes(event.id)) return;
  sales.told.push(event.id);
  const { kind, objectId, amount, fee } = event;
  if (kind === "paid") {
    order.paid = true;
    order.providerFee = Math.max(order.providerFee, fee);
  } else if (kind === "expired") order.expired = true;
  else if (kind.startsWith("refund")) {
    order.refunds[objectId] ??= { amount, made: false, failed: false };
    const refund = order.refunds[objectId];
    if (kind === "refunded") refund.made = true;
    else refund.failed = true;
  } else {
    order.disputes[objectId] ??= { amount, fee: 0, opened: false, won: false, lost: false };
    const dispute = order.disputes[objectId];
    dispute.fee = Math.max(dispute.fee, fee);
    if (kind === "disputed") dispute.opened = true;
    else if (kind === "dispute_won") dispute.won = true;
    else dispute.lost = true;
  }
  settle(sales, order);
}

function settle(sales: Sales, order: ModelOrder): void {
  const state = stateOf(order);
  const hasAccount = sales.people.includes(order.buyer);
  if (state !== "paid") {
    if (order.delivered && hasAccount) {
      order.live = false;
      order.revoked = state;
    }
    return;
  }
  const asset = sales.assets.find(({ id }) => id === order.asset);
  const other = sales.orders.some((o) => o.live && o.buyer === order.buyer && o.asset === order.asset);
  if (asset?.gone || !hasAccount || other) return;
  if (order.delivered && order.revoked !== "disputed") return;
  Object.assign(order, { delivered: true, live: true, revoked: null });
}

export function deleteAccount(sales: Sales, user: string): void {
  sales.people = sales.people.filter((other) => other !== user);
  for (const order of sales.orders)
    if (order.buyer === user) Object.assign(order, { live: false, revoked: null });
}

/** Deletes a listing as its creator does. Nobody can buy it any more, but its content stays while the listing has a live purchase. */
export function deleteListing(sales: Sales, asset: ModelAsset): void {
  asset.onShelf = false;
  asset.gone = !sales.orders.some(({ live, asset: of }) => live && of === asset.id);
}
