import { isAlias, isCollection, isMap, isScalar, isSeq, type Node } from "yaml";
import { redact, rewriteJson } from "../../redact/index.ts";
import type { Payload } from "../assets.ts";
import type { ForeignFile, Format } from "./format.ts";
import { parseAs, yamlDocument } from "./parse.ts";
import { formatOf } from "./registry.ts";

/**
 * Empties the private places in the payload's `source_text`, and keeps its white space. Other places may hold secrets
 * too, so redaction must still read the text afterwards. Returns the same payload if there was nothing to empty.
 */
export function emptyPrivate(payload: Payload): Payload {
  const { source_format: id, source_text: source } = payload;
  const format = formatOf(id);
  const file = format && typeof source === "string" ? parseAs(format.syntax, source, null) : null;
  if (format === null || file === null) return payload;
  const clean = emptyIn(format, file);
  return clean === file.text ? payload : { ...payload, source_text: clean };
}

function emptyIn(format: Format, file: ForeignFile): string {
  const places = format.private.map((path) => path.split("."));
  switch (format.syntax) {
    case "json": {
      const clean = emptied(file.value, places);
      return clean === file.value ? file.text : rewriteJson(file.text, clean, file.value);
    }
    case "yaml": {
      // Redacts the value here, so that rewriteYaml writes the placeholder with quotes: without quotes, `[redacted]` is a list in YAML.
      const clean = redact(emptied(file.value, places)).value;
      return rewriteYaml(file.text, clean);
    }
    case "markdown":
    case "csv":
      return file.text;
    default:
      throw new Error(`unknown syntax: ${String(format.syntax satisfies never)}`);
  }
}

/** Returns the value with the given places emptied, or the same value if there was nothing to empty. */
function emptied(value: unknown, places: readonly (readonly string[])[]): unknown {
  if (typeof value !== "object" || value === null || places.length === 0) return value;
  let changed = false;
  const inside = (key: string, child: unknown): unknown => {
    const left: (readonly string[])[] = [];
    for (const place of places) {
      const [head, ...rest] = place;
      const matching = head === "**" ? [rest] : [place];
      if (head === "**") left.push(place);
      for (const [name, ...further] of matching) {
        if (name !== "*" && name !== key) continue;
        if (further.length === 0) return nothingFor(child);
        left.push(further);
      }
    }
    return emptied(child, left);
  };
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    const clean = inside(key, child);
    if (clean !== child) changed = true;
    return [key, clean];
  });
  if (!changed) return value;
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}

/**
 * Returns an empty value of the same type, so that the tool can still read the file. Numbers
 * and switches stay, because they reveal nothing about anybody.
 */
function nothingFor(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return value;
  return Array.isArray(value) ? [] : {};
}

/** Returns the YAML text `source` with the values of `clean`, its redacted value. The rest of the text stays unchanged. */
function rewriteYaml(source: string, clean: unknown): string {
  const document = yamlDocument(source);
  /** The changes by start position, so that a value which several aliases refer to is changed only once. */
  const changes = new Map<number, { end: number; text: string }>();
  const replace = (node: Node, value: unknown) => {
    const [start, end] = node.range ?? [0, 0];
    const kept = source.slice(start, end).trimEnd();
    // The elements of a list may begin in the column of its key, but `[]` there is an error in YAML. The space moves `[]` one column on.
    const text = `${isCollection(node) ? " " : ""}${JSON.stringify(value)}`;
    changes.set(start, { end: start + kept.length, text });
  };
  const compare = (node: unknown, value: unknown): void => {
    if (isAlias(node)) compare(node.resolve(document), value);
    else if (isScalar(node)) {
      if (!Object.is(node.value, value) && String(node.value) !== String(value)) replace(node, value);
    } else if (isMap(node)) {
      const members = Object(value) as Record<string, unknown>;
      if (Object.keys(members).length !== node.items.length) replace(node, value);
      else for (const { key, value: child } of node.items) compare(child, members[keyOf(key)]);
    } else if (isSeq(node)) {
      const elements = Array.isArray(value) ? value : [];
      if (elements.length !== node.items.length) replace(node, value);
      else for (const [n, child] of node.items.entries()) compare(child, elements[n]);
    }
  };
  compare(document.contents, clean);
  let text = source;
  for (const [start, { end, text: put }] of [...changes].sort(([a], [b]) => b - a))
    text = text.slice(0, start) + put + text.slice(end);
  return text;
}

/** Returns the key of a YAML member as the text under which the parsed object has the member. */
const keyOf = (key: unknown) => (isScalar(key) ? String(key.value) : String(key));
