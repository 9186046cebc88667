import type * as z from "zod/mini";
import type { ProblemCode } from "../../../packages/core/src/problem.ts";
import type { Schema } from "./describe.ts";

/** The groups of operations, in the order of the document. */
export const TAGS = [
  { name: "keys", description: "Leasing keys and reporting outcomes." },
  { name: "gateway", description: "Calling providers with a leased key." },
  { name: "hub", description: "Publishing and importing assets." },
] as const;

/** The document's entry for one operation. */
export interface Operation {
  /** The path below /functions/v1. */
  path: string;
  operationId: string;
  tag: (typeof TAGS)[number]["name"];
  summary: string;
  description: string;
  callers: readonly Caller[];
  /** The method; POST by default. An operation with another method has no JSON body, and `codes` is then the complete list. */
  method?: "get" | "put" | "delete";
  /** The content types of the request's body. */
  media?: readonly string[];
  /** The parameters in the path. */
  parameters?: Record<string, { description: string; schema: Schema }>;
  /** Whether the operation passes any request on to another server and returns its answer; `codes` is then the complete list. */
  passesOn?: boolean;
  /** Whether the caller signs the body, which may have any form; `codes` is then the complete list. */
  signed?: boolean;
  /** Whether the operation accepts the header Idempotency-Key. */
  idempotent?: boolean;
  body: { contract: z.ZodMiniType; required: boolean; example: unknown };
  /** The operation that answers a GET of the same address, without a credential. */
  described?: { operationId: string; summary: string; contract: z.ZodMiniType };
  /** The answers by status. */
  answers: Record<number, { description: string; contract?: z.ZodMiniType; media?: readonly string[] }>;
  /** The codes that the operation can answer, besides COMMON_CODES. */
  codes: readonly ProblemCode[];
}

/** The possible callers; a guest sends no credential. */
export type Caller = "agentToken" | "accessToken" | "secretKey" | "guest";

/** The codes of the problems that `endpoint` can answer in any function that uses it. */
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

/** Returns the address of an operation below /functions/v1. Each parameter is replaced by a name that does not exist. */
export const addressOf = ({ path }: Operation): string => path.replace(/\{\w+\}/g, "a-slug-of-nothing");

/** Returns the function that an operation calls. */
export const functionOf = ({ path }: Operation): string => path.split("/")[1] ?? "";
