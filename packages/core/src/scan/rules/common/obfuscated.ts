import { CHARWISE, HIDDEN, type Value } from "../../interpreter/value.ts";

/** A string that must be decoded, which the scan could not do. */
export function isObfuscated(value: Value): boolean {
  return (value.kind === "unknown" || value.kind === "text") && (value.taint & (HIDDEN | CHARWISE)) !== 0;
}
