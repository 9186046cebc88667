import type { AssetType } from "@keyhub/hub/source";
import { jsonFault } from "./json-fault.ts";

export interface Field {
  key: string;
  label: string;
  kind: "text" | "line" | "number" | "list" | "object";
  /** For a number: the range that providers accept. */
  least?: number;
  most?: number;
  isWhole?: boolean;
  /** For a line that may not be empty: the message to show when it is empty. */
  mustBe?: string;
  /** For a line: the largest length in characters. */
  longest?: number;
  /** For a list of objects: the names of the members that every object must have as a text. */
  needs?: readonly string[];
  /** Known values; other values are accepted as well. */
  suggestions?: readonly string[];
}

/** A message about the first fault of a text, and the position of the fault in the text, if it is known. */
export interface FieldFault {
  message: string;
  at?: number;
}

const WHOLE = { kind: "number", isWhole: true } as const;

/** The largest number that an `integer` column of the database can store. */
const LARGEST = 2_147_483_647;

/** The members of each type's payload that can be edited. The variables of a template are read from its prompt. */
export const FIELDS: Record<AssetType, readonly Field[]> = {
  template: [{ key: "content", label: "Prompt, with {{variables}}", kind: "text" }],
  component: [
    { key: "source", label: "Source (TSX)", kind: "text" },
    { key: "props_schema", label: "Props (JSON Schema)", kind: "object" },
  ],
  orchestration: [
    { key: "nodes", label: "Nodes (JSON)", kind: "list", needs: ["id"] },
    { key: "edges", label: "Edges (JSON)", kind: "list", needs: ["source", "target"] },
    { key: "stage_configs", label: "Stages (JSON)", kind: "list", needs: ["node_id"] },
  ],
  ai_preset: [
    { key: "model_id", label: "Model", kind: "line" },
    { key: "temperature", label: "Temperature", kind: "number", least: 0, most: 2 },
    { key: "topP", label: "Top P", kind: "number", least: 0, most: 1 },
    { key: "topK", label: "Top K", ...WHOLE, least: 1 },
    { key: "maxOutputTokens", label: "Longest answer, tokens", ...WHOLE, least: 1 },
    {
      ...{ key: "thinkingLevel", label: "Thinking level", kind: "line" },
      suggestions: ["none", "minimal", "low", "medium", "high"],
    },
    { key: "thinkingBudget", label: "Thinking budget, tokens (-1: the model decides)", ...WHOLE, least: -1 },
    { key: "generate_content_api", label: "API", kind: "line" },
  ],
};

/** Parses the text of a field. Returns the value, or the fault of the text. */
export function readField(field: Field, text: string): { value: unknown } | { fault: FieldFault } {
  const { kind } = field;
  if (kind === "text") return { value: text };
  if (text.trim() === "" && field.mustBe) return { fault: { message: field.mustBe } };
  if (text.trim() === "") return { value: kind === "list" ? [] : kind === "object" ? {} : null };
  if (kind === "line") return { value: text.trim() };
  return kind === "number" ? readNumber(field, text) : readJson(field, text);
}

function readNumber(
  { least = Number.NEGATIVE_INFINITY, most, isWhole }: Field,
  text: string,
): { value: number } | { fault: FieldFault } {
  const value = Number(text);
  const fits = value >= least && value <= (most ?? LARGEST) && (!isWhole || Number.isInteger(value));
  if (fits) return { value };
  const range = most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`;
  const message =
    value > LARGEST ? "This is too large." : `It must be a ${isWhole ? "whole " : ""}number${range}.`;
  return { fault: { message } };
}

function readJson({ kind, needs = [] }: Field, text: string): { value: unknown } | { fault: FieldFault } {
  const fault = jsonFault(text);
  if (fault) return { fault };
  const value: unknown = JSON.parse(text);
  const isList = Array.isArray(value);
  if (kind === "list" && !isList) return { fault: { message: "It must be a list: [ … ]." } };
  if (kind === "object" && (isList || Object(value) !== value))
    return { fault: { message: "It must be an object: { … }." } };
  for (const [i, entry] of isList ? value.entries() : []) {
    const missing = needs.find((key) => typeof Object(entry)[key] !== "string");
    if (missing) return { fault: { message: `Entry ${i + 1} has no text “${missing}”.` } };
  }
  return { value };
}
