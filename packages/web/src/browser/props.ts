/** Returns props for the preview of a component: the examples and defaults of the schema, or else values of the right types. */
export function exampleProps(schema: unknown): Record<string, unknown> {
  const value = exampleOf(schema, 0);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** The greatest depth of a schema that is read. Deeper values are null. */
const DEEPEST = 6;

function exampleOf(schema: unknown, depth: number): unknown {
  if (typeof schema !== "object" || schema === null || depth > DEEPEST) return null;
  const {
    type,
    properties,
    items,
    examples,
    example,
    default: preset,
    enum: choices,
    const: fixed,
  } = schema as Record<string, unknown>;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  for (const given of [example, preset, fixed]) if (given !== undefined) return given;
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  const kind = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  switch (kind) {
    case "string":
      return "Example";
    case "number":
    case "integer":
      return 42;
    case "boolean":
      return true;
    case "array":
      return items === undefined ? [] : [exampleOf(items, depth + 1)];
    default:
      // A schema without a type is read as an object.
      return Object.fromEntries(
        Object.entries((properties as Record<string, unknown>) ?? {})
          .slice(0, 100)
          .map(([name, one]) => [name, exampleOf(one, depth + 1)]),
      );
  }
}
