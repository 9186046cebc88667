import { LICENSES, type License, type LicensedSource } from "./licence.ts";

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
}

interface Claimed {
  title: string;
  creator: string | null;
  license: License;
}

/** What a registry row says of where it comes from. Written once, with the row. */
export interface Attribution {
  root?: Origin;
  parent?: Origin;
  claimed?: Claim;
}

/**
 * The attribution of a copy: its parent is what was copied; its root is that of what was copied, which is the copied
 * listing itself when it is an original. What that listing merely claims goes along.
 */
export function inherit(from: Origin, carried: Attribution | null): Attribution {
  return {
    root: carried?.root ?? from,
    parent: from,
    ...(carried?.claimed && { claimed: carried.claimed }),
  };
}

/** An origin as a file or an answer names it: with the creator's name, and with the id only where there is a name. */
export interface NamedOrigin extends Origin {
  creator: string | null;
}

/** The origin with the name that its creator has now; null when that author is gone or banned. */
export function named(origin: Origin, creator: string | null): NamedOrigin {
  const { id, title, slug, creator_id, license, version, remix_depth } = origin;
  return {
    ...{ id, title, slug, creator, creator_id: creator === null ? null : creator_id, license, version },
    // Rows from before this was kept say nothing; as the root of others they are originals.
    remix_depth: remix_depth ?? 0,
  };
}

/**
 * What binds the licence of a work that came from elsewhere, out of its registry row's attribution. The root is one's own
 * when one made it; the parent only when it is an original of one's own, since a remix contains what others made. What a
 * document merely claims is never one's own.
 */
export function licensedSources(attribution: unknown, userId: string): LicensedSource[] {
  const { root, parent, claimed } = membersOf(attribution);
  const sources: LicensedSource[] = [];
  const add = (origin: unknown, own: boolean) => {
    if (isObject(origin)) sources.push({ license: licenseOf(origin), own });
  };
  add(root, membersOf(root).creator_id === userId);
  add(parent, membersOf(parent).creator_id === userId && membersOf(parent).remix_depth === 0);
  add(claimed, false);
  add(membersOf(claimed).root, false);
  return sources;
}

/** A licence that cannot be read is taken for the strictest under which a work can be published at all. */
function licenseOf(origin: Record<string, unknown>): License {
  return LICENSES.find((license) => license === origin.license) ?? "platform-free";
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
