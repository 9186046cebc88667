import { isAsStrict, LICENSES, type License, type LicensedSource } from "./license.ts";

/** A listing that something comes from, as it was when it was taken. The creator's name is looked up when shown. */
export interface Origin {
  id: string;
  title: string;
  slug: string;
  creator_id: string | null;
  license: License;
  version: number;
  remix_depth: number;
}

/** Whom a file says it comes from, where nobody could check it: text, without any id. */
export interface Claim extends Claimed {
  /** The original, where that is another work. */
  root?: Claimed | undefined;
  /** All further works that the file names. */
  via?: Claimed[] | undefined;
}

/** Without a license where the claim only goes along: there it binds nobody. */
export interface Claimed {
  title: string;
  creator: string | null;
  license?: License | undefined;
}

/** What a registry row says of where it comes from. Written once, with the row. */
export interface Attribution {
  root?: Origin;
  parent?: Origin;
  /** Whoever else's work may be inside: between root and parent, and kits that it was handed on in. */
  via?: Origin[];
  claimed?: Claim;
}

/** Of so many further works the authors are kept; a copy that would have more cannot be made. */
export const VIA_LIMIT = 50;

/** A claim names so many further works, whatever its file says. */
export const CLAIM_LIMIT = 20;

/**
 * The attribution of a copy of a listing: its parent is what was copied; its root is that of what was copied, which is the
 * copied listing itself when it is an original. Everybody whom the listing names is named on.
 */
export function inherit(from: Origin, carried: Attribution | null): Attribution {
  const { root = from, parent, via = [], claimed } = carried ?? {};
  return complete(root, from, parent === undefined ? via : [...via, parent], claimed);
}

/**
 * The attribution of a copy of a kit's item. What came from elsewhere keeps its own root and parent, and the kit, whose
 * maker may have worked on it, is named beside them; the rest comes from the kit.
 */
export function inheritItem(kit: Origin, carried: Attribution | null): Attribution {
  const { root, parent = root, via = [], claimed } = carried ?? {};
  if (parent === undefined) return inherit(kit, carried);
  return complete(root ?? parent, parent, [...via, kit], claimed);
}

/** Every author is in it, and of each author the strictest license; nobody is in it more often than that needs. */
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
  return (sameAuthor || origin.id === other.id) && isAsStrict(origin.license, other.license);
}

function withoutLicense({ title, creator, root, via }: Claim): Claim {
  const credit = (said: Claimed): Claimed => ({ title: said.title, creator: said.creator });
  return { title, creator, ...(root && { root: credit(root) }), ...(via && { via: via.map(credit) }) };
}

/** An origin as a file or an answer names it: with the creator's name, and with the id only where there is a name. */
export interface NamedOrigin extends Origin {
  creator: string | null;
}

/** An attribution with the names that its creators have now, as files and answers show it. */
export interface NamedAttribution {
  root?: NamedOrigin | undefined;
  parent?: NamedOrigin | undefined;
  via?: NamedOrigin[] | undefined;
  claimed?: Claim | undefined;
}

/** Puts names to an attribution. `creators` are user names by id; an author who is gone or banned is not among them. */
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
    // Rows from before this was kept say nothing; as the root of others they are originals.
    remix_depth: remix_depth ?? 0,
  };
}

/**
 * What binds the license of a work that came from elsewhere, out of its registry row's attribution: root, parent and all
 * further works. What one made oneself is own; a parent only when it is the root, since any other contains what others made.
 * Nothing is own where a file's claim goes along. A claim itself binds only where there is neither root nor parent.
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

/** What a file says is never one's own. */
function claimedSources(claimed: unknown): LicensedSource[] {
  if (!isObject(claimed)) return [];
  const { root, via } = claimed;
  const others = [...objectsIn([root]), ...objectsIn(via)].filter(({ license }) => license !== undefined);
  return [claimed, ...others].map((said) => ({ license: licenseOf(said), own: false }));
}

/** A license that cannot be read is taken for the strictest under which a work can be published at all. */
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
