import type { Definition } from "../../program/scope.ts";
import { putThere } from "../core/assigned-values.ts";
import type { Interpreter } from "../interpreter.ts";
import { keptName } from "../text/string-holders.ts";
import { constant, either, host, UNKNOWN, type Value } from "../value.ts";

/** The paths under which `data-…` attributes and text of the file's JSX are stored. */
const ATTRIBUTES = "@@dataset";
const TEXTS = "@@text";

/** Members that read the text of an element. */
const TEXT_MEMBERS = new Set(["textContent", "innerText"]);

/** URLs of other hosts. */
const ADDRESS = /^\s*(?:[a-z][a-z\d+.-]*:)?[\\/]{2}\S/i;

/** Whether a string is a URL of another host. */
export function isForeignAddress(value: string): boolean {
  return ADDRESS.test(value);
}

/** Stores the `data-…` attributes of the file's elements, and the URLs that are their text. */
export function noteShown(interpreter: Interpreter): void {
  const { jsx, texts } = interpreter.program;
  const note = (path: string, value: Definition) => {
    interpreter.shown = true;
    const known = interpreter.hostWrites.get(path);
    if (known === undefined) interpreter.hostWrites.set(path, [value]);
    else known.push(value);
  };
  for (const { value } of texts)
    if (isForeignAddress(value)) note(TEXTS, { how: "given", value: constant(value.trim()) });
  for (const { node, scope } of jsx) {
    for (const attribute of node.attributes) {
      if (attribute.type !== "JSXAttribute" || attribute.name.type !== "JSXIdentifier") continue;
      const { name } = attribute.name;
      if (!name.startsWith("data-") || !attribute.value) continue;
      const held =
        attribute.value.type === "JSXExpressionContainer" ? attribute.value.expression : attribute.value;
      if (held.type === "JSXEmptyExpression") continue;
      note(`${ATTRIBUTES}.${keptName("", name)}`, { how: "value", node: held, scope });
    }
  }
}

/** `element.key` of an unknown element, if the file's JSX shows its possible values; null otherwise. */
export function shownMember(interpreter: Interpreter, element: Value, key: string): Value | null {
  if (!interpreter.shown) return null;
  if (key === "dataset") return host(ATTRIBUTES);
  return TEXT_MEMBERS.has(key) ? shownAt(interpreter, TEXTS, element) : null;
}

/** `dataset.key` of an unknown element: what the file's JSX wrote there, or anything, since the element may be another one. */
export function shownData(interpreter: Interpreter, path: string, key: string): Value | null {
  if (path !== ATTRIBUTES) return null;
  return shownAt(interpreter, `${ATTRIBUTES}.${key}`, UNKNOWN) ?? UNKNOWN;
}

/** `element.getAttribute(name)` of an unknown element, if the file's JSX shows its possible values; null otherwise. */
export function shownAttribute(interpreter: Interpreter, element: Value, name: string): Value | null {
  if (!interpreter.shown || !name.startsWith("data-")) return null;
  return shownAt(interpreter, `${ATTRIBUTES}.${keptName("", name)}`, element);
}

/** The values that the file's JSX wrote to a path, or `other`; null if it wrote none. */
function shownAt(interpreter: Interpreter, path: string, other: Value): Value | null {
  const written = interpreter.hostWrites.get(path);
  return written === undefined ? null : either([other, putThere(interpreter, written)]);
}
