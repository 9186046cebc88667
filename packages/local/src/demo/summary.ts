import type { Audit } from "./audit.ts";
import { type RunRecord, type StatusCounts, sum } from "./record.ts";

/** The provider's answers as they are counted. */
const kinds = {
  limits: ["429"],
  dead: ["400", "401", "403"],
  faults: ["500", "503", "529"],
  pages: ["403 page", "502 page"],
};

/** The line of totals under the table. */
export function totals(record: RunRecord): string {
  const seen = Object.entries(kinds).map(([name, list]) => `${name} ${record.answers(...list)}`);
  return [
    `${record.answers("200")} served`,
    ...seen,
    `waits ${record.waits}`,
    `${record.leases()} leases`,
    `${record.wrong} wrong`,
  ].join(" · ");
}

/**
 * The result of the run as lines, with everything that went wrong. The provider itself counts its errors, because callers of the
 * gateway do not see the errors that the gateway got before their answer.
 */
export function summarize(
  record: RunRecord,
  { wrong, leases, mismatches }: Audit,
  provided: StatusCounts[],
): string[] {
  const count = (...wanted: string[]) => sum(provided, (one) => sum(wanted, (kind) => one[kind] ?? 0));
  const known = count("200", ...Object.values(kinds).flat());
  const others = sum(provided, (one) => sum(Object.values(one), (n) => n)) - known;
  const { answers, attempts } = record.gateway;
  const gateway = answers["200"] ?? 0;
  const lines = [
    `calls served            ${record.answers("200")}, ${(record.answers("200") / Math.max(record.seconds(), 0.001)).toFixed(1)} a second: ${record.answers("200") - gateway} by keyhub.fetch, ${gateway} through the gateway`,
    `provider errors         ${count(...kinds.limits)} × rate limit, ${count(...kinds.dead)} × revoked, ${count(...kinds.faults)} × fault`,
    `pages of a proxy        ${count(...kinds.pages)} × 403 or 502 in HTML: no news of a key`,
    `no key free             ${record.waits} times; agents waited ${record.waitedSeconds.toFixed(1)} s in all`,
    `leases                  ${record.leases()} seen by the agents, ${attempts} calls of the gateway, ${leases} in the log; ${latency(record.leaseMs)}`,
    `wrong leases            ${record.wrong} seen by the agents, ${wrong} in the log`,
    `good keys disabled      ${record.wronglyDisabled.size}${[...record.wronglyDisabled].map((name) => ` ${name}`).join("")}`,
    `books that disagree     ${mismatches.length} (usage_count, log, agents, provider; key by key)`,
    ...mismatches.map((mismatch) => `  ${mismatch}`),
  ];
  if (others > 0) lines.push(`other provider answers  ${others}`);
  for (const [what, count] of record.faults) lines.push(`fault of the service    ${count} × ${what}`);
  return lines;
}

/** Whether nothing went wrong. */
export function isClean(record: RunRecord, audit: Audit): boolean {
  const faults = record.wrong + audit.wrong + record.wronglyDisabled.size + audit.mismatches.length;
  return faults === 0 && record.answers("200") > 0;
}

/** Half of the leases took no longer than p50, 95 of 100 no longer than p95. */
function latency(samples: number[]): string {
  const sorted = [...samples].sort((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `get-active-key p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
