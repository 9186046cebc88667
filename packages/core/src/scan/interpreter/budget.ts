/**
 * What following values may cost, in characters: each operation pays for the characters it reads or makes, and a step
 * that reads none for as many as are copied in its time. One budget for a place, one for the file. What is past it is
 * unknown, and a finding where it is called or requested.
 *
 * The scan does not wait for anything, so one runs at a time, and the budget is this module's own: an operation that
 * had to be handed it could be written without.
 */

/** A step, which takes some tenths of a microsecond. */
const STEP = 64;
/** Enough to decode some kilobytes hidden in one place; a plain expression takes some ten steps. */
const PLACE = 20_000 * STEP;
/** For the whole file: some tenths of a second. A component of 512 KB takes some 15,000 steps, a dense bundle ten times that. */
const FILE = 400_000 * STEP;
/** What makes a value takes this much besides its characters. */
const VALUE = 24;
/** Texts up to this length are read even when nothing is left, so that a plain call is still told for what it is. */
const SHORT = 64;

/** Expressions inside one another; each takes some stack. */
export const DEPTH = 160;

/** What the file has left besides what this place was given, and what the place has left of that. */
let file = FILE - PLACE;
let place = PLACE;

/** Begins with a new file. */
export function resetBudget(): void {
  file = FILE - PLACE;
  place = PLACE;
}

/** Begins with a new place: what the one before it has left, or took too much, goes back to the file. */
export function refuel(): void {
  file += place;
  place = Math.max(0, Math.min(PLACE, file));
  file -= place;
}

/** Pays for steps; false when nothing is left. */
export function spend(steps: number): boolean {
  place -= steps * STEP;
  return place > 0;
}

/** Pays for characters that are read or made; false when nothing is left. */
export function pay(characters: number): boolean {
  place -= characters;
  return place > 0;
}

/** Pays for a text that is read; false when nothing is left and it is not short. */
export function payForText(length: number): boolean {
  place -= length + VALUE;
  return place > 0 || length <= SHORT;
}

/** Whether the file's budget is gone, so that what came last was not looked at. */
export function isSpent(): boolean {
  return file + place <= 0;
}
