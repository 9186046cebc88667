import { pay } from "../../interpreter/budget.ts";
import type { RuleContext } from "../rule.ts";

/** Rare as members of `Symbol` only, and ordinary words where a file has no symbols. */
const SYMBOLS = new Set(["search", "split", "match"]);
/** Names that do something as members of the window or of a function, and nothing as texts. */
const MEMBERS = new Set(
  "eval fetch Function XMLHttpRequest WebSocket EventSource RTCPeerConnection sendBeacon indexedDB".split(
    " ",
  ),
);
/** What lists, reads or wraps members, and what runs functions that other code hands over. */
const REACHING =
  "Reflect Object Function Proxy Symbol require call apply bind constructor __lookupGetter__ fromEntries".split(
    " ",
  );
/** Computed keys, also of patterns and methods; loops over keys, and modules of any name. */
const KEYED = /\]\s*(?:[:(]|\/[*/])|\bimport\s*(?:[(.]|\/[*/])|\bin\b/;

/**
 * Whether such a name is but a word: nothing in the file makes the name of a member out of a text. Texts that are
 * run as programs, written as markup or set as attributes are findings of their own, whatever they are made of.
 */
export function isWord({ source, interpreter }: RuleContext, name: string): boolean {
  const { program } = interpreter;
  if (SYMBOLS.has(name)) return !program.names.has("Symbol");
  return (
    MEMBERS.has(name) &&
    program.mentions.every(({ node }) => !("computed" in node && node.computed)) &&
    program.sources.every(({ node }) => node.value === "react") &&
    !REACHING.some((reaching) => reaching !== name && program.names.has(reaching)) &&
    pay(source.length) &&
    !KEYED.test(source)
  );
}
