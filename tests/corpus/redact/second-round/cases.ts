import { REDACTED } from "../../../../packages/core/src/hub/index.ts";
import { generate, randomFrom } from "../generate.ts";
import formats from "./formats.json" with { type: "json" };
import harmless from "./harmless.json" with { type: "json" };
import names from "./names.json" with { type: "json" };
import { ALONE, NAMED } from "./places.ts";
import third from "./third.json" with { type: "json" };
import workflows from "./workflows.json" with { type: "json" };

/** A value of the second blind round with its secrets, and what it should be once they are taken out. */
export interface Planted {
  name: string;
  value: unknown;
  expected: unknown;
  secrets: string[];
}

/** Applies `change` to each text of a value, names included. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((child) => mapTexts(child, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [change(key), mapTexts(child, change)]),
  );
}

/** Fills a template in; « » encloses each secret. */
export function plant(name: string, template: unknown, random: () => number): Planted {
  const secrets: string[] = [];
  const filled = mapTexts(template, (text) => generate(text, random));
  const value = mapTexts(filled, (text) =>
    text.replace(/«([^»]*)»/g, (_, secret: string) => {
      secrets.push(secret);
      return secret;
    }),
  );
  return { name, value, expected: mapTexts(filled, (text) => text.replace(/«[^»]*»/g, REDACTED)), secrets };
}

const marked = (format: string) => (format.includes("«") ? format : `«${format}»`);
const at = <T>(list: readonly T[], i: number) => list[i % list.length] as T;

export function secondCommon(seed = 1): Planted[] {
  const random = randomFrom(seed);
  return [
    ...Object.entries(formats.common).flatMap(([name, format], i) =>
      [at(ALONE, i * 7), at(ALONE, i * 11 + 3)].map((place) => plant(name, place(marked(format)), random)),
    ),
    ...Object.entries(formats.named).flatMap(([name, format], i) =>
      [at(NAMED, i * 3), at(NAMED, i * 3 + 7)].map((place) =>
        plant(name, place(name, marked(format)), random),
      ),
    ),
    ...formats.inText.map((template) => plant("in text", template, random)),
  ];
}

export function secondLongTail(seed = 2): Planted[] {
  const random = randomFrom(seed);
  return (formats.longTail as [string, string, string, string][]).flatMap(([kind, id, format, name], i) => [
    ...(kind === "alone" ? [plant(id, at(ALONE, i)(marked(format)), random)] : []),
    ...(name === "url" ? [] : [plant(`${id} named`, at(NAMED, i)(name, marked(format)), random)]),
  ]);
}

export function secondNames(seed = 3): Planted[] {
  const random = randomFrom(seed);
  return names.values.map((template) => plant(JSON.stringify(template), template, random));
}

export function thirdNames(): Planted[] {
  return third.secrets.map((template) => plant(JSON.stringify(template), template, randomFrom(6)));
}

export function secondHarmless(seed = 4): { name: string; value: unknown }[] {
  const random = randomFrom(seed);
  return [...harmless.values, ...third.harmless].map((template) => ({
    name: JSON.stringify(template),
    value: plant("", template, random).value,
  }));
}

export function secondWorkflows(seed = 5): Planted[] {
  const random = randomFrom(seed);
  return Object.entries(workflows)
    .filter(([name]) => name !== "sources")
    .map(([name, template]) => plant(name, template, random));
}

/** The secrets of a case that are anywhere in a value, whole or in their larger part. */
export function left({ secrets }: Planted, value: unknown): string[] {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  const all = texts.join("\n");
  return secrets.filter((secret) => {
    const most = Math.ceil(secret.length * 0.6);
    const parts = secret.length < 16 ? [secret] : [secret.slice(0, most), secret.slice(-most)];
    return parts.some((part) => all.includes(part) || all.includes(JSON.stringify(part).slice(1, -1)));
  });
}
