import type * as t from "@babel/types";
import { definitionOf } from "./definition.ts";
import type { Tracer } from "./tracer.ts";
import { either, type Value } from "./value.ts";

/** What the file puts into a property of an object, class or function of its own; null when nothing. */
export function writtenTo(tracer: Tracer, node: t.Node | null, key: string): Value | null {
  if (node === null) return null;
  const definitions = tracer.properties.get(node)?.get(key);
  if (definitions === undefined) return null;
  return either(definitions.map((definition) => definitionOf(tracer, definition, null)));
}
