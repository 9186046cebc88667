import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import {
  faultsBetween,
  modelName,
  type ReportFields,
  reportFieldsOf,
  reportMembers,
} from "./report-request.ts";

export type { Parsed };

/** The most keys that one request can exclude. */
const EXCLUDED = 16;

export const leaseRequest = z.strictObject({
  provider: z.nullish(z.string().check(z.trim(), z.toLowerCase(), z.regex(/^[a-z0-9][a-z0-9._-]{0,62}$/))),
  model: z.nullish(modelName),
  exclude: z.nullish(z.array(z.guid()).check(z.maxLength(EXCLUDED))),
  previous: z.nullish(z.strictObject({ lease_id: z.guid(), ...reportMembers })),
});

/** Body of get-active-key, with absent fields as null. */
export interface LeaseRequest {
  /** Limits the lease to keys of that provider and keys without a provider. */
  provider: string | null;
  /** The model that the key is for. Keys that are limited for this model are skipped. */
  model: string | null;
  /** Ids of keys that are leased only when no other key can be leased. */
  exclude: string[];
  /** The report on an earlier lease. It is applied before the new lease. */
  previous: (ReportFields & { leaseId: string }) | null;
}

/** Reads the body of get-active-key; `undefined` stands for an empty body. Returns all faults. */
export function parseLeaseRequest(body: unknown): Parsed<LeaseRequest> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(leaseRequest, input);
  const faults = parsed.success ? [] : strictFaultsOf(parsed.error.issues, input);
  faults.push(...faultsBetween(Object(input).previous, "previous."));
  if (!parsed.success || faults.length > 0) return refused(faults);
  const { provider, model, exclude, previous } = parsed.data;
  return {
    ok: true,
    value: {
      provider: provider ?? null,
      model: model ?? null,
      exclude: exclude ?? [],
      previous: previous ? { leaseId: previous.lease_id, ...reportFieldsOf(previous) } : null,
    },
  };
}
