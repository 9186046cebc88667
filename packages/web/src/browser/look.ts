import { startCopying } from "./copy.ts";
import { startDrawings } from "./drawing.ts";
import { sayNotLoaded } from "./offline.ts";
import { startPreview } from "./preview.ts";
import { startTemplate } from "./template.ts";

/** Opens a dialog with the content of a listing, which is taken from the page of the listing. */
export async function openLook(link: HTMLElement, href: string, title: string): Promise<void> {
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  try {
    const response = await fetch(href);
    // A failed answer means that the listing was hidden or deleted meanwhile, so open its page, which explains that.
    if (!response.ok) return location.assign(href);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const content = page.querySelector("#content");
    if (!content) return location.assign(href);
    show(document.importNode(content, true), title, href);
  } catch {
    sayNotLoaded();
  } finally {
    link.ariaBusy = null;
  }
}

function show(content: Element, title: string, href: string): void {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog look";
  dialog.setAttribute("aria-labelledby", "look-title");
  dialog.innerHTML = `<p class="row spread"><a id="look-title" class="look-title" dir="auto"></a><button type="button">Close</button></p>`;
  const heading = dialog.querySelector("a");
  if (heading) {
    heading.textContent = title;
    heading.href = href.replace(/#.*/, "");
  }
  content.removeAttribute("id");
  dialog.append(content);
  dialog.querySelector("button")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  for (const start of [startTemplate, startCopying, startPreview]) start(dialog);
  dialog.showModal();
  startDrawings(dialog);
}
