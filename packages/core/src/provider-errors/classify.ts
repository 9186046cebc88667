import { phrases } from "./entry.ts";
import { isLargerThanLimit } from "./identifiers.ts";
import { readProviderError } from "./read-provider-error.ts";
import { GENERAL, RARE } from "./table.ts";
import type {
  AnswerEntry,
  FailureScope,
  LimitWindow,
  Outcome,
  ProviderError,
  StatusClass,
  Verdict,
} from "./types.ts";

/** Patterns by scope. A match in an error's identifiers or message shows the scope of the limit; the first match decides. */
const COUNTED_FOR: Readonly<Record<Exclude<FailureScope, "request" | null>, RegExp>> = {
  model: phrases(String.raw`
    limit reached (?:for |… )(?:model )?(?!organization )[^ ]{1,80}(?: \([^)]{1,60}\))? (?:in|on)\b | per (?:base )?model |
    (?<=[a-z])permodel | (?:this|selected|premium|帐户) ?(?:model|模型) | model[:=] ?\w |
    (?:for|of) (?:the |this )?(?:model [^ ]{1,80}|[^ ]{1,80} model)\b | rate limit for [a-z]\w{1,30}-[^ ]{1,60}
  `),
  key: phrases(String.raw`
    per[ -](?:api |access )?key | key (?:\w+ )?limit | (?:limits?|exceeded|reached) (?:of|for|on) (?:this|your|the) (?:api )?key |
    key with .{0,24}limit |
    (?:this|your) (?:api |access )?(?:key|token)(?:'s)? (?:has |rate |usage |spend(?:ing)? |request ){0,3}(?:limit|quota|budget|reached|exceeded)\b
  `),
  account: phrases(String.raw`
    (?:account|organi[sz]ation|team|project|workspace|plan|subscription|user|tenant)(?:'s|-level|-wide)? (?:[\w-]+ ){0,5}(?:limit(?:s|ed)?|quota|concurrency|[rt]p[md]|usage|requests|queries)\b |
    (?:limits?|quota|rpm|tpm|requests|exceeded|reached) (?:of|for|on|in) (?:(?:your|the|this) )?(?:\w+ ){0,2}(?:account|organi[sz]ation|team|project|workspace|plan|subscription)\b |
    account (?:is|has|over)\b | (?:session|weekly|hourly|global|\d-hour) (?:\w+ )?limit | usage limit | free-models-per-day |
    (?:daily )?free quota per user | quota user daily | 账户 | 账号
  `),
};

/** Patterns that show the period of a limit, the longest period first. If an answer names several periods, the longest one is used. */
const COUNTED_PER: Readonly<Record<LimitWindow, RegExp>> = {
  month: phrases("month(?:ly)? | month's | billing cycle | 每月 | 本月"),
  week: phrases("weekly | per week | 7[ -]day | 每周"),
  day: phrases(`
    daily | per[ -]day | (?<=[a-z])perday | / ?day | tpd | rpd | (?:for|limit|quota|requests) today | today['’]s | tomorrow | 每天 |
    当日 | 今日
  `),
  hour: phrases(String.raw`hourly | per hour | \d-hour | for \d hours? | session (?:usage )?limit | 每小时`),
  minute: phrases("per[ -]min(?:ute)? | (?<=[a-z])perminute | / ?min(?:ute)? | tpm | rpm | 每分钟"),
};

/** Returns the scope and the period of a limit, as far as the answer states them. */
function detailsOf(text: string): { scope?: FailureScope; window?: LimitWindow } {
  const scope = firstIn(COUNTED_FOR, text);
  const window = firstIn(COUNTED_PER, text);
  return { ...(scope !== undefined && { scope }), ...(window !== undefined && { window }) };
}

const firstIn = <Name extends string>(patterns: Readonly<Record<Name, RegExp>>, text: string) =>
  (Object.keys(patterns) as Name[]).find((name) => patterns[name].test(text));

/** A caller's report on one call to a provider, as far as `classify` reads it. */
export interface ReportedCall {
  status: "success" | "fail";
  errorCode?: number | string | null;
  /** The raw body, the provider's message alone, or the text that an SDK made of either. */
  errorMessage?: string | null;
}

/** The meaning of a report, with the code for the log. */
export interface Classified extends Verdict {
  /** The code as it is logged: a number of up to five digits or a known name, never free text. */
  code: string | null;
}

/** Classifies a report by the first matching entry of the table, or else by its status. Pure, never throws, linear in the text's length. */
export function classify(report: ReportedCall): Classified {
  if (report.status === "success") return { ...is("success"), code: null };
  const { error, code } = readProviderError(report.errorCode ?? null, report.errorMessage ?? null);
  const verdict = verdictOf(error);
  if (verdict.outcome === "rate_limited" || verdict.outcome === "quota_exhausted") {
    const { scope = verdict.scope, window } = detailsOf(`${error.names} | ${error.message}`);
    if (verdict.scope === SCOPES[verdict.outcome]) verdict.scope = scope;
    if (window !== undefined) verdict.window ??= window;
  }
  return { ...verdict, code };
}

function verdictOf(error: ProviderError): Verdict {
  const { form, status } = error;
  const of = classOf(status, form);
  if (form === "html") return is("intermediary");
  if (of === 408 && form !== "fields") return is("unreachable");
  if (of === 429 && isLargerThanLimit(error.message)) return is("caller_fault");
  if (of === 403 && form === "text" && isStatusAlone(error.message)) return byStatus(error, of);
  if (form !== "none" || error.codes.size > 0) {
    const entry = firstOf(error, of);
    if (entry !== undefined) return meaningOf(entry);
  }
  return byStatus(error, of);
}

function firstOf({ form, codes, names, message }: ProviderError, of: StatusClass): AnswerEntry | undefined {
  // Only a message with a status about keys, money or limits is read to its end. Others may repeat parts of the request at their end.
  const text = `${names} | ${READ_WHOLE.has(of) ? message : message.slice(0, BEGINNING)}`;
  const matches = (entry: AnswerEntry) =>
    entry.phrases?.test(text) || entry.names?.test(names) || entry.codes?.some((code) => codes.has(code));
  const { rare, rarePhrases, rareCodes, usual } = entriesOf(of, form);
  const mayBeRare = rarePhrases.test(text) || [...codes].some((code) => rareCodes.has(code));
  return (mayBeRare ? rare.find(matches) : undefined) ?? usual.find(matches);
}

const READ_WHOLE: ReadonlySet<StatusClass> = new Set([401, 402, 403, 429]);
/** How many characters of a message are read if its status is not in READ_WHOLE: enough for an SDK's prefix and one sentence. */
const BEGINNING = 240;

/** Statuses whose text can be about the key. With other statuses, no text is about the key, even "[500] upstream said 403". */
const ABOUT_THE_KEY: ReadonlySet<StatusClass> = new Set([0, 400, 401, 402, 403, 429]);

/** The entries that answers of one status class and one form may match. For most answers, one quick test skips all rare entries. */
interface Entries {
  rare: readonly AnswerEntry[];
  /** One pattern with the phrases and names of all rare entries. */
  rarePhrases: RegExp;
  rareCodes: ReadonlySet<string>;
  usual: readonly AnswerEntry[];
}

function entriesOf(of: StatusClass, form: ProviderError["form"]): Entries {
  const name = `${of} ${form}`;
  const known = BY_CLASS.get(name);
  if (known !== undefined) return known;
  const may = ({ form: only = form, statuses }: AnswerEntry) =>
    only === form && (statuses?.includes(of) ?? (form === "fields" || ABOUT_THE_KEY.has(of)));
  const rare = RARE.filter(may);
  const patterns = rare.flatMap(({ phrases, names }) => [phrases, names]).flatMap((one) => one?.source ?? []);
  const made: Entries = {
    rare,
    // If there are no rare entries, this pattern never matches.
    rarePhrases: new RegExp(patterns.join("|") || "(?!)"),
    rareCodes: new Set(rare.flatMap(({ codes = [] }) => codes)),
    usual: GENERAL.filter(may),
  };
  BY_CLASS.set(name, made);
  return made;
}

const BY_CLASS: Map<string, Entries> = new Map();

/** Returns the class of a status: the one status that stands for all similar ones in the table. */
function classOf(status: number, form: ProviderError["form"]): StatusClass {
  if (status < 400 || status > 599) return 0;
  // Before RFC 6585 defined 429, some providers answered 420.
  if (status === 429 || status === 420) return 429;
  // Tavily sends 432 for a used-up plan and 433 for a used-up budget. DeepL sends 456 for a used-up monthly quota.
  if (status === 402 || status === 432 || status === 433 || status === 456) return 402;
  if (status === 401 || status === 403 || status === 408 || status === 499) return status;
  // Groq sends 498 for a tier without capacity, Bedrock 424 for a model that failed.
  if (status >= 500 || status === 498 || status === 424) return 500;
  if (status === 400 || status === 412 || status === 413 || status === 422) return 400;
  // With a rare status (409, 423, 451), a body with fields explains the cause, so it is read like the body of a 400.
  return form !== "fields" || ALONE.has(status) ? 404 : 400;
}

/** Statuses that mean a wrong request, whatever the text says. */
const ALONE: ReadonlySet<number> = new Set([404, 405, 406, 407, 410, 411, 414, 415]);

/** Returns the meaning of an answer that matches no entry, from its status. A 403 also depends on its words. */
function byStatus(error: ProviderError, of: StatusClass): Verdict {
  const { status, form } = error;
  // 407 comes from a proxy (RFC 9110, section 15.5.8). Cloudflare sends 520 to 527 and 530 about its origin server (529 is an overload).
  if (status === 407 || (status >= 520 && status <= 527) || status === 530) return is("intermediary");
  switch (of) {
    case 0:
      return is("unknown");
    case 400:
    case 404:
      return is("caller_fault");
    case 401:
      return is("invalid_key");
    case 402:
      return is("quota_exhausted");
    case 403:
      return statesMoreThanRefusal(error) ? is("refused") : { ...is("invalid_key"), disables: true };
    case 408:
      return is("unreachable");
    case 429:
      return is("rate_limited");
    // A 499 whose body has fields means that the client closed the request before an answer came.
    case 499:
      return is(form === "fields" ? "unreachable" : "caller_fault");
    case 500:
      return is("server_error");
  }
}

/**
 * Messages that clients write when an answer has no body: "Request failed with status code 403", "403 Client Error: Forbidden for url: …".
 */
const STATUS_ALONE =
  /^(?:\W|the |an? |request |response |failed |returned |with |http |api |server |client |error |status |code |unexpected )*:? ?403(?:\W|status |code |forbidden|no body|client error|message(?==)|for url|url=url)*$/;

const isStatusAlone = (message: string) => STATUS_ALONE.test(withoutAddresses(message));

/** Returns the beginning of a message without its URLs, because their words do not explain a refusal. */
const withoutAddresses = (message: string) => message.slice(0, 400).replace(/\bhttps?:\/\/\S{1,200}/g, " ");

/**
 * Returns whether a 403 states a reason other than the key. Then its message names no key or account, and it has words that are
 * not usual in a refusal: at least one in an identifier, which providers choose with care, or at least two in the message.
 */
function statesMoreThanRefusal({ message, names }: ProviderError): boolean {
  const text = withoutAddresses(message);
  if (isStatusAlone(message) || /\b(?:keys?|tokens?|credentials?|accounts?)\b/i.test(text)) return false;
  return unusualWords(names) >= 1 || unusualWords(text) >= 2;
}

/** Returns the number of words in a text that are not usual in a refusal. */
const unusualWords = (text: string) =>
  (text.match(/\p{L}{3,}/gu) ?? []).filter((word) => !OF_ANY_REFUSAL.has(word)).length;

/** Words of a refusal in any API, and words that clients add to it. */
const OF_ANY_REFUSAL: ReadonlySet<string> = new Set(
  `http https error errors status code forbidden request response failed failure client server url get post with for the and was has api
  from returned received unexpected exception message null none true false type detail title details data call authentication
  unauthorized invalid body reason text json`.split(/\s+/),
);

const meaningOf = ({ outcome, dead = false, scope, window, dayOf }: AnswerEntry): Verdict => ({
  ...{ outcome, dead, disables: dead, scope },
  ...(window !== undefined && { window }),
  ...(dayOf !== undefined && { dayOf }),
});

/** The scope of each outcome, used when neither the table nor the answer states another scope. */
const SCOPES: Readonly<Record<Outcome, Verdict["scope"]>> = {
  success: null,
  rate_limited: "model",
  quota_exhausted: "account",
  invalid_key: "key",
  refused: "key",
  server_error: null,
  unreachable: null,
  caller_fault: "request",
  intermediary: null,
  unknown: null,
};

function is(outcome: Outcome): Verdict {
  return { outcome, dead: false, disables: false, scope: SCOPES[outcome] };
}
