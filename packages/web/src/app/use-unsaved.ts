import { useLayoutEffect } from "preact/hooks";

const QUESTION = "Leave without saving? What you changed is lost.";

/** The address of a form with changes that are not stored. */
let unsavedAt: string | null = null;

// Back and Forward inside the workspace do not load a page, so the browser does not send `beforeunload`. This listener asks the user
// instead. It must be added before the router's listener, because browsers call listeners in the order in which they were added.
addEventListener("popstate", (event) => {
  if (unsavedAt === null || location.href === unsavedAt || confirm(QUESTION)) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", unsavedAt);
});

/** Asks the user before a link, Back, or closing the page would lose the form's unstored changes. */
export function useUnsaved(isEdited: boolean): void {
  // useLayoutEffect runs at once. useEffect would run after the next frame, and the user may press Back before that.
  useLayoutEffect(() => {
    if (!isEdited) return;
    unsavedAt = location.href;
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    const click = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!link || link.getAttribute("target") === "_blank") return;
      if (confirm(QUESTION)) {
        removeEventListener("beforeunload", unload);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener("beforeunload", unload);
    // Listen in the capture phase, so that this listener runs before the router's listener.
    document.addEventListener("click", click, { capture: true });
    return () => {
      unsavedAt = null;
      removeEventListener("beforeunload", unload);
      document.removeEventListener("click", click, { capture: true });
    };
  }, [isEdited]);
}
