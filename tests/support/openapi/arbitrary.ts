import fc from "fast-check";
import type { Schema } from "./describe.ts";
import { document } from "./schemas.ts";

/**
 * Generates JSON values that fit a schema of the document. It first merges one choice of anyOf and the rules of allOf into the schema, so
 * that hardly any generated value has to be discarded.
 */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, allOf, ...rest } = schema as Schema & { anyOf?: Schema[]; allOf?: Schema[] };
  if (typeof $ref === "string")
    return fitting(document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  if (anyOf !== undefined)
    return fc.oneof(...anyOf.map((choice) => fitting(merged({ ...rest, allOf }, choice))));
  const [rule, ...rules] = allOf ?? [];
  if (rule !== undefined) {
    const { anyOf: choices = [rule] } = rule as { anyOf?: Schema[] };
    return fc.oneof(...choices.map((choice) => fitting(merged({ ...rest, allOf: rules }, choice))));
  }
  return plain(rest);
}

function merged(schema: Schema, rule: Schema): Schema {
  const members = { ...(schema.properties as Record<string, Schema>) };
  // A rule with $ref or anyOf replaces the member's schema; any other rule narrows the member's schema.
  for (const [name, said] of Object.entries((rule.properties ?? {}) as Record<string, Schema>))
    members[name] = "$ref" in said || "anyOf" in said ? said : narrowed(members[name] ?? {}, said);
  const required = [...((schema.required ?? []) as string[]), ...((rule.required ?? []) as string[])];
  return { ...schema, ...rule, allOf: schema.allOf, properties: members, required };
}

/** Returns the member's schema with only those types that a rule allows. */
function narrowed(member: Schema, rule: Schema): Schema {
  const { anyOf, ...rest } = member as Schema & { anyOf?: Schema[] };
  const kept = anyOf?.find(({ type }) => type === rule.type);
  return { ...rest, ...(kept ?? (anyOf && rule.type === undefined ? { anyOf } : {})), ...rule };
}

const ANY = fc.jsonValue({ maxDepth: 2 });

function plain(schema: Schema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => plain({ ...schema, type })));
  switch (schema.type) {
    case "object":
      return object(schema);
    case "array":
      return fc.array(fitting((schema.items ?? {}) as Schema), {
        maxLength: Math.min(3, Number(schema.maxItems ?? 3)),
      });
    case "string":
      return text(schema);
    case "integer": {
      const least = Number(schema.minimum ?? -9);
      return fc.integer({ min: least, max: Math.min(least + 18, Number(schema.maximum ?? least + 18)) });
    }
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return ANY;
  }
}

function object({ properties, required, additionalProperties }: Schema): fc.Arbitrary<unknown> {
  if (properties === undefined) return fc.dictionary(fc.string(), ANY, { maxKeys: 3 });
  const members = Object.entries(properties as Record<string, Schema>);
  const named = fc.record(Object.fromEntries(members.map(([name, member]) => [name, fitting(member)])), {
    requiredKeys: (required ?? []) as string[],
  });
  if (additionalProperties === false) return named;
  return fc
    .tuple(fc.dictionary(fc.string(), ANY, { maxKeys: 2 }), named)
    .map(([more, those]) => ({ ...more, ...those }));
}

function text({ format, pattern, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  // A short text is enough, and hundreds of repetitions are slow to generate.
  const short = String(pattern ?? "").replace(/\{0,\d{3,}\}/g, "{0,20}");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(short, "u"), { size: "small" });
  return fc.string({ unit: "grapheme", maxLength: Math.min(30, Number(maxLength ?? 30)) });
}

/** Generates values with one member or element replaced, removed or added; one value in ten is any JSON. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const changed = fc
    .tuple(values, fc.nat(), fc.constantFrom("replace", "remove", "add"), fc.string(), ANY)
    .map(([value, place, how, name, other]) => change(structuredClone(value), place, how, name, other));
  return fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: ANY });
}

function change(value: unknown, place: number, how: string, name: string, other: unknown): unknown {
  const holders = holdersIn(value);
  const holder = holders[place % Math.max(1, holders.length)];
  if (holder === undefined) return other;
  const keys = Object.keys(holder);
  const key = keys[place % Math.max(1, keys.length)];
  if (how === "add" || key === undefined) holder[Array.isArray(holder) ? String(keys.length) : name] = other;
  else if (how === "replace") holder[key] = other;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return value;
}

/** Returns every object and list inside a value. */
function holdersIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(holdersIn)];
}
