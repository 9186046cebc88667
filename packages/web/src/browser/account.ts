import { hasSession } from "../app/session.ts";
import { sayNotLoaded } from "./offline.ts";

/**
 * Starts the parts that depend on the viewer: the account button on top, and the actions of listings. Their code is loaded at once for
 * members, and on the first click for guests.
 */
export function startAccount(): void {
  const load = () => import("./actions.ts").catch(sayNotLoaded);
  const isMember = hasSession();
  if (isMember) load().then((actions) => actions?.startMember());
  document.addEventListener("click", async (event) => {
    const link = (event.target as Element).closest<HTMLElement>("[data-action]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
      return;
    // A guest cannot star, follow or report, so the browser follows the link to the page for signing in.
    if (!isMember && /^(star|follow|report)$/.test(link.dataset.action ?? "")) return;
    event.preventDefault();
    link.closest<HTMLElement>("[popover]")?.hidePopover();
    await (await load())?.act(link);
  });
}
