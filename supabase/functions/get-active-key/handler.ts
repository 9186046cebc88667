import type { LeaseRequest, Parsed } from "@keyhub/core/lease-request";
import { type ProblemCode, problem } from "@keyhub/core/problem";
import type { Keyring } from "@keyhub/core/seal";
import { type Caller, identifyCaller } from "../_shared/caller.ts";
import type { Args, Batch, Database } from "../_shared/database.ts";
import { type Answer, endpoint, KEY_BODY_BYTES, type Refusal } from "../_shared/http.ts";
import { interpretReport } from "../_shared/report.ts";
import { type Lease, leaseAnswer, type NoKey, noKey } from "./answers.ts";
import type { OpenedKeys } from "./opened-keys.ts";

export interface Dependencies {
  database: Database;
  keyring: () => Promise<Keyring>;
  opened: OpenedKeys;
  /** A number in [0, 1), for the jitter of cooldowns. */
  random: () => number;
}

/** POST get-active-key: one eligible key of the caller's pool, or a 503 that says whether waiting helps. */
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

    const { provider, exclude, previous } = parsed.value;
    const ring = await keyring();
    // Undefined members are left out of the JSON: less to parse for the client, PostgREST and SQL.
    const args: Args = {
      ...caller,
      live_kids: ring.kids,
      provider: provider ?? undefined,
      exclude: exclude.length > 0 ? exclude : undefined,
    };
    if (previous === null) return lease(dependencies, ring, args, exclude.length === 0);

    const first = await reportFirst(dependencies, caller, args, previous);
    if ("refused" in first) return first.refused;
    const answer = await lease(dependencies, ring, args, false, first.leased);
    return withPrevious(answer, first.previous);
  });
}

/** An empty body needs no contract: loading zod would be a sixth of a cold start. */
async function readRequest(body: unknown): Promise<Parsed<LeaseRequest>> {
  if (body === undefined || isEmpty(body))
    return { ok: true, value: { provider: null, exclude: [], previous: null } };
  const { parseLeaseRequest } = await import("@keyhub/core/lease-request");
  return parseLeaseRequest(body);
}

function isEmpty(body: unknown): boolean {
  return typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

/**
 * Leases a key and opens it. With `mayBatch`, calls with equal arguments may share one RPC. `leased` is the answer of an
 * attempt that report_and_lease has already made.
 */
async function lease(
  { database, opened }: Dependencies,
  { open }: Keyring,
  args: Args,
  mayBatch: boolean,
  leased?: Lease | NoKey,
): Promise<Answer> {
  let answer = leased;
  let unopened: string | undefined;
  for (;;) {
    if (answer === undefined || Object(answer).retry) {
      const leaseArgs: Args = { ...args, release_lease_id: unopened };
      const before = answer === undefined ? 0 : 1;
      const called = await database.callRpc(
        "lease_api_key",
        (attempt) => ({ ...leaseArgs, attempt: attempt + before || undefined }),
        mayBatch ? batchOf(leaseArgs) : undefined,
      );
      if ("problem" in called) return called;
      answer = called.data as Lease | NoKey;
    }
    if (!answer.leased) return noKey(answer);

    const remembered = opened.get(answer);
    if (remembered !== undefined) return leaseAnswer(answer, remembered);
    const apiKey = await open(answer.api_key_encrypted, answer.user_id);
    if (apiKey !== null) {
      opened.set(answer, apiKey);
      return leaseAnswer(answer, apiKey);
    }
    // The key cannot be opened: the next call releases this lease, and SQL flags the key. So each round flags one key.
    unopened = answer.lease_id;
    answer = undefined;
  }
}

/** Calls with equal arguments may share a batch. */
function batchOf(args: Args): Batch {
  return {
    name: "lease_api_key",
    group: JSON.stringify(args),
    args: ({ length }) => ({ ...args, calls: length }),
  };
}

/** Refusals of the report alone: the caller still gets a lease. */
const REPORT_REFUSALS: ProblemCode[] = ["lease_not_found", "already_reported"];

/** The result of the report, and the lease that was made in the same transaction. */
type ReportedAndLeased = { previous: unknown; leased?: Lease | NoKey } | { refused: Refusal };

/** Reports the earlier lease and leases a key in one transaction. A refused report changes nothing; a key is leased all the same. */
async function reportFirst(
  { database, random }: Dependencies,
  caller: Caller,
  args: Args,
  { leaseId, ...outcome }: NonNullable<LeaseRequest["previous"]>,
): Promise<ReportedAndLeased> {
  const key = { lease_id: leaseId };
  const read = await interpretReport(database, caller, key, outcome, random());
  if ("problem" in read) return { refused: read };
  const report = { ...key, ...read.report };
  const called = await database.callRpc("report_and_lease", { ...args, report });
  if ("problem" in called) {
    return REPORT_REFUSALS.includes(called.problem.code)
      ? { previous: { problem: called.problem } }
      : { refused: called };
  }
  const { reported, lease: leased } = called.data as { reported: unknown; lease: Lease | NoKey };
  return { previous: reported, leased };
}

/** Adds the result of the report to the answer, also when no key was leased. */
function withPrevious(answer: Answer, previous: unknown): Answer {
  return "problem" in answer
    ? { ...answer, problem: { ...answer.problem, previous } }
    : { ...answer, body: { ...Object(answer.body), previous } };
}
