import * as z from "zod/mini";
import type { ZodOpenApiMetadata } from "zod-openapi";

/** A JSON Schema, or a part of one. */
export type Schema = Record<string, unknown>;

/**
 * Adds a description to a contract for the document. Descriptions are not in the contracts themselves, because the functions would load
 * them. `rules` is merged into the schema; it states the rules that the contract checks in code.
 */
export function describe(contract: z.ZodMiniType, description: string, rules: Schema = {}): void {
  const earlier = z.globalRegistry.get(contract);
  z.globalRegistry.add(contract, {
    ...earlier,
    ...(description !== "" && { description }),
    ...(Object.keys(rules).length > 0 && { override: rules }),
  } as ZodOpenApiMetadata);
}

/** Adds descriptions to members of an object's contract, by name. */
export function describeMembers(
  { shape }: { shape: Record<string, z.core.$ZodType> },
  members: Record<string, string | [description: string, rules: Schema]>,
): void {
  for (const [name, said] of Object.entries(members)) {
    const [description, rules] = typeof said === "string" ? [said] : said;
    if (shape[name] === undefined) throw new Error(`no member ${name}`);
    describe(shape[name] as z.ZodMiniType, description, rules);
  }
}

/** Returns the contract inside an optional or nullable one. */
export function inside(contract: z.core.$ZodType): z.ZodMiniType {
  const { innerType } = contract._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? (contract as z.ZodMiniType) : inside(innerType);
}

/**
 * Returns a pattern for a text of 1 to `longest` characters. White space around the text is allowed. With `optional` the text may be empty.
 */
export function trimmed(longest: number, optional = false): string {
  const text = `\\S(?:[\\s\\S]{0,${longest - 2}}\\S)?`;
  return optional ? `^\\s*(?:${text})?\\s*$` : `^\\s*${text}\\s*$`;
}
