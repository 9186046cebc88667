import type { LeaseRequest, Parsed } from "@keyhub/core/key-requests";
import { type ProblemCode, problem } from "@keyhub/core/problem";
import type { Keyring } from "@keyhub/core/seal";
import { identifyCaller } from "../_shared/caller.ts";
import type { Args, Database } from "../_shared/database.ts";
import { endpoint, KEY_BODY_BYTES, type Refusal, type Reply } from "../_shared/http.ts";
import { type LeaseAnswer, leaseKey, noKeyProblem, type OpenedKeys } from "../_shared/lease.ts";
import { interpretReport } from "../_shared/report.ts";

export interface Dependencies {
  database: Database;
  keyring: () => Promise<Keyring>;
  opened: OpenedKeys;
  /** A number in [0, 1), for the jitter of cooldowns. */
  random: () => number;
}

/** POST get-active-key: leases one eligible key of the caller's pool, or answers with a 503 that says whether waiting helps. */
export function getActiveKey(dependencies: Dependencies): (request: Request) => Promise<Response> {
  const { database, keyring } = dependencies;
  const options = {
    name: "get-active-key",
    maxBytes: KEY_BODY_BYTES,
    identify: (request: Request) => identifyCaller(request, database),
  };
  return endpoint(options, async ({ caller, body }) => {
    const parsed = await readRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };

    const { provider, model, exclude, previous } = parsed.value;
    const ring = await keyring();
    // Undefined members are left out of the JSON, which gives the client, PostgREST and SQL less to parse.
    const args: Args = {
      ...caller,
      live_kids: ring.kids,
      provider: provider ?? undefined,
      model: model ?? undefined,
      exclude: exclude.length > 0 ? exclude : undefined,
    };
    if (previous === null) return lease(dependencies, ring, args, exclude.length === 0);

    const first = await reportFirst(dependencies, args, previous);
    if ("refused" in first) return first.refused;
    const answer = await lease(dependencies, ring, args, false, first.answer);
    return withPrevious(answer, first.previous);
  });
}

/** Reads the request. An empty body is not parsed, because loading zod would take a sixth of a cold start. */
async function readRequest(body: unknown): Promise<Parsed<LeaseRequest>> {
  if (body === undefined || isEmpty(body))
    return { ok: true, value: { provider: null, model: null, exclude: [], previous: null } };
  const { parseLeaseRequest } = await import("@keyhub/core/key-requests");
  return parseLeaseRequest(body);
}

function isEmpty(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

async function lease(
  dependencies: Dependencies,
  ring: Keyring,
  args: Args,
  mayBatch: boolean,
  first?: LeaseAnswer,
): Promise<Reply> {
  const got = await leaseKey(dependencies, ring, args, mayBatch, first);
  if ("problem" in got) return got;
  if ("noKey" in got) return { problem: noKeyProblem(got.noKey) };
  // The caller gets the opened key, but not the members that only the function needs.
  const { kind: _, api_key_encrypted, fingerprint, user_id, generation, ...answer } = got.lease;
  return { status: 200, body: { ...answer, api_key: got.apiKey } };
}

/** Refusals that concern only the report: the caller still gets a lease. */
const REPORT_REFUSALS: ProblemCode[] = ["lease_not_found", "already_reported"];

/** The result of the report, and the lease that was made in the same transaction. */
type ReportedAndLeased = { previous: unknown; answer?: LeaseAnswer } | { refused: Refusal };

/**
 * Reports the earlier lease and leases a key in one transaction. If the report is refused with a code of REPORT_REFUSALS, nothing has
 * changed, and getActiveKey then leases a key without a report.
 */
async function reportFirst(
  { database, random }: Dependencies,
  args: Args,
  { leaseId, ...outcome }: NonNullable<LeaseRequest["previous"]>,
): Promise<ReportedAndLeased> {
  const report = { lease_id: leaseId, ...(await interpretReport(outcome, random())) };
  const called = await database.callRpc("report_and_lease", { ...args, report });
  if ("problem" in called) {
    return REPORT_REFUSALS.includes(called.problem.code)
      ? { previous: { problem: called.problem } }
      : { refused: called };
  }
  const { reported, lease: answer } = called.data as { reported: unknown; lease: LeaseAnswer };
  return { previous: reported, answer };
}

/** Adds the result of the report to the answer, even when no key was leased. */
function withPrevious(reply: Reply, previous: unknown): Reply {
  return "problem" in reply
    ? { ...reply, problem: { ...reply.problem, previous } }
    : { ...reply, body: { ...Object(reply.body), previous } };
}
