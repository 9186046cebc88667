import { refuel } from "../interpreter/budget.ts";
import type { Site } from "../rules/site.ts";
import { checkDecoders } from "./decoders.ts";
import { checkListed } from "./listed.ts";
import { checkPatterns } from "./patterns.ts";
import { checkPhrases } from "./phrases.ts";
import { checkPieces } from "./pieces.ts";
import { checkRare } from "./rare.ts";
import { checkStores } from "./stores.ts";

/**
 * What is a finding by being mentioned: rare names, what makes texts of codes and pieces, lists of what the page has.
 * None of it asks where a value goes, so that it holds where values are lost.
 */
export function checkMentions(site: Site): void {
  const { program } = site.interpreter;
  refuel();
  for (const mention of program.rare) checkRare(site, mention);
  for (const node of program.coerced) site.report("hidden-text", "medium", node);
  for (const node of program.supers) site.report("eval", "low", node);
  checkPatterns(site);
  checkListed(site);
  checkDecoders(site);
  checkStores(site);
  checkPhrases(site);
  checkPieces(site);
}
