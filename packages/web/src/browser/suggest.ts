/** The fewest letters that are looked up, and how long nobody types before, in milliseconds. */
const LETTERS = 2;
const PAUSE = 200;

/** Titles, creators and tags while somebody types in the search field; the browser shows the list, and its keys work. */
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
      // Without an answer there are none: the search itself says what is wrong.
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
