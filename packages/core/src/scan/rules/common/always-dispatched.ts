import { isElementFactory } from "./element-factories.ts";

/** Methods that set attributes and properties, or put text into elements: the dispatchers treat them as writes. */
const WRITING = new Set([
  "setAttribute",
  "setAttributeNS",
  "__defineGetter__",
  "__defineSetter__",
  "cloneElement",
  "append",
  "appendChild",
  "prepend",
]);

/** Whether calls of a method are dispatched even if no rule asks for them. */
export function isAlwaysDispatched(name: string): boolean {
  return WRITING.has(name) || isElementFactory(name);
}
