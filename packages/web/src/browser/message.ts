type Next = { text: string; href: string } | { text: string; act: () => void };

/** How long a message is shown, in milliseconds; longer if it has a button. */
const SHOWN = 8_000;
const SHOWN_WITH_BUTTON = 30_000;
/** The largest number of messages at a time; the latest are shown. */
const MOST = 3;

/** Shows a sentence for some seconds, with links and buttons if given. Screen readers read it aloud. */
export function say(text: string, ...next: Next[]): void {
  const place = document.querySelector("#messages");
  if (!place) return;
  const message = document.createElement("p");
  message.className = "message";
  message.dir = "auto";
  // While the browser is offline, only the latest message is shown; app.css hides the offline notice meanwhile.
  if (!navigator.onLine) {
    place.querySelector("[data-offline]")?.remove();
    message.dataset.offline = "";
  }
  message.textContent = text;
  for (const one of next) {
    if ("href" in one) {
      const anchor = document.createElement("a");
      anchor.href = one.href;
      anchor.textContent = one.text;
      message.append(" ", anchor);
    } else {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = one.text;
      button.addEventListener("click", () => {
        message.remove();
        one.act();
      });
      message.append(" ", button);
    }
  }
  // Remove an earlier message with the same text, so that no text is shown twice.
  for (const earlier of [...place.children])
    if (earlier.textContent === message.textContent) earlier.remove();
  place.append(message);
  while (place.children.length > MOST) place.firstElementChild?.remove();
  setTimeout(() => message.remove(), next.some((one) => "act" in one) ? SHOWN_WITH_BUTTON : SHOWN);
}
