/** Escapes a text for XML; removes characters that XML 1.0 does not allow. */
export function xml(text: string): string {
  return allowedInXml(text).replace(/[&<>"']/g, (one) => `&#${one.codePointAt(0)};`);
}

/** Removes the characters that XML 1.0 forbids even as escapes, because a single one of them makes a document unreadable. */
export function allowedInXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those that XML does not allow
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "")
  );
}
