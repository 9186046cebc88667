import { faultOfKey, faultOfName } from "@keyhub/core/key-text";

/** A pasted line. `fault` is shown after “Line 3:”, and never repeats the line, which may contain a key. */
export type PastedLine =
  | { number: number; name: string | null; key: string; fault?: never }
  | { number: number; fault: string };

const NAMED = /^(?:export\s+)?([A-Za-z_][\w .-]{0,199}?)\s*=\s*(\S.*)$/;

/** Reads lines with keys: a key alone, or `name=key`. It removes the quotes that env files have around a key. */
export function readPasted(text: string): PastedLine[] {
  const seen = new Map<string, number>();
  return text.split(/\r?\n/).flatMap((raw, place): PastedLine[] => {
    const line = raw.replace(/^\uFEFF/, "").trim();
    const number = place + 1;
    if (line === "" || line.startsWith("#")) return [];
    const [, name = null, value = line] = NAMED.exec(line) ?? [];
    const key = value.replace(/^(["'])(.*)\1$/, "$2").trim();
    const fault = faultOfKey(key) ?? (name === null ? null : faultOfName(name));
    if (fault !== null) return [{ number, fault }];
    const first = seen.get(key);
    if (first !== undefined) return [{ number, fault: `is the same key as line ${first}` }];
    seen.set(key, number);
    return [{ number, name, key }];
  });
}
