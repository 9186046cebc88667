/** A list of identifiers or phrases, written with " | " between them. */
export function words(text: string): string[] {
  return text
    .split("|")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
