import type * as z from "zod/mini";
import type { ProblemCode } from "../../../packages/core/src/problem.ts";
import type { Schema } from "./describe.ts";

/** What the document says of one operation; a new function is one more in operations.ts. */
export interface Operation {
  /** Below /functions/v1. */
  path: string;
  operationId: string;
  tag: "keys" | "hub" | "gateway";
  summary: string;
  description: string;
  callers: readonly Caller[];
  /** Parts of the path. */
  parameters?: Record<string, { description: string; schema: Schema }>;
  /** Any method, any body, and the answer of somebody else: `codes` are then all that there are. */
  passesOn?: boolean;
  /** Whether a retry can name its request by the header Idempotency-Key. */
  idempotent?: boolean;
  body: { contract: z.ZodMiniType; required: boolean; example: unknown };
  /** By status. */
  answers: Record<number, { description: string; contract: z.ZodMiniType }>;
  /** The codes that it can answer, beside those of every operation that does not pass requests on. */
  codes: readonly ProblemCode[];
}

/** Who may call; a guest sends no credential. */
export type Caller = "agentToken" | "accessToken" | "guest";

/** What `endpoint` of the functions answers for any of them that uses it. */
export const COMMON_CODES: readonly ProblemCode[] = [
  "malformed_json",
  "invalid_credential",
  "not_found",
  "method_not_allowed",
  "body_too_large",
  "unsupported_media_type",
  "validation_failed",
  "internal_error",
  "unavailable",
];
