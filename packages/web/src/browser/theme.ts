// This script runs before the page is painted. So the page never appears in another theme than the chosen one, and the space for elements
// that scripts show later is reserved from the start (styles/scripts.css).
document.documentElement.dataset.scripts = "";
const chosen = localStorage.getItem("keyhub-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
