/** The seconds in which leases, reports and edits are mixed: 60, or fewer with SOAK_SECONDS. */
export const MIXED_SECONDS = Math.min(60, seconds(60));

/** The seconds in which clients search while others hide listings: 30, or up to 60 with SOAK_SECONDS. */
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
