type Next = { text: string; href: string } | { text: string; act: () => void };

/** Milliseconds; longer where there is something to press. */
const SHOWN = 8_000;
const SHOWN_WITH_BUTTON = 30_000;

/** Shows a sentence for some seconds, with a link or a button if there is one, and screen readers say it. */
export function say(text: string, next?: Next): void {
  const place = document.querySelector("#messages");
  if (!place) return;
  const message = document.createElement("p");
  message.className = "message";
  message.dir = "auto";
  // While there is no connection one message is enough, the latest; app.css hides the notice meanwhile.
  if (!navigator.onLine) {
    place.querySelector("[data-offline]")?.remove();
    message.dataset.offline = "";
  }
  message.textContent = text;
  if (next && "href" in next) {
    const anchor = document.createElement("a");
    anchor.href = next.href;
    anchor.textContent = next.text;
    message.append(" ", anchor);
  } else if (next) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = next.text;
    button.addEventListener("click", () => {
      message.remove();
      next.act();
    });
    message.append(" ", button);
  }
  place.append(message);
  setTimeout(() => message.remove(), next && "act" in next ? SHOWN_WITH_BUTTON : SHOWN);
}
