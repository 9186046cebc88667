// Loaded before the page is painted, so that a chosen theme does not flash, and what scripts will show has its place from the start
// (styles/scripts.css).
document.documentElement.dataset.scripts = "";
const chosen = localStorage.getItem("keyhub-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
