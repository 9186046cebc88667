import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";

/** Any JSON number, even 1e400 (Infinity in JavaScript): because of an odd value no report may be refused. */
export const anyNumber = z.custom<number>((value) => typeof value === "number");

/** As many UTF-16 code units as a model's name has at most. */
const MODEL_LENGTH = 128;

/** The name of a model, as its blocks are kept: in lower case, without the `models/` that Google puts in front. */
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
  // No control characters, and no half of a character, which JSON cannot carry to the database.
  z.string().check(z.maxLength(MODEL_LENGTH), z.regex(/^[^\p{Cc}\p{Cs}]+$/u)),
);

/** The members of a report in both functions. */
export const reportMembers = {
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
  /** The model that the call was for; null: that of the lease, or what the answer says. */
  model?: string | null;
  /** The lease of an earlier report, of another key, with the same answer of the provider. */
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

  // Rules between fields read the raw body, so that their faults are reported together with those of single fields.
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

/** The faults between the fields of the report at `path`. */
export function faultsBetween(report: unknown, path: string): Fault[] {
  if (!isRecord(report) || report.status !== "fail" || !absent(report.error_code)) return [];
  return [{ path: `${path}error_code`, code: "required", message: "is required when status is fail" }];
}

/** The report in a valid body. */
export function reportFieldsOf(data: z.infer<z.ZodMiniObject<typeof reportMembers>>): ReportFields {
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
