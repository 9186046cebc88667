import { charge } from "../../interpreter/budget.ts";
import type { RuleContext } from "../rule.ts";

/** Names that are rare only as members of `Symbol`: ordinary words in a file without symbols. */
const SYMBOLS = new Set(["search", "split", "match"]);
/** Names that do something as members of the window or of a function, and nothing as strings. */
const MEMBERS = new Set(
  "eval fetch Function XMLHttpRequest WebSocket EventSource RTCPeerConnection sendBeacon indexedDB".split(
    " ",
  ),
);
/** Names that list, read or wrap members, or run functions that other code passes. */
const REFLECTIVE_NAMES =
  "Reflect Object Function Proxy Symbol require call apply bind constructor __lookupGetter__ fromEntries".split(
    " ",
  );
/** Computed keys, also of destructuring and methods; loops over keys, and dynamic imports. */
const COMPUTED_KEY = /\]\s*(?:[:(]|\/[*/])|\bimport\s*(?:[(.]|\/[*/])|\bin\b/;

/**
 * Whether such a name is only a word: nothing in the file turns a string into the name of a member. Strings that are
 * run as code, written as markup or set as attributes are findings of their own, whatever they contain.
 */
export function isPlainWord({ source, interpreter }: RuleContext, name: string): boolean {
  const { program } = interpreter;
  if (SYMBOLS.has(name)) return !program.names.has("Symbol");
  return (
    MEMBERS.has(name) &&
    program.evalReferences.every(({ node }) => !("computed" in node && node.computed)) &&
    program.sources.every(({ node }) => node.value === "react") &&
    !REFLECTIVE_NAMES.some((reaching) => reaching !== name && program.names.has(reaching)) &&
    charge(source.length) &&
    !COMPUTED_KEY.test(source)
  );
}
