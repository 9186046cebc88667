import { HIDDEN, SPELLED, type Value } from "../../interpreter/value.ts";

/** A text that is told only by decoding, which was not worked out. */
export function isCoded(value: Value): boolean {
  return (value.kind === "unknown" || value.kind === "text") && (value.taint & (HIDDEN | SPELLED)) !== 0;
}
