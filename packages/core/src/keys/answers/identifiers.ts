/** How many characters of an answer's identifiers are read. */
const MAX_NAMED = 600;

/**
 * The words of identifiers in any style: "RateLimitExceeded", "RATE_LIMIT-EXCEEDED" and
 * "https://x.example/errors#rate.limit.exceeded" are "rate limit exceeded". " | " separates the identifiers.
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
    .toLowerCase()
    .replace(CUT_OFF, (_, part: string) => cutOff(part));
}

/** The likely whole of a word that was cut off, with the mark "cut": it is likely, but not stated. */
function cutOff(part: string): string {
  const word = TELLING.find((whole) => whole.startsWith(part));
  return word === undefined || word === part ? part : `cut ${word}`;
}

/** Last words of identifiers that state what happened; a log that shortens its lines may cut them off. */
const TELLING = [
  "invalid",
  "expired",
  "exceeded",
  "exhausted",
  "insufficient",
  "revoked",
  "disabled",
  "unauthorized",
];
const CUT_OFF =
  /\b(inva|inval|invali|expi|expir|exce|excee|exceede|exha|exhau|exhaus|insuf\w{0,6}|revo|revok|disab|disabl|unauth\w{0,6})(?=…? ?$)/;
