import { isLargerThanLimit } from "./larger-than-limit.ts";
import { firstIn, type List, listOf, mayHave } from "./lists.ts";
import { matches } from "./match.ts";
import { readProviderError } from "./read-provider-error.ts";
import { READERS, readerOf } from "./readers/index.ts";
import { INTERMEDIARIES } from "./readers/intermediaries.ts";
import { topicsOf } from "./topics/index.ts";
import type { Outcome, ProviderError, ReaderRule, Verdict } from "./types.ts";
import { words } from "./words.ts";

/** A caller's report of a call. */
export interface ReportedCall {
  status: "success" | "fail";
  errorCode?: number | string | null;
  /** The raw body, the provider's message alone, or an SDK's rendering of it. */
  errorMessage?: string | null;
}

/** A classified report. */
export interface Classified extends Verdict {
  /** The code as it is logged: a number of up to five digits or a known name, never free text. */
  code: string | null;
  /** The provider was not passed, and would change the verdict: look it up and classify again. */
  dependsOnProvider: boolean;
}

/**
 * Classifies a report by these rules, in this order: of the key's own provider; of other providers, for words that only one
 * provider uses; of intermediaries; common to all, by status. `provider` is the key's (null = any); undefined = not known yet.
 * Pure, never throws, time linear in the text.
 */
export function classify(report: ReportedCall, provider?: string | null): Classified {
  if (report.status === "success") return { ...is("success"), code: null, dependsOnProvider: false };
  const { error, code } = readProviderError(report.errorCode ?? null, report.errorMessage ?? null);
  const reader = typeof provider === "string" ? readerOf(provider) : undefined;
  const verdict = verdictOf(error, reader?.rules, reader?.onlyThisProvider);
  const dependsOnProvider =
    provider === undefined &&
    READERS.some(({ onlyThisProvider }) => onlyThisProvider?.some((rule) => differs(verdict, rule, error)));
  return { ...verdict, code, dependsOnProvider };
}

function verdictOf(
  error: ProviderError,
  rules: readonly ReaderRule[] = [],
  own: readonly ReaderRule[] = [],
): Verdict {
  if (error.form === "none") return byStatus(error);
  if (error.status === 408 && error.form === "text") return is("unreachable");
  if (ABOUT_THE_KEY.has(error.status) || error.form !== "text") {
    const ofProvider = first(rules, error) ?? first(own, error);
    if (ofProvider !== undefined) return ofProvider;
  }
  if (error.form === "html") return is("intermediary");
  // Words around a status that is not about the key mean nothing for the key: "[500] upstream said 403".
  const isText = error.form === "text" && !ABOUT_THE_KEY.has(error.status);
  const known = !isText ? LISTS : error.status === 404 ? [IN_BETWEEN, REFUSALS] : [IN_BETWEEN];
  for (const list of mayHave(ALL, error) ? known : []) {
    const rule = firstIn(list, error);
    if (rule !== undefined) return is(rule.outcome, rule.dead);
  }
  return byStatus(error);
}

const IN_BETWEEN: List = listOf(INTERMEDIARIES);
const LISTS: readonly List[] = [...READERS.map((reader) => listOf(reader.rules)), IN_BETWEEN];
/** Refusals, which some providers send as 404: of a model that the key may not use. */
const REFUSALS: List = listOf(
  READERS.flatMap(({ rules }) => rules.filter(({ outcome }) => outcome === "refused")),
);
/** The quick tests of all lists, combined. */
const ALL: List = listOf(LISTS.flatMap((list) => list.rules));

/** Statuses whose words can be about the key; 0 and 200 stand for no error status. */
const ABOUT_THE_KEY: ReadonlySet<number> = new Set([0, 200, 400, 401, 402, 403, 412, 413, 422, 429]);

/** What the status means, refined by the topics that can come with it. */
function byStatus(error: ProviderError): Verdict {
  const { status, form } = error;
  if (
    status === 403 &&
    form === "text" &&
    STATUS_ALONE.test(withoutAddresses(error.messageWords.slice(0, 400)))
  )
    return is("invalid_key", true);
  if (status === 429 && isLargerThanLimit(error.messageWords)) return is("caller_fault");
  const topic = form === "none" && error.codes.size === 0 ? undefined : first(topicsOf(status), error);
  if (topic !== undefined) return topic;
  // Before RFC 6585 defined 429, some providers answered 420.
  if (status === 429 || status === 420) return is("rate_limited");
  // Tavily sends 432 for a plan and 433 for a budget, DeepL 456 for a monthly quota.
  if (status === 402 || status === 432 || status === 433 || status === 456) return is("quota_exhausted");
  // The answer of a proxy (RFC 9110, section 15.5.8).
  if (status === 407) return is("intermediary");
  if (status === 401) return is("invalid_key");
  // The topics found nothing about the request, a location, a model, a project, an organization, an address or a permission; a
  // whole sentence about something other than the key or the account is no reason to disable.
  if (status === 403) return statesMoreThanRefusal(error) ? is("refused") : is("invalid_key", true);
  // Only Cloudflare sends these, about a server behind it (529 is a provider's overload).
  if ((status >= 520 && status <= 527) || status === 530) return is("intermediary");
  // Groq sends 498 for a tier without capacity, Bedrock 424 for a model that failed.
  if (status === 498 || status === 424 || (status >= 500 && status <= 599)) return is("server_error");
  // 499 with a body: the client closed the request.
  if (status === 408 || (status === 499 && form === "fields")) return is("unreachable");
  if (status >= 400 && status <= 499) return is("caller_fault");
  return is("unknown");
}

/** A client's text for an answer without a body: "Request failed with status code 403", "403 Client Error: Forbidden for url: …". */
const STATUS_ALONE =
  /^(?:\W|the |an? |request |response |failed |returned |with |http |api |server |client |error |status |code |unexpected )*:? ?403(?:\W|status |code |forbidden|no body|client error|message(?==)|for url|url=url)*$/;

function withoutAddresses(text: string): string {
  return text.replace(/\bhttps?:\/\/\S{1,200}/g, " ");
}

/**
 * Whether an answer states more than the usual words of a refusal: one other word in an identifier, which providers choose
 * with care, or two in a text.
 */
function statesMoreThanRefusal({ messageWords, identifierWords }: ProviderError): boolean {
  const text = withoutAddresses(messageWords.slice(0, 400));
  if (/\b(?:keys?|tokens?|credentials?|accounts?)\b/i.test(text)) return false;
  return unusualWords(identifierWords) >= 1 || unusualWords(text) >= 2;
}

/** The number of words in a text that are not the usual words of a refusal. */
const unusualWords = (text: string) =>
  (text.match(/\p{L}{3,}/gu) ?? []).filter((word) => !OF_ANY_REFUSAL.has(word)).length;

/** The usual words of a refusal in any API, and of the clients around it. */
const OF_ANY_REFUSAL: ReadonlySet<string> = new Set(
  words(`
    http | https | error | errors | status | code | forbidden | request | response | failed | failure | client | server | url | get | post | with |
    for | the | and | was | has | api | from | returned | received | unexpected | exception | message | null | none | true | false | type | detail |
    title | details | data | call | authentication | unauthorized | invalid | body | reason | text | json
  `),
);

function first(rules: readonly ReaderRule[], error: ProviderError): Verdict | undefined {
  const rule = rules.find((one) => matches(one, error));
  return rule && is(rule.outcome, rule.dead);
}

function differs(verdict: Verdict, rule: ReaderRule, error: ProviderError): boolean {
  return (rule.outcome !== verdict.outcome || (rule.dead ?? false) !== verdict.dead) && matches(rule, error);
}

function is(outcome: Outcome, dead = false): Verdict {
  return { outcome, dead };
}
