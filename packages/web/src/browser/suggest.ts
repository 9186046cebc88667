/** The smallest number of letters for a lookup, and the pause in typing before a lookup, in milliseconds. */
const LETTERS = 2;
const PAUSE = 200;

/** Suggests titles, creators and tags while the user types in the search field. The browser itself shows the list and handles the keys. */
export function startSuggestions(): void {
  const input = document.querySelector<HTMLInputElement>("#q");
  if (!input) return;
  const list = document.createElement("datalist");
  list.id = "suggestions";
  input.after(list);
  input.setAttribute("list", list.id);
  input.autocomplete = "off";
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let asked = "";
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    const typed = input.value.trim();
    if (typed.length < LETTERS || typed === asked) return;
    waiting = setTimeout(async () => {
      asked = typed;
      const { suggestionsFor } = await import("./suggestions.ts");
      // Without an answer there are no suggestions; the search itself shows the failure.
      const found = await suggestionsFor(typed).catch(() => []);
      if (input.value.trim() !== typed) return;
      list.replaceChildren(
        ...found.map((text) => {
          const option = document.createElement("option");
          option.value = text;
          return option;
        }),
      );
    }, PAUSE);
  });
}
