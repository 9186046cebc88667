import * as z from "zod/mini";
import { assetType } from "./card.ts";

export const orderState = z.enum(["open", "expired", "paid", "disputed", "lost", "refunded"]);

const money = { price_cents: z.int(), currency: z.string(), refunded_cents: z.int() };
/** The listing: its title at the time of the order, its slug and type now. In a purchase of a hidden or deleted listing, `slug` is null. */
const listing = { title: z.string(), slug: z.nullable(z.string()), asset_type: z.nullable(assetType) };
const times = { created_at: z.string(), paid_at: z.nullable(z.string()) };

/** The answer of hub_my_purchases: the caller's purchases, the newest first. `readable`: the caller may read the content. */
export const purchases = z.array(
  z.strictObject({
    order_id: z.guid(),
    asset_id: z.guid(),
    ...listing,
    ...money,
    state: orderState,
    readable: z.boolean(),
    ...times,
  }),
);

/** The answer of hub_revenue: one row per day and listing, the newest first; net = gross - refunds - fee. */
export const revenue = z.array(
  z.strictObject({
    day: z.string(),
    asset_id: z.guid(),
    ...listing,
    currency: z.string(),
    sales: z.int(),
    gross_cents: z.int(),
    fee_cents: z.int(),
    refunds_cents: z.int(),
    net_cents: z.int(),
  }),
);

/** The answer of hub_orders, for admins. */
export const orderPage = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.guid(),
      state: orderState,
      ...listing,
      ...money,
      fee_cents: z.int(),
      ...times,
      buyer: z.nullable(z.string()),
      creator: z.nullable(z.string()),
    }),
  ),
  next_cursor: z.nullable(z.string()),
});
