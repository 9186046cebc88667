import * as z from "zod/mini";
import { contracts } from "../../../../packages/core/src/hub/contracts/index.ts";
import type { ProblemCode } from "../../../../packages/core/src/problem.ts";
import type { Operation } from "../operation.ts";

const MEDIA = ["image/png", "image/jpeg", "image/webp"];
const body = { contract: z.unknown(), required: false, example: null };
const COMMON: readonly ProblemCode[] = [
  ...(["invalid_credential", "not_found", "asset_not_found", "method_not_allowed"] as const),
  ...(["internal_error", "unavailable"] as const),
];
const OWNER: readonly ProblemCode[] = [
  ...COMMON,
  ...(["missing_credential", "account_required", "banned", "not_owner", "rate_limited"] as const),
];
const listing = { description: "The id or the slug of a listing.", schema: { type: "string" } } as const;
const stored = { description: "The picture that the listing has now.", contract: contracts.SetPicture };

/** These operations transfer pictures, not JSON, so tests/http/hub-picture.test.ts tests them instead of the tests for all functions. */
export const operations: readonly Operation[] = [
  {
    path: "/hub-picture/{listing}",
    operationId: "setPicture",
    method: "put",
    tag: "hub",
    summary: "Give a listing a picture",
    description:
      "At most 1,048,576 bytes and 4096 × 4096 pixels, not animated. Its type is read from its bytes; its metadata is removed.",
    callers: ["accessToken"],
    parameters: { listing },
    media: MEDIA,
    body,
    answers: { 200: stored },
    codes: [...OWNER, "body_too_large", "validation_failed"],
  },
  {
    path: "/hub-picture/{listing}",
    operationId: "removePicture",
    method: "delete",
    tag: "hub",
    summary: "Remove the picture of a listing",
    description: "A repeated call does no harm.",
    callers: ["accessToken"],
    parameters: { listing },
    body,
    answers: { 200: stored },
    codes: OWNER,
  },
  {
    path: "/hub-picture/{id}/{sha256}",
    operationId: "getPicture",
    method: "get",
    tag: "hub",
    summary: "Show the picture of a listing",
    description: "For everybody who may see the listing. `picture` of a card is its `sha256`.",
    callers: ["guest", "accessToken"],
    parameters: {
      id: { description: "The id of a listing.", schema: { type: "string", format: "uuid" } },
      sha256: {
        description: "The hash of the picture.",
        schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
      },
    },
    body,
    answers: { 200: { description: "The picture.", media: MEDIA } },
    codes: COMMON,
  },
];
