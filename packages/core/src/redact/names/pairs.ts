import { isUuid, looksRandom } from "../evidence/entropy.ts";
import type { KindOf, NameKind } from "../types.ts";

/** Names that only headers have. */
const HEADER = /^(?:(?:proxy-)?authorization|x-[a-z-]+|[a-z]+(?:-[a-z]+)*-(?:key|token|secret)|cookie)$/i;

/**
 * Returns the kinds of an array's strings, by the strings before them: an option and its value (`["--api-key", "x"]`), a
 * header and its value (`["Authorization", "x"]`). One kind per element, or null when no string has a name before it.
 */
export function kindsOfElements(array: readonly unknown[], kindOf: KindOf): NameKind[] | null {
  let kinds: NameKind[] | null = null;
  for (let i = 0; i + 1 < array.length; i++) {
    const name = array[i];
    const value = array[i + 1];
    if (typeof name !== "string" || typeof value !== "string" || name.length < 4 || name.length > 64)
      continue;
    const option = name.charCodeAt(0) === 45;
    if (option && value.charCodeAt(0) === 45 && value.length < 40) continue;
    if (!/^[-\p{L}][\p{L}\p{N} _.-]*$/u.test(name)) continue;
    const kind = isSecretOption(name, value) ? "strong" : kindOf(name.replace(/^-+/, ""));
    if (kind === "none" || kindOf(value) === "strong") continue;
    kinds ??= new Array<NameKind>(array.length).fill("none");
    // In a list of similar words, such as field names, a text is a credential only if it looks like one, so its kind is weak.
    kinds[i + 1] = option || (array.length === 2 && kind === "strong" && HEADER.test(name)) ? kind : "weak";
  }
  return kinds;
}

/** Returns whether an option holds a secret. `--key` may also name a file, so its value must be a uuid or look random. */
function isSecretOption(name: string, value: string): boolean {
  if (name === "--oauth2-bearer") return true;
  if (name !== "--key" && name !== "-k" && name !== "--auth") return false;
  return isUuid(value) || (value.length >= 16 && !value.includes("/") && looksRandom(value));
}

/**
 * Returns the kinds of a ComfyUI node's widget values, which are in a list beside their names: `inputs: [{name,
 * widget}]` and `widgets_values: [value]`. The widget of a seed has a second value: what to do after a run.
 */
export function widgetKinds(node: Record<string, unknown>, kindOf: KindOf): NameKind[] | null {
  const { inputs, widgets_values: values } = node;
  if (!Array.isArray(inputs) || !Array.isArray(values)) return null;
  let kinds: NameKind[] | null = null;
  let at = 0;
  for (const input of inputs) {
    if (typeof input !== "object" || input === null || !("widget" in input) || !("name" in input)) continue;
    const name = input.name;
    if (typeof name !== "string") continue;
    const kind = name.length > 80 ? "none" : kindOf(name);
    if (kind !== "none" && at < values.length) {
      kinds ??= new Array<NameKind>(values.length).fill("none");
      kinds[at] = kind;
    }
    at++;
    if (/seed/.test(name) && /^(?:fixed|increment|decrement|randomize)$/.test(String(values[at]))) at++;
  }
  return kinds;
}
