/** Shows a sentence for some seconds, with a link if there is one, and screen readers say it. */
export function say(text: string, link?: { href: string; text: string }): void {
  const place = document.querySelector("#messages");
  if (!place) return;
  const message = document.createElement("p");
  message.className = "message";
  message.textContent = text;
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link.href;
    anchor.textContent = link.text;
    message.append(" ", anchor);
  }
  place.append(message);
  setTimeout(() => message.remove(), 8_000);
}
