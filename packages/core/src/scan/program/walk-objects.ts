import type * as t from "@babel/types";
import { noteRare } from "./name-checks.ts";
import { nameOfKey } from "./patterns.ts";
import type { Scope } from "./scope.ts";
import { visitFunction } from "./walk-functions.ts";
import type { Walk } from "./walk-state.ts";

/** Object keys whose value becomes markup or a document: React props and DOM properties. */
export const MARKUP_KEYS = new Set([
  "dangerouslySetInnerHTML",
  "__html",
  "innerHTML",
  "outerHTML",
  "srcDoc",
  "srcdoc",
]);

function isFunction({ type }: t.Node): boolean {
  return type === "ArrowFunctionExpression" || type === "FunctionExpression";
}

/** An object literal; in its functions, `this` is the object. */
export function visitObject(walk: Walk, node: t.ObjectExpression, scope: Scope): void {
  for (const property of node.properties) {
    if (property.type === "SpreadElement") walk.visit(property.argument, scope);
    else {
      if (property.computed) walk.visit(property.key, scope);
      if (property.type === "ObjectMethod") {
        if (!property.computed) noteRare(walk.program, nameOfKey(property.key), "method", property, scope);
        visitFunction(walk, property, scope, { kind: "object", node });
      } else {
        const key = property.computed ? null : nameOfKey(property.key);
        if (key !== null)
          noteRare(walk.program, key, isFunction(property.value) ? "method" : "property", property, scope);
        if (key === null || MARKUP_KEYS.has(key)) walk.program.markup.push({ node: property, key, scope });
        if (property.value.type === "FunctionExpression") {
          visitFunction(walk, property.value, scope, { kind: "object", node });
        } else walk.visit(property.value, scope);
      }
    }
  }
}
