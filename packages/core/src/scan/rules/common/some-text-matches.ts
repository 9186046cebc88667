import { asText } from "../../interpreter/text/text.ts";
import { options, type Value } from "../../interpreter/value.ts";

/** Whether one of the possible strings of a value matches a pattern. */
export function someTextMatches(value: Value | undefined, pattern: RegExp): boolean {
  return value !== undefined && options(value).some((option) => pattern.test(asText(option).value.trim()));
}
