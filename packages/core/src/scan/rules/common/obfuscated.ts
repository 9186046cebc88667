import { HIDDEN, SPELLED, type Value } from "../../interpreter/value.ts";

/** A string that must be decoded, which the scan could not do. */
export function isCoded(value: Value): boolean {
  return (value.kind === "unknown" || value.kind === "text") && (value.taint & (HIDDEN | SPELLED)) !== 0;
}
