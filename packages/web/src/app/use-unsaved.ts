import { useEffect } from "preact/hooks";

const QUESTION = "Leave without saving? What you changed is lost.";

/** Asks before a link or the browser leaves a form with changes that are not stored. */
export function useUnsaved(isEdited: boolean): void {
  useEffect(() => {
    if (!isEdited) return;
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
    // Before the router sees the click.
    document.addEventListener("click", click, { capture: true });
    return () => {
      removeEventListener("beforeunload", unload);
      document.removeEventListener("click", click, { capture: true });
    };
  }, [isEdited]);
}
