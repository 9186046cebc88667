import type { Audit } from "./audit.ts";
import { answersOf, type DemoRecord, MEANINGS, type Meaning, sum } from "./record.ts";

/** Returns the line of totals under the table. */
export function totals(record: DemoRecord): string {
  const seen = MEANINGS.map(([meaning]) => `${meaning} ${record.answers(meaning)}`);
  return [...seen, `waits ${record.waits}`, `${record.leases} leases`, `${record.wrong} wrong`].join(" · ");
}

/**
 * Returns the result of the run as lines, with everything that went wrong. The errors are the provider's own counts, because callers of the
 * gateway see only the final answer, not the errors before it.
 */
export function summarize(record: DemoRecord, audit: Audit): string[] {
  const { wrong, leases, wronglyDisabled, mismatches, provided, limited, servedBeside, blaming, liedAbout } =
    audit;
  const count = (meaning: Meaning) => sum(provided, (counts) => answersOf(counts, meaning));
  const served = record.answers("served");
  const gateway = answersOf(record.byGateway, "served");
  return [
    `calls served            ${served}, ${(served / Math.max(record.seconds(), 0.001)).toFixed(1)} a second: ${served - gateway} by keyhub.fetch, ${gateway} through the gateway`,
    `provider errors         ${count("limits")} × rate limit, ${count("dead")} × revoked, ${count("faults")} × fault`,
    `improper prompts        ${count("refused")} refused; ${blaming} of them blocked a key for others`,
    `one model limited       ${limited} times; the keys served ${servedBeside} calls for the other model meanwhile`,
    `blocks by lying agent   ${liedAbout} left after the operator undid its reports`,
    `pages of a proxy        ${count("pages")} × 403 in HTML: no news of a key`,
    `no key free             ${record.waits} times; agents waited ${record.waitedSeconds.toFixed(1)} s in all`,
    `leases                  ${record.leases} seen by the agents, ${record.attempts} calls of the gateway, ${leases} in the log`,
    `wrong leases            ${record.wrong} seen by the agents, ${wrong} in the log`,
    `good keys disabled      ${[wronglyDisabled.length, ...wronglyDisabled].join(" ")}`,
    `books that disagree     ${mismatches.length} (usage_count, log and provider key by key; agents in all)`,
    ...mismatches.map((mismatch) => `  ${mismatch}`),
    ...Object.entries(record.faults).map(([what, times]) => `fault of the service    ${times} × ${what}`),
  ];
}

const FEW_RESTS = 5;

/** Returns whether the run served calls and nothing went wrong. */
export function isClean(record: DemoRecord, audit: Audit): boolean {
  const { wrong, wronglyDisabled, mismatches, limited, servedBeside, blaming, liedAbout } = audit;
  const faults = record.wrong + wrong + wronglyDisabled.length + mismatches.length + blaming + liedAbout;
  // When keys were blocked for only one model just a few times, it is no fault that they served no call for the other model meanwhile.
  return faults === 0 && record.answers("served") > 0 && (limited < FEW_RESTS || servedBeside > 0);
}
