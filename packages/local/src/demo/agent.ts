import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailure } from "../cli/command.ts";
import type { Fault, Keyhub, Lease, Report } from "./keyhub.ts";
import type { RunRecord } from "./record.ts";
import type { Referee } from "./referee.ts";

export interface AgentOptions {
  keyhub: Keyhub;
  upstreamUrl: string;
  record: RunRecord;
  referee: Referee;
  /** Keys that the agents know to be cooling, for the news. */
  cooling: Set<string>;
  /** Ends the work. A call that has begun is finished, so that every lease is reported. */
  signal: AbortSignal;
}

/** After so many failures of the service in a row an agent gives up. */
const MAX_FAULTS = 10;
/** Pause after a fault, in milliseconds. */
const FAULT_PAUSE_MS = 250;
/** An agent's own work between two calls, in milliseconds. */
const THINKING_MS = 250;

/** One agent: leases a key, calls the provider with it and reports, until it is stopped. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { keyhub, record, referee, signal } = options;
  let faults = 0;
  while (!signal.aborted) {
    const begunAt = performance.now();
    const answer = await keyhub.getActiveKey();
    if (answer.kind === "fault") {
      if (answer.lost) record.lost += 1;
      faults = await bear(answer, faults, options);
    } else if (answer.kind === "wait") {
      faults = 0;
      await waitForKeys(answer.seconds, options);
    } else {
      faults = 0;
      const { lease } = answer;
      record.leaseMs.push(performance.now() - begunAt);
      record.key(lease.key_id).leases += 1;
      if (referee.isWrong(lease, begunAt)) {
        record.wrong += 1;
        record.tell(`${lease.key_name} was leased in spite of its block`);
      } else if (options.cooling.delete(lease.key_id)) record.tell(`${lease.key_name} is back`);
      await report(await callProvider(lease, options), lease, options);
      await pause(THINKING_MS * (0.5 + Math.random()), signal);
    }
  }
}

async function waitForKeys(seconds: number, { record, signal }: AgentOptions): Promise<void> {
  record.waits += 1;
  record.tell("no key is free: an agent waits, as Retry-After says");
  const from = performance.now();
  await pause(seconds * 1000, signal);
  record.waitedSeconds += (performance.now() - from) / 1000;
}

async function callProvider(lease: Lease, { upstreamUrl, record }: AgentOptions): Promise<Report> {
  const { lease_id } = lease;
  const { answers } = record.key(lease.key_id);
  try {
    const response = await fetch(upstreamUrl, {
      method: "POST",
      headers: { Authorization: `Bearer ${lease.api_key}` },
    });
    const body = await response.text();
    const isPage = response.headers.get("content-type")?.startsWith("text/html");
    const kind = `${response.status}${isPage ? " page" : ""}`;
    answers[kind] = (answers[kind] ?? 0) + 1;
    if (response.ok) return { lease_id, status: "success" };
    const retryAfter = response.headers.get("retry-after");
    return {
      lease_id,
      status: "fail",
      error_code: response.status,
      // The raw answer: the service classifies it.
      error_message: body,
      ...(retryAfter === null ? {} : { retry_after: retryAfter }),
    };
  } catch {
    answers.none = (answers.none ?? 0) + 1;
    return { lease_id, status: "fail", error_code: "network" };
  }
}

/** Sends a report until it is answered. The lease id makes it idempotent. */
async function report(told: Report, lease: Lease, options: AgentOptions): Promise<void> {
  for (let faults = 0; ; ) {
    const answer = await options.keyhub.setKeyState(told);
    if (answer.kind === "fault") {
      faults = await bear(answer, faults, options);
      continue;
    }
    const { reported } = answer;
    options.referee.hear(reported, performance.now());
    if (options.referee.isGoodKeyLost(reported)) options.record.wronglyDisabled.add(lease.key_name);
    if (reported.effect === "cooled") {
      options.cooling.add(lease.key_id);
      const wait = told.retry_after === undefined ? "" : ` (Retry-After ${told.retry_after} s)`;
      options.record.tell(`${lease.key_name} got ${told.error_code}${wait} and cools down`);
    }
    if (reported.effect === "disabled")
      options.record.tell(`${lease.key_name} got ${told.error_code}: out for good`);
    return;
  }
}

/** Records a failure and waits a little; returns how many there were in a row. */
async function bear(fault: Fault, before: number, { record }: AgentOptions): Promise<number> {
  record.fault(fault.what);
  if (before + 1 >= MAX_FAULTS) throw new CommandFailure(`the stack does not serve any more: ${fault.what}`);
  await sleep(FAULT_PAUSE_MS);
  return before + 1;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
