/**
 * Who may publish what under which license, in plain TypeScript and from the rules alone: every work remembers each license
 * that it was given out under on its way, and by whom. The test asks it before and after each step.
 */

/** A license that somebody gave a work out under. */
export interface Term {
  by: string;
  license: string;
  /** Of a file whose exporter put nothing of their own in: the hub may hold others to it, and need not. */
  mayBind?: true;
}

/** What goes from hand to hand: the licenses it went under so far, and whether its holder has put something of their own in. */
export interface Work {
  terms: readonly Term[];
  hasOwn: boolean;
}

/** An item of somebody's workspace. */
export interface ModelItem extends Work {
  refId: string;
  registryId: string | null;
  type: "template" | "orchestration";
  owner: string;
  /** Of something that came from elsewhere. */
  isCopy: boolean;
  listing: ModelListing | null;
}

/** What readers get: the work as it was when it was published, and the works that it embeds. */
export interface ModelListing {
  id: string;
  creator: string;
  state: "public" | "unpublished" | "deleted";
  license: string;
  work: Work;
  items: Work[];
}

const FREEST_FIRST = ["cc0", "cc-by", "platform-free"];

export function isAsStrict(license: string, other: string): boolean {
  return FREEST_FIRST.indexOf(license) >= FREEST_FIRST.indexOf(other);
}

/** What somebody may do with works that they have: never loosen what others gave; always what loosens nothing. */
export function mayPublish(user: string, works: readonly Work[], license: string): "yes" | "no" | "either" {
  const terms = works.flatMap((work) => work.terms);
  const loosened = terms.filter((term) => !isAsStrict(license, term.license));
  if (loosened.length === 0) return "yes";
  // One's own license may bind oneself: a work is not always known to be wholly one's own.
  return loosened.some(({ by, mayBind }) => by !== user && !mayBind) ? "no" : "either";
}

/** A copy: under all that the work went under, and what it is given out under now. */
export function passOn(work: Work, by: string, license: string): Work {
  return { terms: [...work.terms, { by, license }], hasOwn: false };
}

/** The licenses that whoever holds `work` must not go below, as somebody's publication under `license` shows it. */
export function bounds(work: Work, creator: string, license: string): string[] {
  const others = work.terms
    .filter(({ by, mayBind }) => by !== creator && !mayBind)
    .map((term) => term.license);
  return work.hasOwn ? [...others, license] : others;
}

/** Who asks to be credited by their license: everybody who gave the work out under cc-by, and under nothing stricter. */
export function creditors(work: Work): string[] {
  const given = work.terms.filter(({ mayBind }) => !mayBind);
  const strict = new Set(given.filter(({ license }) => license === "platform-free").map(({ by }) => by));
  const asking = given.filter(({ by, license }) => license === "cc-by" && !strict.has(by));
  return [...new Set(asking.map(({ by }) => by))];
}
