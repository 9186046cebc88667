import { isElementMaker } from "./makers.ts";

/** Methods that set attributes and properties, or put texts into elements: the dispatchers make writes of them. */
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

/** Whether calls of a method mean something whatever rules there are. */
export function isMeaningful(name: string): boolean {
  return WRITING.has(name) || isElementMaker(name);
}
