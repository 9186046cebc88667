import { startAccount } from "./account.ts";
import { startCopying } from "./copy.ts";
import { startDrawings } from "./drawing.ts";
import { startFilters } from "./filters.ts";
import { sayNotLoaded, startOfflineNotice } from "./offline.ts";
import { startPreview } from "./preview.ts";
import { startSuggestions } from "./suggest.ts";
import { startTemplate } from "./template.ts";
import { startThemeButton } from "./theme-button.ts";

// Starts everything that a page can do beyond links and forms. Each part looks for its own elements and does nothing if there are none.
startThemeButton();
startFilters();
startSuggestions();
startTemplate();
startDrawings();
startCopying();
startPreview();
startOfflineNotice();
startAccount();
if (document.querySelector("#app")) import("../app/main.tsx").catch(sayNotLoaded);

// Only `npm run dev` serves this address. The server sends a message after each new build of the pages.
if (document.querySelector('meta[name="keyhub-reload"]')) {
  new EventSource("/assets/reload").onmessage = () => location.reload();
}
