/** Makes the form of the filters submit itself when a filter changes. Its button is hidden: only pages without JavaScript need it. */
export function startFilters(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("[data-filters]")) {
    form.querySelector<HTMLButtonElement>("button")?.setAttribute("hidden", "");
    form.addEventListener("change", () => form.requestSubmit());
  }
  // Empty fields are left out of the address.
  document.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement) || target.method !== "get") return;
    for (const field of target.elements) {
      if ((field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && field.value === "") {
        field.disabled = true;
        setTimeout(() => {
          field.disabled = false;
        });
      }
    }
  });
}
