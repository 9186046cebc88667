import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import { PRICE } from "./contract.ts";

/** Orders that one user may begin in an hour. */
export const CHECKOUTS = { perHour: 60 } as const;

export const buyRequest = z.strictObject({ listing: z.string().check(z.regex(/^[a-z0-9-]{1,80}$/)) });

export const accountRequest = z.strictObject({ account: z.enum(["open", "refresh"]) });

export const statusRequest = z.strictObject({ order_id: z.guid() });

export const refundRequest = z.strictObject({
  order_id: z.guid(),
  refund: z.strictObject({
    /** Null: all that is left. */
    amount_cents: z.nullish(z.int().check(z.gte(1), z.lte(PRICE.most))),
    reason: z.string().check(z.maxLength(1000)),
    /** Of the request, so that a repetition refunds nothing more. */
    id: z.guid(),
  }),
});

/** The body of hub-checkout: what is wanted of it. */
export const checkoutRequest = z.union([buyRequest, accountRequest, refundRequest, statusRequest]);

export const checkoutAnswer = z.strictObject({
  /** The page of the provider, where the caller goes on. */
  url: z.nullable(z.string()),
  order_id: z.nullable(z.guid()),
  state: z.nullable(z.enum(["open", "expired", "paid", "disputed", "lost", "refunded"])),
  /** Of an account: whether it takes payments. */
  charges_enabled: z.nullable(z.boolean()),
});

export const webhookAnswer = z.strictObject({
  /** How many events were new. */
  applied: z.int(),
  /** What the newest of them came to. */
  outcome: z.enum(["applied", "duplicate", "mismatch", "unknown", "ignored"]),
});

export type CheckoutRequest = z.infer<typeof checkoutRequest>;

/** Reads the body of hub-checkout. Returns all faults. */
export function parseCheckoutRequest(body: unknown): Parsed<CheckoutRequest> {
  const input = body === undefined ? {} : body;
  // Chosen by its members, so that a fault is named and not only that no form fits.
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
