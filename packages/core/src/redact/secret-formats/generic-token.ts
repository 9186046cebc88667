import { looksRandom } from "../evidence/entropy.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import { isFileName } from "../evidence/type-and-file-names.ts";
import type { Span } from "../types.ts";

/** Words in a prefix that say "this is a key": `acme_live_…`, `foo-api-key-…`, `xx_pat_…`. */
const HINT =
  /(?:^|[_-])(?:sk|rk|ak|sec|secret|key|keys|apikey|api|tok|token|tkn|tk|pat|pak|auth|access|live|prod|priv|private|admin|svc|bot|cred|pass|pw|oauth|refresh|rt|session|test|root|master|srv|server|secrets?|sat|pt|at|st|ss)(?:[_-]|$)/i;

/** Prefixes of identifiers that are not secrets, even when random text follows. */
export const IDENTIFIER_PREFIX =
  /^(?:sha\d*|md5|call|chatcmpl|cmpl|run|asst|thread|step|msg|toolu|srvtoolu|tool|resp|req|evt|event|cus|price|prod|pi|ch|sub|in|item|file|files|vs|batch|ft|ftjob|user|org|proj|project|team|workspace|wf|workflow|node|edge|doc|page|block|img|image|video|audio|pk|pub|public|publishable|phc|sb_publishable|cid|uid|id|uuid|hash|etag|build|commit|rev|ver|version|css|sc|jss|emotion|chunk|index|vendor|main|app|module|session|conv|conversation|chat|model|ckpt|lora|rs|ws|mcp|ci|fc|ig|cu|rec|tbl|fld|viw|wfl|dpl|prj|iad1|arn|urn|did|ipfs|bafy|qm|addr|addr1|tx|block|0x)(?:[_-]|$)/i;

const PREFIX = "[A-Za-z][A-Za-z0-9]{0,15}(?:[_-][A-Za-z][A-Za-z0-9]{0,9}){0,3}";
const SHAPE = new RegExp(`^(${PREFIX})[_-]([A-Za-z0-9]{16,200})$`);
/** A random part followed by a checksum, which some issuers add. */
const CHECKED = new RegExp(`^(${PREFIX})[_-]([A-Za-z0-9]{24,200})[_-][A-Za-z0-9]{6,12}$`);
/** A random part in base64url after a prefix with a word of HINT. */
const HINTED = /^([a-z]{2,10}(?:[_-][a-z]{2,10}){1,3})_([A-Za-z0-9_-]{28,200})$/;

/**
 * Finds a token of an unknown format: a prefix and a long random part. The part has at least 20 characters (28 in base64url) after a
 * prefix with `key`, `live` or the like, at least 24 before a checksum, else at least 32 of mixed case. Runs over 256 are not read.
 */
export function genericTokenAt(text: string, start: number, end: number, classes: number): Span | null {
  if ((classes & 4) === 0 || end - start > 256) return null;
  const run = text.slice(start, end);
  const body = bodyOf(run);
  if (body === null || !/\d/.test(body) || !looksRandom(body) || isFakeToken(run)) return null;
  if (isFileName(text, end - body.length, end, body)) return null;
  // A second half after a dot is part of the token.
  const rest = /^\.[A-Za-z0-9_-]{16,200}/.exec(text.slice(end, end + 201))?.[0] ?? "";
  return { start, end: end + rest.length, rule: "random-token" };
}

function bodyOf(run: string): string | null {
  const [, prefix = "", body = ""] = SHAPE.exec(run) ?? [];
  if (prefix !== "") {
    if (IDENTIFIER_PREFIX.test(prefix)) return null;
    if (HINT.test(prefix)) return body.length >= 20 ? body : null;
    const plain = /^[a-z\d_-]+$|^[A-Z\d_-]+$/.test(prefix);
    return plain && body.length >= 32 && /[a-z]/.test(body) && /[A-Z]/.test(body) ? body : null;
  }
  const [, checkedPrefix = "", checked = ""] = CHECKED.exec(run) ?? [];
  if (checkedPrefix !== "") return IDENTIFIER_PREFIX.test(checkedPrefix) ? null : checked;
  const [, hintedPrefix = "", hinted = ""] = HINTED.exec(run) ?? [];
  if (hintedPrefix === "" || !HINT.test(hintedPrefix) || IDENTIFIER_PREFIX.test(hintedPrefix)) return null;
  return /[a-z]/.test(hinted) && /[A-Z]/.test(hinted) ? hinted : null;
}
