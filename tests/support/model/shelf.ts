/**
 * A small reference model of shelves, written from the rules and not from the SQL: who may read which version of which listing. Each action
 * returns the code of its refusal, or "ok".
 */
export interface Origin {
  /** The organization whose members may read the copied version; null for everybody. */
  readers: string | null;
  creator: string;
}

export interface Listing {
  id: string;
  refId: string;
  creator: string;
  /** The readers of each version, from the first version on. */
  versions: (string | null)[];
  /** The people who can see the listing now, besides its creator. */
  at: "everybody" | "shelf" | "nobody";
  origins: Origin[];
  deleted: boolean;
}

export class Shelves {
  members = new Map<string, Set<string>>();
  listings: Listing[] = [];

  isMember(user: string | null, organization: string): boolean {
    return user !== null && this.members.get(organization)?.has(user) === true;
  }

  join(user: string, organization: string): void {
    this.members.get(organization)?.add(user);
  }

  leave(user: string, organization: string): void {
    const left = this.members.get(organization);
    left?.delete(user);
    if (left?.size !== 0) return;
    this.members.delete(organization);
    for (const listing of this.listings)
      if (listing.at === "shelf" && readersOf(listing) === organization) listing.at = "nobody";
  }

  /** Checks a publication; `listing` is null for a new listing. */
  publish(user: string, listing: Listing | null, readers: string | null): string {
    if (readers !== null && !this.isMember(user, readers)) return "organization_not_found";
    if (listing?.at === "everybody" && readers !== null) return "already_public";
    const strange = (origin: Origin) =>
      origin.readers !== null && origin.readers !== readers && origin.creator !== user;
    if (listing?.origins.some(strange)) return "organization_only";
    return "ok";
  }

  published(listing: Listing, readers: string | null): void {
    listing.versions.push(readers);
    listing.at = readers === null ? "everybody" : "shelf";
    // The attribution of a public listing leaves out works of a shelf.
    if (readers === null) listing.origins = listing.origins.filter((origin) => origin.readers === null);
  }

  takeOff(listing: Listing): void {
    listing.at = "nobody";
  }

  putBack(listing: Listing): string {
    const readers = readersOf(listing);
    if (readers !== null && !this.isMember(listing.creator, readers)) return "organization_not_found";
    listing.at = readers === null ? "everybody" : "shelf";
    return "ok";
  }

  sees(user: string | null, listing: Listing): boolean {
    if (listing.deleted) return false;
    if (listing.creator === user || listing.at === "everybody") return true;
    const readers = readersOf(listing);
    return listing.at === "shelf" && readers !== null && this.isMember(user, readers);
  }

  /** Returns the versions that a user may read, as `id version`. */
  versionsFor(user: string | null): string[] {
    return this.listings
      .filter((listing) => this.sees(user, listing))
      .flatMap(({ id, creator, versions }) =>
        versions.flatMap((readers, n) =>
          creator === user || readers === null || this.isMember(user, readers) ? [`${id} ${n + 1}`] : [],
        ),
      )
      .sort();
  }

  shelfOf(organization: string): string[] {
    return this.listings
      .filter((listing) => listing.at === "shelf" && !listing.deleted && readersOf(listing) === organization)
      .map(({ id }) => id)
      .sort();
  }

  copyOf(listing: Listing, ids: { id: string; refId: string }, user: string): Listing {
    const origin = { readers: readersOf(listing), creator: listing.creator };
    const origins = [origin, ...listing.origins];
    return { ...ids, creator: user, versions: [], at: "nobody", origins, deleted: false };
  }
}

/** Returns the organization whose members may read the current version; null for everybody. */
export function readersOf({ versions }: Listing): string | null {
  return versions.at(-1) ?? null;
}
