import type { Payload } from "../assets.ts";
import { number } from "./values.ts";

/** The most values that `extra` keeps, and the longest text among them, in characters. */
const EXTRA = { values: 200, text: 4_000 } as const;

/**
 * Returns the settings that `without` does not name: numbers, texts, booleans and lists of these. A setting beyond the limits EXTRA is
 * left out; the asset still has it in `source_text`.
 */
export function extraOf(
  settings: Record<string, unknown>,
  without: ReadonlySet<string>,
): Record<string, unknown> {
  let left: number = EXTRA.values;
  const isScalar = (value: unknown) =>
    typeof value === "number" ||
    typeof value === "boolean" ||
    (typeof value === "string" && value !== "" && value.length <= EXTRA.text);
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      if (without.has(name)) return false;
      const values = Array.isArray(value) ? value : [value];
      if (values.length === 0 || values.length > left || !values.every(isScalar)) return false;
      left -= values.length;
      return true;
    }),
  );
}

/** Returns the payload of a preset. A number that its column cannot store, such as Infinity, becomes null. */
export function presetOf(fields: {
  model?: unknown;
  temperature?: unknown;
  topP?: unknown;
  topK?: unknown;
  maxOutputTokens?: unknown;
  extra: Record<string, unknown>;
}): Payload {
  const real = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const whole = (value: unknown) =>
    Number.isInteger(value) && Math.abs(number(value)) < 2 ** 31 ? value : null;
  return {
    model_id: typeof fields.model === "string" && fields.model !== "" ? fields.model.slice(0, 200) : null,
    temperature: real(fields.temperature),
    topP: real(fields.topP),
    topK: whole(fields.topK),
    maxOutputTokens: whole(fields.maxOutputTokens),
    thinkingLevel: null,
    thinkingBudget: null,
    generate_content_api: null,
    extra: fields.extra,
  };
}
