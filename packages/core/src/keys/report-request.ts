import * as z from "zod/mini";
import { faultsOf, type Parsed } from "../faults.ts";

/** Any number that JSON can say, also 1e400, which JavaScript reads as Infinity: odd values lose no report. */
const number = z.custom<number>((value) => typeof value === "number");

const reportRequest = z.object({
  lease_id: z.nullish(z.guid()),
  key_id: z.nullish(z.guid()),
  status: z.enum(["success", "fail"]),
  error_code: z.nullish(z.union([number, z.string()])),
  retry_after: z.nullish(z.union([number, z.string()])),
  error_message: z.nullish(z.string()),
});

/** Body of set-key-state, with absent fields as null. One of leaseId and keyId is there. */
export interface ReportRequest {
  leaseId: string | null;
  keyId: string | null;
  status: "success" | "fail";
  errorCode: number | string | null;
  retryAfter: number | string | null;
  errorMessage: string | null;
}

/** Reads the body of set-key-state. Every fault is named at once. Unknown fields are ignored. */
export function parseReportRequest(body: unknown): Parsed<ReportRequest> {
  const input = body === undefined ? {} : body;
  const parsed = z.safeParse(reportRequest, input);
  const faults = parsed.success ? [] : faultsOf(parsed.error.issues, input);

  // The rules between fields look at the raw body, so that they speak up beside faults of single fields.
  const raw = isRecord(input) ? input : {};
  if (isRecord(input) && absent(raw.lease_id) && absent(raw.key_id)) {
    faults.push({ path: "lease_id", code: "required", message: "lease_id or key_id is required" });
  }
  if (raw.status === "fail" && absent(raw.error_code)) {
    faults.push({ path: "error_code", code: "required", message: "is required when status is fail" });
  }
  if (!parsed.success || faults.length > 0) return { ok: false, faults };

  const { lease_id, key_id, status, error_code, retry_after, error_message } = parsed.data;
  return {
    ok: true,
    value: {
      leaseId: lease_id ?? null,
      keyId: key_id ?? null,
      status,
      errorCode: error_code ?? null,
      retryAfter: retry_after ?? null,
      errorMessage: error_message ?? null,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function absent(value: unknown): boolean {
  return value === undefined || value === null;
}
