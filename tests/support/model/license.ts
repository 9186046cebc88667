/**
 * A reference model of licenses, written from the rules and not from the hub's code. Every work remembers all licenses under which somebody
 * passed it on, and who did. The test asks the model before and after each step who may publish which work under which license.
 */

/** A license under which somebody passed on a work. */
export interface Term {
  by: string;
  license: string;
  /** Set for a license in a file whose exporter added no content of their own. The hub may enforce this license, but does not have to. */
  mayBind?: true;
}

/** A work that is passed on: the licenses so far, and whether its holder has added content of their own. */
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
  /** Whether the item was copied from somebody else. */
  isCopy: boolean;
  listing: ModelListing | null;
}

/** A listing: the work as it was at its publication, and the works that are published with it. */
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
 * Returns whether somebody may publish works under a license. A license that is freer than somebody else's term is never allowed; a license
 * that is as strict as every term is always allowed. Otherwise the hub may decide either way.
 */
export function mayPublish(user: string, works: readonly Work[], license: string): "yes" | "no" | "either" {
  const terms = works.flatMap((work) => work.terms);
  const loosened = terms.filter((term) => !isAsStrict(license, term.license));
  if (loosened.length === 0) return "yes";
  // The hub may enforce a publisher's own earlier license, because it does not always know that a work is wholly their own.
  return loosened.some(({ by, mayBind }) => by !== user && !mayBind) ? "no" : "either";
}

/** Returns a copy of the work with all its terms, and with the license under which it is passed on now. */
export function passOn(work: Work, by: string, license: string): Work {
  return { terms: [...work.terms, { by, license }], hasOwn: false };
}

/**
 * Returns the licenses that bind `work` when `creator` publishes it under `license`. The license that readers see must be at least as
 * strict as each of them.
 */
export function bounds(work: Work, creator: string, license: string): string[] {
  const others = work.terms
    .filter(({ by, mayBind }) => by !== creator && !mayBind)
    .map((term) => term.license);
  return work.hasOwn ? [...others, license] : others;
}

/** Returns everybody whose license requires credit: those who passed the work on under cc-by, and under no stricter license. */
export function creditors(work: Work): string[] {
  const given = work.terms.filter(({ mayBind }) => !mayBind);
  const strict = new Set(given.filter(({ license }) => license === "platform-free").map(({ by }) => by));
  const asking = given.filter(({ by, license }) => license === "cc-by" && !strict.has(by));
  return [...new Set(asking.map(({ by }) => by))];
}
