import * as z from "zod/mini";
import { faultsOf, type Parsed } from "../faults.ts";

export type { Parsed };

const leaseRequest = z.object({
  provider: z.nullish(z.string().check(z.trim(), z.toLowerCase(), z.regex(/^[a-z0-9][a-z0-9._-]{0,62}$/))),
});

/** Body of get-active-key: `provider` limits the hand-out to keys of that provider and keys of none. */
export interface LeaseRequest {
  provider: string | null;
}

/** Reads the body of get-active-key; `undefined` is the empty body. Unknown fields are ignored. */
export function parseLeaseRequest(body: unknown): Parsed<LeaseRequest> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(leaseRequest, input);
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error.issues, input) };
  return { ok: true, value: { provider: parsed.data.provider ?? null } };
}
