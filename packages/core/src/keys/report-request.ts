import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";

/** Any number that JSON can say, also 1e400, which JavaScript reads as Infinity: odd values lose no report. */
const number = z.custom<number>((value) => typeof value === "number");

/** What both functions take of a report. */
export const told = {
  status: z.enum(["success", "fail"]),
  error_code: z.nullish(z.union([number, z.string()])),
  retry_after: z.nullish(z.union([number, z.string()])),
  error_message: z.nullish(z.string()),
};

const reportRequest = z.strictObject({
  lease_id: z.nullish(z.guid()),
  key_id: z.nullish(z.guid()),
  ...told,
});

/** What an agent tells of a call to the provider, with absent fields as null. */
export interface Told {
  status: "success" | "fail";
  errorCode: number | string | null;
  retryAfter: number | string | null;
  errorMessage: string | null;
}

/** Body of set-key-state. One of leaseId and keyId is there. */
export interface ReportRequest extends Told {
  leaseId: string | null;
  keyId: string | null;
}

/** Reads the body of set-key-state. Every fault is named at once. */
export function parseReportRequest(body: unknown): Parsed<ReportRequest> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(reportRequest, input);
  const faults = parsed.success ? [] : strictFaultsOf(parsed.error.issues, input);

  // The rules between fields look at the raw body, so that they speak up beside faults of single fields.
  if (isRecord(input) && absent(input.lease_id) && absent(input.key_id)) {
    faults.push({ path: "lease_id", code: "required", message: "lease_id or key_id is required" });
  }
  faults.push(...faultsBetween(input, ""));
  if (!parsed.success || faults.length > 0) return refused(faults);
  const { lease_id, key_id } = parsed.data;
  return {
    ok: true,
    value: { leaseId: lease_id ?? null, keyId: key_id ?? null, ...toldOf(parsed.data) },
  };
}

/** What is wrong between the fields of a report that stands at `path`. */
export function faultsBetween(report: unknown, path: string): Fault[] {
  if (!isRecord(report) || report.status !== "fail" || !absent(report.error_code)) return [];
  return [{ path: `${path}error_code`, code: "required", message: "is required when status is fail" }];
}

/** The report of a body that fits. */
export function toldOf(data: z.infer<z.ZodMiniObject<typeof told>>): Told {
  const { status, error_code, retry_after, error_message } = data;
  return {
    status,
    errorCode: error_code ?? null,
    retryAfter: retry_after ?? null,
    errorMessage: error_message ?? null,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function absent(value: unknown): boolean {
  return value === undefined || value === null;
}
