import { type Problem, problemOf } from "../../../hub/src/index.ts";

/** What went wrong, for the person at the screen: what, each field, when to try again, and the id for the operator. */
export async function words(error: unknown): Promise<string> {
  return sentence(await problemOf(error));
}

export function sentence({ title, detail, errors, retryAfter, requestId }: Problem): string {
  return [
    `${detail && detail !== title ? `${title}: ${detail}` : title}.`.replace(/\.\.$/, "."),
    ...errors.slice(0, 5).map(({ path, message }) => `${path}: ${message}.`),
    retryAfter === undefined ? "" : `Try again in ${Math.ceil(retryAfter)} seconds.`,
    requestId === undefined ? "" : `Request ${requestId}.`,
  ]
    .filter(Boolean)
    .join(" ");
}
