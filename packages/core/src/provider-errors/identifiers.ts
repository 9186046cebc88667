/** The most characters of an answer's identifiers that are read. */
const MAX_NAMED = 600;

/**
 * Returns the words of identifiers in any style: "RateLimitExceeded", "RATE_LIMIT-EXCEEDED" and
 * "https://x.example/errors#rate.limit.exceeded" become "rate limit exceeded". " | " separates the identifiers.
 */
export function wordsOf(identifiers: Iterable<string>): string {
  let all = "";
  for (const identifier of identifiers) {
    if (all.length > MAX_NAMED) break;
    all += `${all === "" ? "" : " | "}${wordsIn(identifier)}`;
  }
  return all;
}

function wordsIn(identifier: string): string {
  const bare = /^https?:/i.test(identifier) ? identifier.replace(/^.*[/#](?=.)/, "") : identifier;
  return bare
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_.:/@#\s-]+/g, " ")
    .toLowerCase();
}
