import type * as z from "zod/mini";
import type { ProblemCode } from "../../../packages/core/src/problem.ts";
import type { Schema } from "./describe.ts";

/** The groups of operations, in the order of the document. */
export const TAGS = [
  { name: "keys", description: "Leasing keys and reporting outcomes." },
  { name: "gateway", description: "Calling providers with a leased key." },
  { name: "hub", description: "Publishing and importing assets." },
] as const;

/** What the document says of one operation. */
export interface Operation {
  /** Below /functions/v1. */
  path: string;
  operationId: string;
  tag: (typeof TAGS)[number]["name"];
  summary: string;
  description: string;
  callers: readonly Caller[];
  /** POST unless it is another one: such an operation has no body in JSON, and `codes` are all that there are. */
  method?: "get" | "put" | "delete";
  /** The content types of its body. */
  media?: readonly string[];
  /** Parts of the path. */
  parameters?: Record<string, { description: string; schema: Schema }>;
  /** Any method, any body, and the answer of somebody else: `codes` are then all that there are. */
  passesOn?: boolean;
  /** Called by somebody who signs the body, whatever it is: `codes` are then all that there are. */
  signed?: boolean;
  /** Whether a retry can name its request by the header Idempotency-Key. */
  idempotent?: boolean;
  body: { contract: z.ZodMiniType; required: boolean; example: unknown };
  /** What a GET of the same address answers, without a credential. */
  described?: { operationId: string; summary: string; contract: z.ZodMiniType };
  /** By status. */
  answers: Record<number, { description: string; contract?: z.ZodMiniType; media?: readonly string[] }>;
  /** The codes that it can answer, beside those of every operation that does not pass requests on. */
  codes: readonly ProblemCode[];
}

/** Who may call; a guest sends no credential. */
export type Caller = "agentToken" | "accessToken" | "secretKey" | "guest";

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

/** The address of an operation below /functions/v1, with a name that nothing has for each part of the path. */
export const addressOf = ({ path }: Operation): string => path.replace(/\{\w+\}/g, "a-slug-of-nothing");

/** The function that an operation is a call of. */
export const functionOf = ({ path }: Operation): string => path.split("/")[1] ?? "";
