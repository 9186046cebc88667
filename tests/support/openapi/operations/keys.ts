import {
  leaseContract,
  noKeyCounts,
  previousContract,
  refusedReportContract,
  reportContract,
} from "../../../../packages/core/src/keys/contracts.ts";
import {
  anyNumber,
  leaseRequest,
  modelName,
  reportRequest,
} from "../../../../packages/core/src/keys/requests.ts";
import { describe, describeMembers, inside, type Schema } from "../describe.ts";
import type { Operation } from "../operation.ts";

/** A report with the status `fail` must have an error_code. */
const FAIL_HAS_CODE: Schema = {
  anyOf: [
    { properties: { status: { const: "success" } } },
    { properties: { error_code: { type: ["number", "string"] } }, required: ["error_code"] },
  ],
};

/** A report must name its lease, its key, or both. */
const LEASE_OR_KEY: Schema = {
  anyOf: [
    { properties: { lease_id: { type: "string" } }, required: ["lease_id"] },
    { properties: { key_id: { type: "string" } }, required: ["key_id"] },
  ],
};

describe(anyNumber, "", { type: "number" });
const letter = "[^\\s\\u0000-\\u001f\\u007f-\\u009f]";
describe(modelName, "", {
  type: "string",
  pattern: `^\\s*(?:[Mm][Oo][Dd][Ee][Ll][Ss]/)?${letter}(?:[^\\u0000-\\u001f\\u007f-\\u009f]{0,126}${letter})?\\s*$`,
});
describe(leaseRequest, "All members are optional; so is the body.");
describeMembers(leaseRequest, {
  provider: "Only keys of this provider, and keys without one, which serve any. Case does not count.",
  model:
    "The model that the key is for: keys whose limit for it is reached are passed over. Case and a leading `models/` do not count.",
  exclude: "Ids of keys that are skipped, unless no other key is left.",
  previous: "The report on an earlier lease, made first, in the same call.",
});
describe(inside(leaseRequest.shape.provider), "", { pattern: "^\\s*[A-Za-z0-9][A-Za-z0-9._-]{0,62}\\s*$" });
describe(inside(leaseRequest.shape.previous), "", FAIL_HAS_CODE);
describe(reportRequest, "The outcome of one call to the provider.", {
  allOf: [LEASE_OR_KEY, FAIL_HAS_CODE],
});
describeMembers(reportRequest, {
  lease_id: "The lease that the key came with. Only a report with the lease is counted exactly once.",
  key_id: "The key, where the lease is not known.",
  error_code:
    "Required with `fail`: an HTTP status, its text, `[429] any text`, or the name that gRPC, an SDK or a runtime gives the error.",
  retry_after: "The provider's hint: seconds, `34s`, `6m0s`, an HTTP-date or RFC 3339.",
  error_message: "The provider's body, best the whole one. It is never stored.",
  model: "The model that was called; without it that of the lease.",
  same_answer_as:
    "The lease of an earlier report, of another key, with the same answer: then the request is at fault, and the effect of that report is undone.",
});

describe(
  leaseContract,
  "A key, and the receipt for it. The lease is not exclusive, and nothing is given back.",
);
describeMembers(leaseContract, {
  api_key: "The provider's key in plain text.",
  model: "The requested model, in the form in which it is stored.",
  settings: "What the operator has stored with the key.",
  previous: "The result of `previous` of the request.",
});
describe(reportContract, "The state of the key after the report.");
describeMembers(reportContract, {
  outcome: "The class of the report.",
  effect: "What this report did to the key.",
  scope:
    "What the answer was about; null where it says nothing about a key. `state`, `blocked_until` and `consecutive_failures` are those of the model when it is `model`.",
  model: "The model that the report was about, when `scope` is `model`.",
  hint: "Present when a wait was named; says whether it set the end of the block.",
});
describe(refusedReportContract, "The report was refused and changes nothing; a key is leased nevertheless.");

/** The contracts by their names in the document. */
export const schemas = {
  LeaseRequest: leaseRequest,
  ReportRequest: reportRequest,
  Lease: leaseContract,
  ReportResult: reportContract,
  RefusedReport: refusedReportContract,
  PreviousResult: previousContract,
  UnavailableKeys: noKeyCounts,
};

const LEASE = "ea439bb7-5a50-48d8-963f-10e25aa8e350";

export const operations: readonly Operation[] = [
  {
    path: "/get-active-key",
    operationId: "getActiveKey",
    tag: "keys",
    summary: "Lease a key",
    description:
      "Leases one usable key of the caller's pool: by priority, then by how often it was used. With `previous` it reports on an earlier lease in the same call.",
    callers: ["agentToken", "accessToken"],
    body: { contract: leaseRequest, required: false, example: { provider: "openai" } },
    answers: { 200: { description: "A key.", contract: leaseContract } },
    codes: ["missing_credential", "unknown_provider", "keys_cooling_down", "no_active_key"],
  },
  {
    path: "/set-key-state",
    operationId: "setKeyState",
    tag: "keys",
    summary: "Report an outcome",
    description: "Takes the outcome of a call to the provider. The same report sent twice is a `duplicate`.",
    callers: ["agentToken", "accessToken"],
    body: {
      contract: reportRequest,
      required: true,
      example: { lease_id: LEASE, status: "fail", error_code: 429, retry_after: 30 },
    },
    answers: { 200: { description: "The state of the key after the report.", contract: reportContract } },
    codes: [
      "missing_credential",
      "key_not_found",
      "lease_not_found",
      "already_reported",
      "lease_key_mismatch",
    ],
  },
];
