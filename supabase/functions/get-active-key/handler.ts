import type { LeaseRequest, Parsed } from "@keyhub/core/lease-request";
import { type ProblemCode, problem } from "@keyhub/core/problem";
import type { Keyring } from "@keyhub/core/seal";
import { type Caller, identifyCaller } from "../_shared/caller.ts";
import type { Args, Batch, Database } from "../_shared/database.ts";
import { type Answer, endpoint, KEY_BODY_BYTES, type Refusal } from "../_shared/http.ts";
import { interpretReport } from "../_shared/report.ts";
import { type Lease, leaseAnswer, type None, noKey } from "./answers.ts";
import type { OpenedKeys } from "./opened-keys.ts";

export interface Dependencies {
  database: Database;
  keyring: () => Promise<Keyring>;
  opened: OpenedKeys;
  /** A number in [0, 1), for the spread of cooldowns. */
  random: () => number;
}

/** POST get-active-key: one eligible key of the caller's pool, or a 503 that says whether waiting helps. */
export function getActiveKey(dependencies: Dependencies): (request: Request) => Promise<Response> {
  const { database, keyring } = dependencies;
  const door = {
    name: "get-active-key",
    maxBytes: KEY_BODY_BYTES,
    identify: (request: Request) => identifyCaller(request, database),
  };
  return endpoint(door, async ({ caller, body }) => {
    const parsed = await readRequest(body);
    if (!parsed.ok) return { problem: problem("validation_failed", { errors: parsed.faults }) };

    const { provider, exclude, previous } = parsed.value;
    const ring = await keyring();
    // What is not said needs not be read, by three programs on the way.
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

/** A body that asks for nothing needs no contract, whose library would be a sixth of a cold start. */
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
 * Leases a key and opens it. What asks for the same may be made as one; `leased` is the answer of a first try that has been
 * made already.
 */
async function lease(
  { database, opened }: Dependencies,
  { open }: Keyring,
  args: Args,
  together: boolean,
  leased?: Lease | None,
): Promise<Answer> {
  let answer = leased;
  let unopened: string | undefined;
  for (;;) {
    if (answer === undefined || Object(answer).retry) {
      const asked: Args = { ...args, release_lease_id: unopened };
      const before = answer === undefined ? 0 : 1;
      const called = await database.callRpc(
        "lease_api_key",
        (attempt) => ({ ...asked, attempt: attempt + before || undefined }),
        together ? batchOf(asked) : undefined,
      );
      if ("problem" in called) return called;
      answer = called.data as Lease | None;
    }
    if (!answer.leased) return noKey(answer);

    const remembered = opened.get(answer);
    if (remembered !== undefined) return leaseAnswer(answer, remembered);
    const apiKey = await open(answer.api_key_encrypted, answer.user_id);
    if (apiKey !== null) {
      opened.set(answer, apiKey);
      return leaseAnswer(answer, apiKey);
    }
    // It cannot be opened: give the lease back, have the key flagged, take the next. Each turn flags one.
    unopened = answer.lease_id;
    answer = undefined;
  }
}

/** Calls that ask for the same may be made as one. */
function batchOf(asked: Args): Batch {
  return {
    name: "lease_api_key",
    group: JSON.stringify(asked),
    args: ({ length }) => ({ ...asked, calls: length }),
  };
}

/** What a report is refused for, which is no reason to refuse the lease. */
const OF_THE_REPORT: ProblemCode[] = ["lease_not_found", "already_reported"];

/** What became of the report; `leased`: the lease that was tried with it. */
type First = { previous: unknown; leased?: Lease | None } | { refused: Refusal };

/** Reports the earlier lease and asks for a key in one transaction. A refused report has done nothing; a key is to be had all the same. */
async function reportFirst(
  { database, random }: Dependencies,
  caller: Caller,
  args: Args,
  { leaseId, ...told }: NonNullable<LeaseRequest["previous"]>,
): Promise<First> {
  const key = { lease_id: leaseId };
  const read = await interpretReport(database, caller, key, told, random());
  if ("problem" in read) return { refused: read };
  const report = { ...key, ...read.report };
  const called = await database.callRpc("report_and_lease", { ...args, report });
  if ("problem" in called) {
    return OF_THE_REPORT.includes(called.problem.code)
      ? { previous: { problem: called.problem } }
      : { refused: called };
  }
  const { reported, lease: leased } = called.data as { reported: unknown; lease: Lease | None };
  return { previous: reported, leased };
}

/** Each with its own result, also where no key was to be had. */
function withPrevious(answer: Answer, previous: unknown): Answer {
  return "problem" in answer
    ? { ...answer, problem: { ...answer.problem, previous } }
    : { ...answer, body: { ...Object(answer.body), previous } };
}
