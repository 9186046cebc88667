import type { Definition } from "../../program/scope.ts";
import { valueOfDefinitions } from "../core/assigned-values.ts";
import type { Interpreter } from "../interpreter.ts";
import { storedName } from "../text/string-holders.ts";
import { constant, either, host, UNKNOWN, type Value } from "../value.ts";

/** The paths under which `data-…` attributes and text of the file's JSX are stored. */
const ATTRIBUTES = "@@dataset";
const TEXTS = "@@text";

/** Members that read the text of an element. */
const TEXT_MEMBERS = new Set(["textContent", "innerText"]);

/** URLs of other hosts. */
const ADDRESS = /^\s*(?:[a-z][a-z\d+.-]*:)?[\\/]{2}\S/i;

/** Whether a string is a URL of another host. */
export function isExternalUrl(value: string): boolean {
  return ADDRESS.test(value);
}

/** Stores the `data-…` attributes of the file's elements, and the URLs that are their text. */
export function recordJsxValues(interpreter: Interpreter): void {
  const { jsx, texts } = interpreter.program;
  const note = (path: string, value: Definition) => {
    interpreter.hasJsxValues = true;
    const known = interpreter.hostWrites.get(path);
    if (known === undefined) interpreter.hostWrites.set(path, [value]);
    else known.push(value);
  };
  for (const { value } of texts)
    if (isExternalUrl(value)) note(TEXTS, { how: "given", value: constant(value.trim()) });
  for (const { node, scope } of jsx) {
    for (const attribute of node.attributes) {
      if (attribute.type !== "JSXAttribute" || attribute.name.type !== "JSXIdentifier") continue;
      const { name } = attribute.name;
      if (!name.startsWith("data-") || !attribute.value) continue;
      const held =
        attribute.value.type === "JSXExpressionContainer" ? attribute.value.expression : attribute.value;
      if (held.type === "JSXEmptyExpression") continue;
      note(`${ATTRIBUTES}.${storedName("", name)}`, { how: "value", node: held, scope });
    }
  }
}

/** `element.key` of an unknown element, if the file's JSX shows its possible values; null otherwise. */
export function jsxMember(interpreter: Interpreter, element: Value, key: string): Value | null {
  if (!interpreter.hasJsxValues) return null;
  if (key === "dataset") return host(ATTRIBUTES);
  return TEXT_MEMBERS.has(key) ? jsxValueAt(interpreter, TEXTS, element) : null;
}

/** `dataset.key` of an unknown element: what the file's JSX wrote there, or anything, since the element may be another one. */
export function jsxDataset(interpreter: Interpreter, path: string, key: string): Value | null {
  if (path !== ATTRIBUTES) return null;
  return jsxValueAt(interpreter, `${ATTRIBUTES}.${key}`, UNKNOWN) ?? UNKNOWN;
}

/** `element.getAttribute(name)` of an unknown element, if the file's JSX shows its possible values; null otherwise. */
export function jsxAttribute(interpreter: Interpreter, element: Value, name: string): Value | null {
  if (!interpreter.hasJsxValues || !name.startsWith("data-")) return null;
  return jsxValueAt(interpreter, `${ATTRIBUTES}.${storedName("", name)}`, element);
}

/** The values that the file's JSX wrote to a path, or `other`; null if it wrote none. */
function jsxValueAt(interpreter: Interpreter, path: string, other: Value): Value | null {
  const written = interpreter.hostWrites.get(path);
  return written === undefined ? null : either([other, valueOfDefinitions(interpreter, written)]);
}
