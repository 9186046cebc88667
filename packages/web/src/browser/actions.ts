import type { AssetType, Hub } from "@keyhub/hub/source";
import { guestHub, hasSession, loginPath, member, type SignedIn } from "../app/session.ts";
import { keepLite, liteItems } from "../app/store/lite.ts";
import { embedCode } from "../data/embed-code.ts";
import type { Listing } from "../data/hub.ts";
import { copyText } from "./copy.ts";
import { say } from "./message.ts";
import { openReport } from "./report.ts";
import { showFailure } from "./show-failure.ts";

/** Changes the page for a signed-in member: adds the button to sign out, and shows what the member has starred, follows and has bought. */
export async function startMember(): Promise<void> {
  const known = await member().catch(() => null);
  if (!known) return;
  const account = document.querySelector<HTMLAnchorElement>("[data-account]");
  if (account) {
    // Use a button instead of a link: the router of the workspace would follow the link, and leave the page before the sign-out has
    // succeeded.
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.account = "";
    button.textContent = "Sign out";
    button.title = known.email;
    button.addEventListener("click", () => void signOut(known, button));
    account.replaceWith(button);
  }
  await Promise.all([showStars(known.hub), startFollow(known), startPurchases(known)]);
}

/** Runs the action of a link or button of a listing. If the session has ended, opens the page for signing in. */
export async function act(link: HTMLElement): Promise<void> {
  const { action } = link.dataset;
  // On a shelf, which only members see, the action is a button without an address, so the address for signing in is made here.
  const href = link instanceof HTMLAnchorElement ? link.href : loginPath(location.pathname);
  if (action === "follow") return toggleFollow(link, href);
  const listing = listingOf(link);
  if (!listing) return;
  if (action === "preview") return (await import("./look.ts")).openLook(link, href, listing.title);
  if (action === "copy-link") return copyText(new URL(href).href, "The link is copied.");
  if (action === "embed")
    return copyText(embedCode(listing, location.origin), "The code to embed it is copied.");
  const known = await member().catch(() => null);
  if (!known && hasSession()) return location.assign(href);
  if (action === "use" || action === "remix") return importListing(link, known);
  if (!known) return location.assign(href);
  if (action === "buy") return buy(link, known, listing.slug);
  if (action === "star") return toggleStar(known, listing.id);
  if (action === "report") return openReport(known.hub, listing.id);
  throw new Error(`unknown action: ${action}`);
}

/** Returns the listing of the nearest element around the link, because the page of a listing also has cards of other listings. */
function listingOf(link: HTMLElement) {
  const { asset: id, slug, type, title = "" } = link.closest<HTMLElement>("[data-asset]")?.dataset ?? {};
  return id && slug && type ? { id, slug, type: type as AssetType, title } : null;
}

async function signOut(known: SignedIn, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const { error } = await known.auth.signOut();
  if (!error) return location.reload();
  button.disabled = false;
  await showFailure(error, () => void signOut(known, button));
}

interface ImportAttempt {
  /** The idempotency key. A retry has the key of the first try, so that a lost answer does not cause a second copy. */
  idempotencyKey: string;
  /** Whether to make a copy even if the user already has one. */
  isSure: boolean;
}

/**
 * Runs "Use This" and "Remix": imports the listing into the account of a member, or into this browser for a guest. "Use This" asks before
 * it makes a second copy.
 */
export async function importListing(
  link: HTMLElement,
  known: SignedIn | null,
  taking: ImportAttempt = { idempotencyKey: crypto.randomUUID(), isSure: link.dataset.action === "remix" },
): Promise<void> {
  const listing = listingOf(link);
  if (!listing || link.ariaBusy === "true") return;
  const { slug, type, id: assetId } = listing;
  link.ariaBusy = "true";
  const mode = link.dataset.action === "remix" ? "remix" : "use";
  const open = (id: string) => ({ href: `/workspace/${type}/${id}`, text: "Open" });
  const { idempotencyKey } = taking;
  let { isSure } = taking;
  try {
    const copy = isSure ? null : await copyOf(known, assetId, type);
    isSure = true;
    if (copy) {
      const act = () => void importListing(link, known, { idempotencyKey, isSure });
      say("You already have a copy.", open(copy), { text: "Make another copy", act });
      return;
    }
    const answer = await (known?.hub ?? guestHub()).importAsset(slug, { mode, idempotencyKey });
    const id = answer.stored === "cloud" ? answer.created[0]?.id : await keepLite(answer.document);
    const warnings = answer.warnings.map(({ message }) => message).join(" ");
    if (mode === "remix" && id) {
      location.assign(`/workspace/${type}/${id}`);
      return;
    }
    say(
      `In your workspace${known ? "" : ", in this browser"}. ${warnings}`.trim(),
      ...(id ? [open(id)] : []),
    );
  } catch (error) {
    await showFailure(error, () => void importListing(link, known, { idempotencyKey, isSure }));
  } finally {
    link.ariaBusy = null;
  }
}

/** Returns the newest copy of a listing in the workspace; null when there is none. */
async function copyOf(known: SignedIn | null, assetId: string, type: AssetType): Promise<string | null> {
  if (!known) {
    const items = await liteItems();
    return items.find(({ document }) => document.attribution?.parent?.id === assetId)?.id ?? null;
  }
  for (const { asset_type, ref_id } of await known.hub.ownCopies(known.id, assetId)) {
    // An imported kit has several copies of the same listing, so check the type. The row of a published copy may be deleted while the
    // registry still has the copy, so check that the row exists.
    if (asset_type === type && (await known.hub.workspace(type).get(ref_id))) return ref_id;
  }
  return null;
}

/** Orders a listing, and opens the page of the payment provider. */
async function buy(link: HTMLElement, known: SignedIn, slug: string): Promise<void> {
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  try {
    const { url } = await known.hub.checkout(slug);
    if (url) location.assign(url);
  } catch (error) {
    await showFailure(error, () => void buy(link, known, slug));
  } finally {
    link.ariaBusy = null;
  }
}

/**
 * Changes "buy" to "use" at every listing that the member has bought. On the page of one listing, its creator gets "use", too, and the
 * teaser is replaced by the content for the buyer and for the creator.
 */
async function startPurchases({ hub }: SignedIn): Promise<void> {
  const links = document.querySelectorAll<HTMLAnchorElement>('[data-action="buy"]');
  if (links.length === 0) return;
  const bought = new Set(
    (await hub.purchases().catch(() => [])).flatMap(({ asset_id, readable }) => (readable ? [asset_id] : [])),
  );
  const place = document.querySelector<HTMLElement>("[data-teaser]");
  const shown = place?.closest<HTMLElement>("[data-asset]")?.dataset.asset;
  const asset = shown ? await hub.asset(shown).catch(() => null) : null;
  const isOpen = asset !== null && !asset.deleted && asset.readable;
  if (isOpen) bought.add(asset.id);
  for (const link of links) {
    if (!bought.has(link.closest<HTMLElement>("[data-asset]")?.dataset.asset ?? "")) continue;
    link.dataset.action = "use";
    link.removeAttribute("aria-label");
    const label = link.querySelector("span");
    if (label) label.textContent = "Use this";
  }
  if (place && isOpen) (await import("./bought.tsx")).showContent(place, asset as Listing);
}

/** Shows whether the member follows the creator of the page. */
async function startFollow({ hub }: SignedIn): Promise<void> {
  const link = document.querySelector<HTMLAnchorElement>('[data-action="follow"]');
  if (link)
    showFollow(link, (await hub.followed().catch((): string[] => [])).includes(link.dataset.creator ?? ""));
}

function showFollow(link: HTMLElement, follows: boolean): void {
  link.setAttribute("role", "button");
  link.setAttribute("aria-pressed", String(follows));
  link.textContent = follows ? "Following" : "Follow";
}

async function toggleFollow(link: HTMLElement, href: string): Promise<void> {
  if (link.ariaBusy === "true") return;
  const known = await member().catch(() => null);
  if (!known) return location.assign(href);
  link.ariaBusy = "true";
  const wanted = link.ariaPressed !== "true";
  const { creator = "" } = link.dataset;
  showFollow(link, wanted);
  try {
    await (wanted ? known.hub.follow(creator) : known.hub.unfollow(creator));
    if (wanted)
      say("What they publish is in your workspace.", { href: "/workspace/following", text: "Following" });
  } catch (error) {
    showFollow(link, !wanted);
    await showFailure(error, () => void toggleFollow(link, href));
  } finally {
    link.ariaBusy = null;
  }
}

const busy = new Set<string>();

/** Shows which of the page's listings the member has starred. */
export async function showStars(hub: Hub): Promise<void> {
  const links = document.querySelectorAll<HTMLElement>('[data-action="star"]');
  const ids = [...links].map((link) => link.closest<HTMLElement>("[data-asset]")?.dataset.asset ?? "");
  if (ids.length === 0) return;
  const starred = new Set(await hub.starred([...new Set(ids)]).catch(() => []));
  for (const [i, link] of links.entries()) showStar(link, starred.has(ids[i] ?? ""));
}

function showStar(link: HTMLElement, starred: boolean): void {
  link.setAttribute("role", "button");
  link.setAttribute("aria-pressed", String(starred));
  const label = link.querySelector("span");
  if (label) label.textContent = starred ? "Starred" : "Star";
}

/** Adds or removes a star. The whole page shows the change at once, and shows the earlier state again if the hub refuses. */
async function toggleStar(known: SignedIn, id: string): Promise<void> {
  const links = document.querySelectorAll<HTMLElement>(`[data-asset="${id}"] [data-action="star"]`);
  const own = [...links].filter((link) => link.closest<HTMLElement>("[data-asset]")?.dataset.asset === id);
  if (busy.has(id)) return;
  busy.add(id);
  const wanted = own[0]?.ariaPressed !== "true";
  const show = (starred: boolean) => {
    for (const link of own) showStar(link, starred);
    for (const counter of document.querySelectorAll(`[data-stars="${id}"]`)) count(counter, starred ? 1 : -1);
  };
  show(wanted);
  try {
    await (wanted ? known.hub.star(id) : known.hub.unstar(id));
  } catch (error) {
    show(!wanted);
    await showFailure(error, () => void toggleStar(known, id));
  } finally {
    busy.delete(id);
  }
}

/** Adds the change to a shown number of stars; a shortened number such as 1.2K stays as it is. */
function count(counter: Element, change: number): void {
  if (!/^\d+$/.test(counter.textContent ?? "")) return;
  const stars = Number(counter.textContent) + change;
  counter.textContent = String(stars);
  const word = counter.parentElement?.querySelector("[data-star-word]");
  if (word) word.textContent = stars === 1 ? "star" : "stars";
}
