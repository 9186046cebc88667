import type * as z from "zod/mini";
import type { Fault } from "./problem.ts";

/** The result of reading a request: the value, or at most FAULTS faults. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

/** The most faults that an answer lists. When every element of a list is wrong, the first hundred faults are enough. */
const FAULTS = 100;

/** Returns the result for a request with faults. Only the first hundred faults are kept. */
export function refused(faults: readonly Fault[]): { ok: false; faults: Fault[] } {
  return { ok: false, faults: faults.slice(0, FAULTS) };
}

/** Turns zod's issues into faults. The messages are written here, not by zod, so that they never repeat a value of the request. */
export function faultsOf(issues: readonly z.core.$ZodIssue[], input: unknown): Fault[] {
  const ofWrongType = new Set(
    issues.filter((issue) => issue.code === "invalid_type").map((issue) => issue.path.join(".")),
  );
  // For a value of the wrong type, only the type is reported, because the other checks of the value assume the right type.
  const telling = issues.filter(
    (issue) => issue.code === "invalid_type" || !ofWrongType.has(issue.path.join(".")),
  );
  return telling.map((issue) => {
    const path = issue.path.map(String).join(".");
    if (valueAt(input, issue.path) === undefined && issue.path.length > 0) {
      return { path, code: "required", message: "is required" };
    }
    return { path, code: issue.code, message: describe(issue) };
  });
}

/**
 * Turns zod's issues for a strict contract into faults, as faultsOf does. Each unknown field becomes one fault. A field name that
 * is not a plain word appears as `?`, so that no other text of the request is repeated.
 */
export function strictFaultsOf(issues: readonly z.core.$ZodIssue[], input: unknown): Fault[] {
  const others = issues.filter((issue) => issue.code !== "unrecognized_keys");
  const unknown = issues
    .filter((issue) => issue.code === "unrecognized_keys")
    .flatMap((issue) =>
      issue.keys.map((key) => ({
        path: [...issue.path.map(String), /^[a-z_]{1,40}$/i.test(key) ? key : "?"].join("."),
        code: "unknown_field",
        message: "is not a field of this request",
      })),
    );
  return [...faultsOf(others, input), ...unknown];
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${article(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_format":
      return issue.format === "guid" ? "must be a uuid" : "has characters that are not allowed";
    case "invalid_union":
      return "must be a number or a string";
    case "too_big":
      return `must be at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    case "too_small":
      return `must be at least ${issue.minimum}${issue.origin === "string" ? " characters" : ""}`;
    default:
      return "is not valid";
  }
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
