import { say } from "./message.ts";

/** Shows a notice while the browser is offline. The page can still be read. */
export function startOfflineNotice(): void {
  const place = document.querySelector("#messages");
  const notice = document.createElement("p");
  notice.className = "message offline";
  notice.textContent = "You are offline. What you see may be old, and nothing can be saved.";
  const show = () => (navigator.onLine ? notice.remove() : place?.prepend(notice));
  show();
  addEventListener("online", show);
  addEventListener("offline", show);
}

/** Tells the user that a part of the page could not be loaded when it was needed. Only loading the page again can help. */
export function sayNotLoaded(): void {
  say(
    navigator.onLine
      ? "This part of the page could not be loaded."
      : "You are offline: this part of the page could not be loaded.",
    { text: "Load the page again", act: () => location.reload() },
  );
}
