import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";

export type { Parsed };

/** Any JSON number, even 1e400 (Infinity in JavaScript), because an odd value must not make us refuse a report. */
export const anyNumber = z.custom<number>((value) => typeof value === "number");

/** The longest model name, in UTF-16 code units. */
const MODEL_LENGTH = 128;

/** The name of a model as the service stores it: in lower case, without Google's prefix `models/`. */
export const modelName = z.pipe(
  z.pipe(
    z.string(),
    z.transform((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^models\/\s*/, ""),
    ),
  ),
  // Without control characters, and without half of a surrogate pair, which JSON cannot carry to the database.
  z.string().check(z.maxLength(MODEL_LENGTH), z.regex(/^[^\p{Cc}\p{Cs}]+$/u)),
);

/** The members of a report, in the body of set-key-state and in `previous` of get-active-key. */
const reportMembers = {
  status: z.enum(["success", "fail"]),
  error_code: z.nullish(z.union([anyNumber, z.string()])),
  retry_after: z.nullish(z.union([anyNumber, z.string()])),
  error_message: z.nullish(z.string()),
  model: z.nullish(modelName),
  same_answer_as: z.nullish(z.guid()),
};

export const reportRequest = z.strictObject({
  lease_id: z.nullish(z.guid()),
  key_id: z.nullish(z.guid()),
  ...reportMembers,
});

/** An agent's report of a call to the provider; absent fields are null. */
export interface ReportFields {
  status: "success" | "fail";
  errorCode: number | string | null;
  retryAfter: number | string | null;
  errorMessage: string | null;
  /** The model that the call was for. When it is null, the report is about the model of the lease. */
  model?: string | null;
  /** The id of an earlier lease of another key. The provider gave the same answer for that key. */
  sameAnswerAs?: string | null;
}

/** The parsed body of set-key-state. At least one of leaseId and keyId is set. */
export interface ReportRequest extends ReportFields {
  leaseId: string | null;
  keyId: string | null;
}

/** Reads the body of set-key-state. Returns all faults. */
export function parseReportRequest(body: unknown): Parsed<ReportRequest> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(reportRequest, input);
  const faults = parsed.success ? [] : strictFaultsOf(parsed.error.issues, input);

  // Rules that concern several fields read the raw body, so that we report their faults together with the faults of single fields.
  if (isRecord(input) && absent(input.lease_id) && absent(input.key_id)) {
    faults.push({ path: "lease_id", code: "required", message: "lease_id or key_id is required" });
  }
  faults.push(...faultsBetween(input, ""));
  if (!parsed.success || faults.length > 0) return refused(faults);
  const { lease_id, key_id } = parsed.data;
  return {
    ok: true,
    value: { leaseId: lease_id ?? null, keyId: key_id ?? null, ...reportFieldsOf(parsed.data) },
  };
}

/** Checks the rules that concern several fields of a report. `path` is put before the paths of the faults. */
function faultsBetween(report: unknown, path: string): Fault[] {
  if (!isRecord(report) || report.status !== "fail" || !absent(report.error_code)) return [];
  return [{ path: `${path}error_code`, code: "required", message: "is required when status is fail" }];
}

/** Returns the report of a valid body. */
function reportFieldsOf(data: z.infer<z.ZodMiniObject<typeof reportMembers>>): ReportFields {
  const { status, error_code, retry_after, error_message, model, same_answer_as } = data;
  return {
    status,
    errorCode: error_code ?? null,
    retryAfter: retry_after ?? null,
    errorMessage: error_message ?? null,
    model: model ?? null,
    sameAnswerAs: same_answer_as ?? null,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function absent(value: unknown): boolean {
  return value === undefined || value === null;
}

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
  /** Only keys of this provider, and keys without a provider, are leased. */
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
