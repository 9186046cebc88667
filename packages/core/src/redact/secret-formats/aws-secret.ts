import { looksRandom } from "../evidence/entropy.ts";
import type { Span } from "../types.ts";

/** The rule of an access key's id, and the rule of its secret half, which only its place beside the id shows to be a secret. */
export const AWS_ID_RULE = "aws-access-key-id";
export const AWS_SECRET_RULE = "aws-secret-access-key";
/** How far after the id of an access key its secret may be, in characters. */
export const AWS_NEAR = 160;
const AWS_SECRET = /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y;

/** Finds the secret half of an AWS key, 40 characters of base64, near its id. */
export function awsSecretAt(text: string, start: number): Span | null {
  let from = start;
  while (from > 0 && start - from < 40 && /[/+]/.test(text[from - 1] as string)) from--;
  AWS_SECRET.lastIndex = from;
  if (!AWS_SECRET.test(text)) return null;
  const end = AWS_SECRET.lastIndex;
  return looksRandom(text.slice(from, end)) ? { start: from, end, rule: AWS_SECRET_RULE } : null;
}
