import { say } from "./message.ts";

/** Says that there is no connection for as long as there is none. What is on the screen can still be read. */
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

/** For a part of a page that is loaded when it is needed, and could not be: only loading the page again can bring it. */
export function sayNotLoaded(): void {
  say(
    navigator.onLine
      ? "This part of the page could not be loaded."
      : "You are offline: this part of the page could not be loaded.",
    { text: "Load the page again", act: () => location.reload() },
  );
}
