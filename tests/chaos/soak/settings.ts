/** How long leases, reports and edits are mixed, in seconds; SOAK_SECONDS can only shorten it. */
export const MIXED_SECONDS = Math.min(60, seconds(60));

/** How long clients search while others hide listings, in seconds. */
export const DISCOVERY_SECONDS = Math.min(60, seconds(30));

function seconds(otherwise: number): number {
  const seconds = Number(process.env.SOAK_SECONDS ?? otherwise);
  if (!Number.isFinite(seconds) || seconds < 5) throw new Error("SOAK_SECONDS must be a number, at least 5");
  return seconds;
}

/** Prints a line of progress for a person. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
