import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import { PRICE } from "./contract.ts";

/** The most orders that one user may begin in an hour. */
export const CHECKOUTS = { perHour: 60 } as const;

export const buyRequest = z.strictObject({ listing: z.string().check(z.regex(/^[a-z0-9-]{1,80}$/)) });

export const accountRequest = z.strictObject({ account: z.enum(["open", "refresh"]) });

export const statusRequest = z.strictObject({ order_id: z.guid() });

export const refundRequest = z.strictObject({
  order_id: z.guid(),
  refund: z.strictObject({
    /** The amount to refund; null or absent refunds everything that was not refunded before. */
    amount_cents: z.nullish(z.int().check(z.gte(1), z.lte(PRICE.most))),
    reason: z.string().check(z.maxLength(1000)),
    /** The id of the refund request: sending the same request again refunds nothing more. */
    id: z.guid(),
  }),
});

/** The four possible bodies of hub-checkout: buy a listing, manage a payout account, refund an order, or read the state of an order. */
export const checkoutRequest = z.union([buyRequest, accountRequest, refundRequest, statusRequest]);

export const checkoutAnswer = z.strictObject({
  /** The address of the payment provider's page where the caller continues. */
  url: z.nullable(z.string()),
  order_id: z.nullable(z.guid()),
  state: z.nullable(z.enum(["open", "expired", "paid", "disputed", "lost", "refunded"])),
  /** True if the payout account can take payments; null in answers that are not about an account. */
  charges_enabled: z.nullable(z.boolean()),
});

export const webhookAnswer = z.strictObject({
  /** The number of events that were applied now; events that had been applied before are not included. */
  applied: z.int(),
  /** The result of the last event that was processed; `ignored` if there was none. */
  outcome: z.enum(["applied", "duplicate", "mismatch", "unknown", "ignored"]),
});

export type CheckoutRequest = z.infer<typeof checkoutRequest>;

/** Reads the body of hub-checkout. Returns the request, or all faults of the body (at most 100). */
export function parseCheckoutRequest(body: unknown): Parsed<CheckoutRequest> {
  const input = body === undefined ? {} : body;
  // The members of the body select its contract. The union would only report that no contract fits, without naming the wrong member.
  const has = (member: string) => Object.hasOwn(Object(input), member);
  const contract = has("account")
    ? accountRequest
    : has("refund")
      ? refundRequest
      : has("order_id")
        ? statusRequest
        : buyRequest;
  const parsed = z.safeParse(contract, input);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : refused(strictFaultsOf(parsed.error.issues, input));
}
