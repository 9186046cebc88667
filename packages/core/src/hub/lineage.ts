import { isAsStrict, LICENSES, type License, type LicensedSource } from "./license.ts";

/** A listing that a copy comes from, as it was when the copy was made. The creator's name is only looked up when the origin is shown. */
export interface Origin {
  id: string;
  title: string;
  slug: string;
  creator_id: string | null;
  license: License;
  version: number;
  remix_depth: number;
  /** Only for a version that was shared in an organization: works made from it may only be published there. */
  organization_id?: string;
}

/** The origin that an unverified file claims, as text without ids. */
export interface Claim extends Claimed {
  /** The original work, if it is not the work that the claim itself names. */
  root?: Claimed | undefined;
  /** Other works that the file names. */
  via?: Claimed[] | undefined;
}

/** A work that a claim names. If there is also a verified origin, `license` is absent, because the origin's license applies instead. */
export interface Claimed {
  title: string;
  creator: string | null;
  license?: License | undefined;
}

/** The origins of a row of hub_assets, written with the row. An update of a copy may add origins but never removes any. */
export interface Attribution {
  root?: Origin;
  parent?: Origin;
  /** Other works that may be part of the copy: the works between root and parent, and the kits that contained the copied item. */
  via?: Origin[];
  claimed?: Claim;
}

/** The most entries in the `via` of an attribution and in the `via` of a claim. A copy that would need more is refused. */
export const VIA_LIMIT = 50;

/**
 * Returns the attribution of a copy of a listing. The parent is the copied listing. The root is the root of
 * that listing, or the listing itself if it is an original. All authors that the listing names stay named.
 */
export function inherit(from: Origin, carried: Attribution | null): Attribution {
  const { root = from, parent, via = [], claimed } = carried ?? {};
  return complete(root, from, parent === undefined ? via : [...via, parent], claimed);
}

/**
 * Returns the attribution of a copy of a kit's item. An item with an origin keeps its root and parent, and the kit
 * is added to `via`, because the kit's maker may have changed the item. For any other item, the kit is the parent.
 */
export function inheritItem(kit: Origin, carried: Attribution | null): Attribution {
  const { root, parent = root, via = [], claimed } = carried ?? {};
  if (parent === undefined) return inherit(kit, carried);
  return complete(root ?? parent, parent, [...via, kit], claimed);
}

/**
 * Makes an attribution. A work is left out of `via` if the root, the parent or another work in `via` covers it: that work is the same or
 * has the same author, and its license is at least as strict.
 */
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
  // If `other` was shared in an organization, only an origin of this organization covers it: `organization_id` limits who may read copies.
  const sameReaders = other.organization_id === undefined || origin.organization_id === other.organization_id;
  return sameReaders && (sameAuthor || origin.id === other.id) && isAsStrict(origin.license, other.license);
}

function withoutLicense({ title, creator, root, via }: Claim): Claim {
  const credit = (said: Claimed): Claimed => ({ title: said.title, creator: said.creator });
  return { title, creator, ...(root && { root: credit(root) }), ...(via && { via: via.map(credit) }) };
}

/** An origin as files and answers show it: with the creator's name. Without a known name, `creator_id` is null too. */
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

/** Adds the creators' names to an attribution. `creators` has user names by id, without deleted or banned users. */
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
    // Origins in older rows lack this member. They get 0, which means an original.
    remix_depth: remix_depth ?? 0,
  };
}

/**
 * Returns the works whose licenses bind a work with this attribution: root, parent and `via`. `own` is true for a work that the user made.
 * A parent that is a remix, or whose root is another work, is never `own`, because it contains work of others. If the attribution has a
 * claim, no work is `own`. The licenses of the claim bind only if there is no root, parent or `via`.
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

/** Returns the licenses of a claim. Claimed works are never `own`, because nobody verified who made them. */
function claimedSources(claimed: unknown): LicensedSource[] {
  if (!isObject(claimed)) return [];
  const { root, via } = claimed;
  const others = [...objectsIn([root]), ...objectsIn(via)].filter(({ license }) => license !== undefined);
  return [claimed, ...others].map((said) => ({ license: licenseOf(said), own: false }));
}

/** Returns the license of an origin; if it is unknown, `platform-free`, the strictest license that lets others publish a work again. */
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
