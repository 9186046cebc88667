import formats from "./formats.json" with { type: "json" };
import { generate, randomFrom } from "./generate.ts";
import harmless from "./harmless.json" with { type: "json" };
import names from "./names.json" with { type: "json" };
import unseen from "./unseen.json" with { type: "json" };

/** A value with a secret in it; the case is passed when `secret` is nowhere in the result. */
export interface SecretCase {
  group: string;
  name: string;
  value: unknown;
  secret: string;
}

/** A value that has to come back unchanged. */
export interface HarmlessCase {
  name: string;
  value: unknown;
}

/** Places where a token stands when nothing around it says that it is one. */
const PLACES: ((secret: string) => unknown)[] = [
  (secret) => ({ note: secret }),
  (secret) => `Use ${secret} for the demo.`,
  (secret) => ({ body: JSON.stringify({ input: [secret], n: 1 }) }),
  (secret) => `const x = "${secret}";`,
  (secret) => ({ nodes: [{ data: { text: `one\n${secret}\nthree` } }] }),
];

/** The longest random part of a format, the last among equals: what must be gone. */
export function secretPart(format: string, random: () => number): { text: string; secret: string } {
  let secret = "";
  const text = format.replace(/\{(?:uuid|jwt|[a-zA-Z0-9]:\d+)\}/g, (part) => {
    const piece = generate(part, random);
    if (!/^\d+$/.test(piece) && piece.length >= secret.length) secret = piece;
    return piece;
  });
  return { text, secret: secret.length > 40 ? secret.slice(4, 36) : secret };
}

export function tokenCases(
  group: "common" | "longTail",
  table: Record<string, string>,
  seed = 1,
): SecretCase[] {
  const random = randomFrom(seed);
  return Object.entries(table).flatMap(([name, format]) =>
    PLACES.map((place) => {
      const { text, secret } = secretPart(format, random);
      return { group, name, value: place(text), secret };
    }),
  );
}

/** Values that only their name gives away: in an object, a table, a dictionary in text. */
export function nameCases(keys: readonly string[], values: readonly string[], seed = 2): SecretCase[] {
  const random = randomFrom(seed);
  return keys.flatMap((key, i) =>
    [0, 1, 2].map((place) => {
      const secret = generate(values[(i + place * 3) % values.length] as string, random);
      const value = [
        { config: { [key]: secret } },
        { parameters: [{ name: key, value: secret }] },
        `{ "model": "gpt-4o", "${key}": "${secret}", }`,
      ][place];
      return { group: "names", name: key, value, secret };
    }),
  );
}

export const commonCases = () => tokenCases("common", formats.common);
export const longTailCases = () => tokenCases("longTail", formats.longTail);
export const namedCases = () => [
  ...nameCases(names.keys, names.values),
  ...names.organization.map((key) => ({
    group: "names",
    name: key,
    value: { [key]: "ACME-4471" },
    secret: "ACME-4471",
  })),
  ...nameCases(names.references, ["{uuid}", "{a:16}", "{d:7}"], 3).filter((_, i) => i % 3 !== 2),
];
export const harmlessCases = (): HarmlessCase[] => [
  ...harmless.strings.map((text) => ({ name: text, value: text })),
  ...harmless.objects.map((value) => ({ name: JSON.stringify(value), value })),
];

/** Texts of the second corpus; the secret stands between « and ». */
export function unseenCases(seed = 5): SecretCase[] {
  const random = randomFrom(seed);
  return unseen.texts.flatMap(([group = "", format = ""]) =>
    [0, 1, 2].map((place) => {
      let secret = "";
      const text = format.replace(/«([^»]*)»/, (_, part: string) => {
        secret = generate(part, random);
        return secret;
      });
      // The end of a long secret: what stays of its beginning may be a name or a scheme.
      return {
        group: "unseen",
        name: group,
        value: place === 1 ? { data: { text } } : text,
        secret: secret.length > 30 ? secret.slice(-24) : secret,
      };
    }),
  );
}

export const unseenHarmlessCases = (): HarmlessCase[] =>
  unseen.harmless.map((text) => ({ name: text, value: text }));

/** Whether a secret is anywhere in a value, at up to three layers of JSON. */
export function leaks(value: unknown, secret: string): boolean {
  const text = JSON.stringify(value);
  let needle = secret;
  for (let layer = 0; layer < 3; layer++) {
    needle = JSON.stringify(needle).slice(1, -1);
    if (text.includes(needle)) return true;
  }
  return false;
}
