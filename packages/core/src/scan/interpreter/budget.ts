/**
 * The budget for following values, in characters. Each operation is charged for the characters that it reads or creates;
 * a step that reads none, for as many as can be copied in its time. There is one budget per checked location and one
 * for the file. A value past the budget is unknown, and a finding where it is called or requested.
 *
 * A scan never waits, so only one runs at a time and the budget is module state: an operation could forget to use a
 * parameter.
 */

/** One step; it takes some tenths of a microsecond. */
const STEP = 64;
/** For one location: enough to decode some hidden kilobytes; a plain expression takes about ten steps. */
const LOCATION = 20_000 * STEP;
/** For the whole file: some tenths of a second. A component of 512 KB takes about 15,000 steps, a dense bundle ten times that. */
const FILE = 400_000 * STEP;
/** The cost of a string value besides its characters. */
const VALUE = 24;
/** Strings up to this length are read even when nothing is left, so that a plain call is still recognised. */
const SHORT = 64;

/** How deep expressions may be nested; each level takes some stack. */
export const DEPTH = 160;

/** What is left for the file without the share of this location, and what is left of that share. */
let fileLeft = FILE - LOCATION;
let locationLeft = LOCATION;

/** Starts a new file. */
export function resetBudget(): void {
  fileLeft = FILE - LOCATION;
  locationLeft = LOCATION;
}

/** Starts a new location: the rest of the previous share returns to the file, overspending is deducted. */
export function startLocation(): void {
  fileLeft += locationLeft;
  locationLeft = Math.max(0, Math.min(LOCATION, fileLeft));
  fileLeft -= locationLeft;
}

/** Charges steps; false when nothing is left. */
export function chargeSteps(steps: number): boolean {
  locationLeft -= steps * STEP;
  return locationLeft > 0;
}

/** Charges characters that are read or created; false when nothing is left. */
export function charge(characters: number): boolean {
  locationLeft -= characters;
  return locationLeft > 0;
}

/** Charges a string that is read; false when nothing is left and the string is not short. */
export function chargeText(length: number): boolean {
  locationLeft -= length + VALUE;
  return locationLeft > 0 || length <= SHORT;
}

/** Whether the file's budget is used up, so that the last location was not fully checked. */
export function isExhausted(): boolean {
  return fileLeft + locationLeft <= 0;
}
