import { hasSession } from "../app/session.ts";
import { sayNotLoaded } from "./offline.ts";

/** What depends on who looks: the button on top, and the actions of a listing. Loaded at once for members, for guests on the first click. */
export function startAccount(): void {
  if (hasSession()) {
    import("./actions.ts").then(({ startMember }) => startMember(), sayNotLoaded);
    return;
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>(
    '[data-action="use"], [data-action="remix"]',
  )) {
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      const actions = await import("./actions.ts").catch(sayNotLoaded);
      await actions?.importListing(link, null);
    });
  }
}
