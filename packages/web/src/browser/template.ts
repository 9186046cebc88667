/** Shows the template with the values that the user is typing for its variables. */
export function startTemplate(root: ParentNode = document): void {
  for (const view of root.querySelectorAll<HTMLElement>("[data-template]")) {
    const form = view.querySelector<HTMLFormElement>("[data-template-form]");
    if (!form) continue;
    form.hidden = false;
    form.addEventListener("input", ({ target }) => {
      if (!(target instanceof HTMLTextAreaElement)) return;
      for (const mark of view.querySelectorAll<HTMLElement>("mark[data-variable]")) {
        if (mark.dataset.variable !== target.name) continue;
        mark.textContent = target.value || `{{${target.name}}}`;
        mark.classList.toggle("filled", target.value !== "");
      }
    });
    form.addEventListener("submit", (event) => event.preventDefault());
  }
}
