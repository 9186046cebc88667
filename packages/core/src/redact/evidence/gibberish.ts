/** Returns whether a text is only letters, and its parts between capitals are not words (`fcPsCAfxlama`), as in no name of a product. */
export function isGibberish(text: string): boolean {
  if (text.length < 8 || text.length > 40 || !/^[A-Za-z]+$/.test(text)) return false;
  if (!/[a-z][A-Z]/.test(text)) return false;
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  const odd = parts.filter(
    (part) => part.length < 2 || !/[aeiouy]/i.test(part) || (part.length > 3 && !/[AEIOUaeiou]/.test(part)),
  ).length;
  return odd >= 2 && odd * 3 >= parts.length;
}
