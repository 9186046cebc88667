// Loaded before the page is painted, so that a chosen theme does not flash, and the place of what scripts show later is reserved from the start
// (styles/scripts.css).
document.documentElement.dataset.scripts = "";
const chosen = localStorage.getItem("keyhub-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
