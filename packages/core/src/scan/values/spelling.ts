import type * as t from "@babel/types";
import type { Tracer } from "./tracer.ts";
import { MEMBERS, SPELLED, unknown, type Value } from "./value.ts";

/** What takes texts apart into letters, or makes letters of numbers and of other letters. */
const SPELLING =
  /\b(?:fromCharCode|fromCodePoint|charCodeAt|codePointAt|atob|TextDecoder|unescape|decodeURI(?:Component)?|normalize|ListFormat|BigInt|parseInt)\b|\bsplit\(\s*(?:""|''|``|\/\/|\/\(\?)|\.toString\(\s*\d|\[\s*\.\.\.\s*["'`]|\.charAt\(|\.match\(\s*\/\.|\bi\s*%\s*[2-9]/g;
/** Places beyond this many are not noted. */
const PLACES = 4096;

/** Where a source spells texts letter by letter, in its order. */
export function spellingsIn(source: string): number[] {
  const places: number[] = [];
  for (const { index } of source.matchAll(SPELLING)) {
    places.push(index);
    if (places.length === PLACES) break;
  }
  return places;
}

/** Whether something is spelled inside a node. */
function isSpelling({ spelled }: Tracer, { start, end }: t.Node): boolean {
  let [low, high] = [0, spelled.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spelled[middle] ?? 0) < (start ?? 0)) low = middle + 1;
    else high = middle;
  }
  return (spelled[low] ?? Number.POSITIVE_INFINITY) < (end ?? 0);
}

/** What a call gives that was not worked out: spelled, when the call or the function that it calls spells something. */
export function spelledBy(tracer: Tracer, value: Value, node: t.Node): Value {
  if (tracer.spelled.length === 0 || value.kind === "constant" || value.kind === "host") return value;
  if (value.kind === "unknown")
    return (value.taint & (SPELLED | MEMBERS)) !== 0 || !isSpelling(tracer, node)
      ? value
      : unknown(value.taint | SPELLED);
  if (value.kind === "text" && (value.taint & SPELLED) === 0 && isSpelling(tracer, node))
    return { ...value, taint: value.taint | SPELLED };
  return value;
}
