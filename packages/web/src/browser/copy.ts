import { say } from "./message.ts";

/** Copies a text to the clipboard; shows the text if the browser forbids copying. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(`This browser does not let a page copy: ${text}`);
  }
}

/** Starts the buttons that copy a filled-in template or code, and the fields that select their text on focus. */
export function startCopying(root: ParentNode = document): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    const text = button
      .closest("[data-template], [data-code]")
      ?.querySelector<HTMLElement>("[data-template-text], [data-source]");
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
  for (const field of root.querySelectorAll<HTMLTextAreaElement>("[data-select]")) {
    field.addEventListener("focus", () => field.select());
  }
}
