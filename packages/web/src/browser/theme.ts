// This script runs before the page is painted, so that a chosen theme does not flash, and so that the space for elements that scripts show
// later is reserved from the start (styles/scripts.css).
document.documentElement.dataset.scripts = "";
const chosen = localStorage.getItem("keyhub-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
