import type { AssetType } from "@keyhub/hub/source";
import { guestHub, type Member, member } from "../app/session.ts";
import { keepLite, liteItems } from "../app/store/lite.ts";
import { say } from "./message.ts";
import { openReport } from "./report.ts";
import { showFailure } from "./show-failure.ts";

/** For somebody who has signed in: stars as they stand, and actions that act. */
export async function startMember(): Promise<void> {
  const known = await member().catch(() => null);
  if (!known) return;
  const account = document.querySelector<HTMLAnchorElement>("[data-account]");
  if (account) {
    // A button: the router of the workspace would follow the link, whose page then leaves before the answer has come.
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.account = "";
    button.textContent = "Sign out";
    button.title = known.email;
    button.addEventListener("click", () => void signOut(known, button));
    account.replaceWith(button);
  }
  for (const action of ["use", "remix"]) {
    const link = document.querySelector<HTMLAnchorElement>(`[data-action="${action}"]`);
    link?.addEventListener("click", (event) => {
      event.preventDefault();
      void importListing(link, known);
    });
  }
  const asset = document.querySelector<HTMLElement>("[data-asset]");
  if (!asset?.dataset.asset) return;
  await startStar(known, asset.dataset.asset);
  const { asset: id = "" } = asset.dataset;
  document.querySelector('[data-action="report"]')?.addEventListener("click", (event) => {
    event.preventDefault();
    openReport(known.hub, id);
  });
}

async function signOut(known: Member, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const { error } = await known.auth.signOut();
  if (!error) return location.reload();
  button.disabled = false;
  await showFailure(error, () => void signOut(known, button));
}

interface ImportAttempt {
  /** A retry has the idempotency key of the first try, so that an answer that was lost on its way makes no second copy. */
  idempotencyKey: string;
  /** Whether a copy is made without looking for one that is there. */
  isSure: boolean;
}

/** Use This and Remix: into the account of a member, into this browser for a guest. Use This asks before it makes a second copy. */
export async function importListing(
  link: HTMLAnchorElement,
  known: Member | null,
  taking: ImportAttempt = { idempotencyKey: crypto.randomUUID(), isSure: link.dataset.action === "remix" },
): Promise<void> {
  const asset = document.querySelector<HTMLElement>("[data-asset]")?.dataset;
  const { slug, type, asset: assetId } = asset ?? {};
  if (!slug || !type || !assetId || link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  const mode = link.dataset.action === "remix" ? "remix" : "use";
  const open = (id: string) => ({ href: `/workspace/${type}/${id}`, text: "Open" });
  const { idempotencyKey } = taking;
  let { isSure } = taking;
  try {
    const copy = isSure ? null : await copyOf(known, assetId, type as AssetType);
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

/** The newest copy of a listing that is in the workspace. */
async function copyOf(known: Member | null, assetId: string, type: AssetType): Promise<string | null> {
  if (!known) {
    const items = await liteItems();
    return items.find(({ document }) => document.attribution?.parent?.id === assetId)?.id ?? null;
  }
  for (const { asset_type, ref_id } of await known.hub.ownCopies(known.id, assetId)) {
    // Of a kit also its items have come from it, and a copy that was published may be gone while its listing stays.
    if (asset_type === type && (await known.hub.workspace(type).get(ref_id))) return ref_id;
  }
  return null;
}

/** A star changes at once, and back again when the hub refuses it. */
async function startStar({ hub }: Member, id: string): Promise<void> {
  const link = document.querySelector<HTMLAnchorElement>('[data-action="star"]');
  const counter = document.querySelector<HTMLElement>(`.asset-counts [data-stars="${id}"]`);
  if (!link) return;
  let starred = (await hub.starred([id]).catch(() => [])).length > 0;
  const show = (change: number) => {
    link.setAttribute("aria-pressed", String(starred));
    const label = link.querySelector("span");
    if (label) label.textContent = starred ? "Starred" : "Star";
    // A shortened number (1.2K) stays as it is.
    if (!counter || !/^\d+$/.test(counter.textContent ?? "")) return;
    const stars = Number(counter.textContent) + change;
    counter.textContent = String(stars);
    const word = document.querySelector("[data-star-word]");
    if (word) word.textContent = stars === 1 ? "star" : "stars";
  };
  link.setAttribute("role", "button");
  show(0);
  let busy = false;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    starred = !starred;
    show(starred ? 1 : -1);
    try {
      await (starred ? hub.star(id) : hub.unstar(id));
    } catch (error) {
      starred = !starred;
      show(starred ? 1 : -1);
      await showFailure(error, () => link.click());
    } finally {
      busy = false;
    }
  });
}
