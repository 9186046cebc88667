import { isAsStrict, LICENSES, type License, type LicensedSource } from "./license.ts";

/** A listing that a copy comes from, as it was at the time of the copy. The creator's name is looked up when shown. */
export interface Origin {
  id: string;
  title: string;
  slug: string;
  creator_id: string | null;
  license: License;
  version: number;
  remix_depth: number;
  /** Of a version that was shared in an organization: what is made of it may be published there only. */
  organization_id?: string;
}

/** What an unverified file claims about its origin: text without ids. */
export interface Claim extends Claimed {
  /** The original, if it is another work. */
  root?: Claimed | undefined;
  /** All further works that the file names. */
  via?: Claimed[] | undefined;
}

/** Absent when the work has a verified origin, too: then the claim sets no terms. */
export interface Claimed {
  title: string;
  creator: string | null;
  license?: License | undefined;
}

/** The origin of a registry row. Written once, with the row. */
export interface Attribution {
  root?: Origin;
  parent?: Origin;
  /** All other works that may be inside: those between root and parent, and the kits that contained it. */
  via?: Origin[];
  claimed?: Claim;
}

/** The most entries of `via`; a copy that would need more is refused. */
export const VIA_LIMIT = 50;

/** The most further works that a claim keeps. */
export const CLAIM_LIMIT = 20;

/**
 * The attribution of a copy of a listing. Parent: the copied listing. Root: the root of that listing, or the listing itself when
 * it is an original. All authors that the listing names stay named.
 */
export function inherit(from: Origin, carried: Attribution | null): Attribution {
  const { root = from, parent, via = [], claimed } = carried ?? {};
  return complete(root, from, parent === undefined ? via : [...via, parent], claimed);
}

/**
 * The attribution of a copy of a kit's item. An item with an origin keeps its root and parent, and the kit is added to `via`,
 * because its maker may have changed the item. The parent of any other item is the kit.
 */
export function inheritItem(kit: Origin, carried: Attribution | null): Attribution {
  const { root, parent = root, via = [], claimed } = carried ?? {};
  if (parent === undefined) return inherit(kit, carried);
  return complete(root ?? parent, parent, [...via, kit], claimed);
}

/** Removes entries of `via` that are not needed: every author stays, with their strictest license. */
function complete(root: Origin, parent: Origin, further: readonly Origin[], claimed?: Claim): Attribution {
  let via: Origin[] = [];
  for (const origin of further) {
    if ([root, parent, ...via].some((named) => covers(named, origin))) continue;
    via = [...via.filter((named) => !covers(origin, named)), origin];
  }
  return {
    ...{ root, parent },
    ...(via.length > 0 && { via }),
    ...(claimed && { claimed: withoutLicense(claimed) }),
  };
}

function covers(origin: Origin, other: Origin): boolean {
  const sameAuthor = origin.creator_id !== null && origin.creator_id === other.creator_id;
  // What was shared in an organization keeps its own entry: it says who may read what is made of it.
  const sameReaders = other.organization_id === undefined || origin.organization_id === other.organization_id;
  return sameReaders && (sameAuthor || origin.id === other.id) && isAsStrict(origin.license, other.license);
}

function withoutLicense({ title, creator, root, via }: Claim): Claim {
  const credit = (said: Claimed): Claimed => ({ title: said.title, creator: said.creator });
  return { title, creator, ...(root && { root: credit(root) }), ...(via && { via: via.map(credit) }) };
}

/** An origin as files and answers show it: with the creator's name, and the id only if there is a name. */
export interface NamedOrigin extends Origin {
  creator: string | null;
}

/** An attribution as files and answers show it, with the creators' current names. */
export interface NamedAttribution {
  root?: NamedOrigin | undefined;
  parent?: NamedOrigin | undefined;
  via?: NamedOrigin[] | undefined;
  claimed?: Claim | undefined;
}

/** Adds names to an attribution. `creators` are user names by id, without deleted or banned users. */
export function withCreators(
  { root, parent, via, claimed }: Attribution,
  creators: Readonly<Record<string, string>>,
): NamedAttribution {
  const nameOf = ({ creator_id: id }: Origin) =>
    (id !== null && Object.hasOwn(creators, id) ? creators[id] : null) ?? null;
  const name = (origin: Origin) => named(origin, nameOf(origin));
  return {
    ...(root && { root: name(root) }),
    ...(parent && { parent: name(parent) }),
    ...(via && { via: via.map(name) }),
    ...(claimed && { claimed }),
  };
}

function named(origin: Origin, creator: string | null): NamedOrigin {
  const { id, title, slug, creator_id, license, version, remix_depth } = origin;
  return {
    ...{ id, title, slug, creator, creator_id: creator === null ? null : creator_id, license, version },
    // Older rows have no such member; as the root of others they are originals.
    remix_depth: remix_depth ?? 0,
  };
}

/**
 * The works whose licenses bind a work with this attribution: root, parent and `via`. A work counts as the user's own when
 * they made it; a parent only when it is also the root, because any other parent contains work of others. With a claim, no work
 * counts as own. A claim itself binds only when there is neither root nor parent.
 */
export function licensedSources(attribution: unknown, userId: string): LicensedSource[] {
  const { root, parent, via, claimed } = membersOf(attribution);
  const further = objectsIn(via);
  if (!isObject(root) && !isObject(parent) && further.length === 0) return claimedSources(claimed);
  const sources: LicensedSource[] = [];
  const add = (origin: Record<string, unknown>, isWhole: boolean) => {
    const own = isWhole && claimed === undefined && origin.creator_id === userId;
    sources.push({ license: licenseOf(origin), own });
  };
  if (isObject(root)) add(root, true);
  if (isObject(parent)) add(parent, parent.remix_depth === 0 && (!isObject(root) || root.id === parent.id));
  for (const origin of further) add(origin, true);
  return sources;
}

/** A claim is never the user's own work. */
function claimedSources(claimed: unknown): LicensedSource[] {
  if (!isObject(claimed)) return [];
  const { root, via } = claimed;
  const others = [...objectsIn([root]), ...objectsIn(via)].filter(({ license }) => license !== undefined);
  return [claimed, ...others].map((said) => ({ license: licenseOf(said), own: false }));
}

/** An unknown license counts as the strictest under which a work can be published. */
function licenseOf(origin: Record<string, unknown>): License {
  return LICENSES.find((license) => license === origin.license) ?? "platform-free";
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
