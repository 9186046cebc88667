/** Starts the button that switches between the light and the dark theme. Until its first use, the page has the system's theme. */
export function startThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-theme-toggle]");
  if (!button) return;
  const root = document.documentElement;
  button.hidden = false;
  button.addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("keyhub-theme", root.dataset.theme);
  });
}
