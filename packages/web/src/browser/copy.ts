import { say } from "./message.ts";

/** Buttons that copy a template as it is filled in, and fields that select themselves. */
export function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    const text = button.closest("[data-template]")?.querySelector<HTMLElement>("[data-template-text]");
    if (!text) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent ?? "");
        say("Copied.");
      } catch {
        getSelection()?.selectAllChildren(text);
        say("This browser does not let a page copy. The text is selected: copy it with the keyboard.");
      }
    });
  }
  for (const field of document.querySelectorAll<HTMLTextAreaElement>("[data-select]")) {
    field.addEventListener("focus", () => field.select());
  }
}
