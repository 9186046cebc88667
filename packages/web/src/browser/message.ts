/** Shows a sentence for some seconds, and screen readers say it. */
export function say(text: string): void {
  const place = document.querySelector("#messages");
  if (!place) return;
  const message = document.createElement("p");
  message.className = "message";
  message.textContent = text;
  place.append(message);
  setTimeout(() => message.remove(), 6_000);
}
