import { sayNotLoaded } from "./offline.ts";

/** Shows the button that runs a component. The code for it is loaded on the click. */
export function startPreview(root: ParentNode = document): void {
  for (const view of root.querySelectorAll<HTMLElement>("[data-preview]")) {
    const button = view.querySelector<HTMLButtonElement>("[data-preview-run]");
    const place = view.querySelector<HTMLElement>("[data-preview-place]");
    const source = view.parentElement?.querySelector("[data-source]")?.textContent;
    if (!button || !place || source === null || source === undefined) continue;
    view.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const { runPreview } = await import("./preview-frame.ts");
        await runPreview({
          source,
          place,
          title: view.dataset.title ?? "",
          schema: JSON.parse(view.dataset.props ?? "null"),
        });
      } catch {
        sayNotLoaded();
      } finally {
        button.disabled = false;
      }
    });
  }
}
