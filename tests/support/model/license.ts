/**
 * Decides who may publish a work under which license, in plain TypeScript and only from the rules: every work remembers each license that
 * it was given out under on its way, and by whom. The test asks it before and after each step.
 */

/** A license under which somebody gave out a work. */
export interface Term {
  by: string;
  license: string;
  /** Set for a term from a file whose exporter added nothing of their own: the hub may enforce it against others, but does not have to. */
  mayBind?: true;
}

/** A work that is passed on: the licenses that it was given out under so far, and whether its holder has added something of their own. */
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
  /** Whether it was copied from somebody else. */
  isCopy: boolean;
  listing: ModelListing | null;
}

/** The content that readers get: the work as it was when it was published, and the works that it embeds. */
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

/**
 * Returns whether somebody may publish works under a license. A license that loosens somebody else's term is never allowed; one that
 * loosens no term is always allowed.
 */
export function mayPublish(user: string, works: readonly Work[], license: string): "yes" | "no" | "either" {
  const terms = works.flatMap((work) => work.terms);
  const loosened = terms.filter((term) => !isAsStrict(license, term.license));
  if (loosened.length === 0) return "yes";
  // A publisher's own earlier license may count against them: it is not always known that a work is wholly their own.
  return loosened.some(({ by, mayBind }) => by !== user && !mayBind) ? "no" : "either";
}

/** Returns a copy with all terms of the work, and the license under which it is given out now. */
export function passOn(work: Work, by: string, license: string): Work {
  return { terms: [...work.terms, { by, license }], hasOwn: false };
}

/** Returns the licenses that the holder of `work` must not loosen, as somebody's publication under `license` shows them. */
export function bounds(work: Work, creator: string, license: string): string[] {
  const others = work.terms
    .filter(({ by, mayBind }) => by !== creator && !mayBind)
    .map((term) => term.license);
  return work.hasOwn ? [...others, license] : others;
}

/** Returns everybody whose license requires credit: those who gave the work out under cc-by, and under nothing stricter. */
export function creditors(work: Work): string[] {
  const given = work.terms.filter(({ mayBind }) => !mayBind);
  const strict = new Set(given.filter(({ license }) => license === "platform-free").map(({ by }) => by));
  const asking = given.filter(({ by, license }) => license === "cc-by" && !strict.has(by));
  return [...new Set(asking.map(({ by }) => by))];
}
