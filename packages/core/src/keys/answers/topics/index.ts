import type { ReaderRule } from "../types.ts";
import {
  ASK_SUPPORT,
  BAD_SIGNATURE,
  DEAD,
  DEAD_CUT_OFF,
  DEAD_IN_SHORT,
  DEAD_OR_MISSING,
  DEAD_OR_MISSING_KEY,
  DEAD_PATTERN,
  DEAD_PLAINLY,
  DEAD_WORDS,
  DEAD_WORDS_OF_400,
  DOUBTED,
  HOLDER_ENDED,
  MAY_BE_LIFTED,
  MISSING,
  NOT_SENT,
  SIGNATURE,
  TEMPORARY,
  UNAUTHENTICATED,
} from "./key.ts";
import { LIMIT_OF_KEY, MONEY, MONEY_CERTAIN, MONEY_CODES, MONEY_WORDS, PLAN_OVER } from "./money.ts";
import { UNREACHED_FOR_SURE, UNREACHED_NAMES, UNREACHED_SHORT, UNREACHED_WORDS } from "./network.ts";
import { BUSY_WORDS, FAILED, OVERLOADED, OVERLOADED_WORDS } from "./overload.ts";
import {
  RATE_LIMIT,
  RATE_LIMIT_CODES,
  RATE_LIMIT_OF_400,
  RATE_LIMIT_WORDS,
  RATE_LIMIT_WORDS_OF_400,
  RATE_UNITS,
} from "./rate-limit.ts";
import {
  FORBIDDEN,
  NOT_IN_PLAN,
  OF_SOMETHING_ELSE,
  REFUSED,
  REFUSED_CODES,
  REFUSED_WITHOUT_STATUS,
  REFUSED_WORDS,
  REFUSED_WORDS_OF_400,
} from "./refusal.ts";
import {
  CONTENT,
  ELSEWHERE,
  INPUT_TOO_LARGE,
  MODERATION,
  MODERATION_WORDS,
  NO_SUCH_MODEL,
  NOT_POSSIBLE,
  OF_FILES,
  TOO_LARGE,
  TOO_LARGE_WORDS,
} from "./request.ts";
import { any } from "./vocabulary.ts";

const early = (rule: ReaderRule): ReaderRule => ({ ...rule, early: true });
/** The same words in identifiers ("InvalidSecretId", "API_KEY_EXPIRED"). */
const named = ({ pattern = /$^/, ...rule }: ReaderRule): ReaderRule => ({
  ...rule,
  identifierWords: pattern,
});

/** A refusal that names both the key and another reason ("invalid key or no permission") is no proof that the key is dead. */
const HEDGED: ReaderRule = {
  pattern: new RegExp(
    any(
      String.raw`\bor (?:the |your |you |it |its |this |an? )?(?:[\w'-]+ ){0,3}(?:package|plan|quota|credits?|limit|balance|permissions?|access|model|(?:api )?endpoint|region|ip|project|organi[sz]ation|role|scopes?|authori[sz]ed|unauthori[sz]ed|perm|\w*n't have|not have|not support|lacks?)\b(?! (?:api )?(?:tokens?|keys?)\b)`,
      "\\btokens? (?:audience|issuer|type|scope)\\b|\\b(?:csrf|captcha|device|backend) tokens?\\b|\\b(?:upstream|backend)(?:'s)? (?:api )?keys?\\b|\\b(?:ip|region|permissions?|plan|quota|limit|restrict(?:ed|ions?)|access(?! token| key)|project|organi[sz]ation|roles?|scopes?) (?:\\w+ ){0,2}or (?:\\w+ ){0,3}(?:keys?|account|suspended|invalid|expired|disabled)\\b|missing the permission|\\bunblock\\b|\\bnot (?:\\w+ )?(?:registered|valid|recogni[sz]ed|enabled|found|known|active|usable|assigned) (?:for|in|with|on|by|to) (?:this|the|your) (?:\\w+ )?(?:project|organi[sz]ation|workspace|region|endpoint|environment|tenant|app(?:lication)?|domain|host|model|site|service|deployment)\\b | 或无权 | 暂无权限 | または権限",
    ),
  ),
  outcome: "refused",
  source: "one sentence for several reasons, as seen in several providers",
};

/** Topics that overrule an identifier such as "invalid_api_key": a limit, a key that was not sent. */
const LEFT_OPEN = [LIMIT_OF_KEY, NOT_SENT, DEAD_OR_MISSING_KEY, DEAD_CUT_OFF].map(early);

/** Topics that identifiers alone prove, with any status about the request. */
const OF_A_REQUEST = [
  TOO_LARGE,
  MONEY,
  MONEY_CODES,
  ...LEFT_OPEN,
  DEAD,
  named(DEAD_WORDS_OF_400),
  RATE_LIMIT_OF_400,
];

/** Money and rate limits, which are tried before a dead key: some providers send "invalid_api_key" for a limit. */
const LIMITS = [
  MONEY,
  MONEY_CODES,
  MONEY_CERTAIN,
  RATE_LIMIT,
  RATE_LIMIT_CODES,
  RATE_UNITS,
  PLAN_OVER,
  RATE_LIMIT_WORDS,
];

/** Whether the key itself is dead: first the topics that leave that open. */
const OF_THE_KEY = [
  named(SIGNATURE),
  SIGNATURE,
  HEDGED,
  named(HEDGED),
  DEAD_OR_MISSING,
  TEMPORARY,
  NOT_SENT,
  DEAD_PLAINLY,
  REFUSED_CODES,
  REFUSED,
  DEAD,
  named(DEAD_WORDS),
  DEAD_WORDS,
];

/** Whether the holder of the key no longer exists. */
const OF_THE_HOLDER = [named(HOLDER_ENDED), HOLDER_ENDED, MISSING];

/** The topics that can come with a status, the most specific first. 0 stands for no status and 2xx. */
const TOPICS: Readonly<Record<number, readonly ReaderRule[]>> = {
  0: [
    ...[
      TOO_LARGE,
      MONEY,
      MONEY_CODES,
      OVERLOADED,
      RATE_LIMIT,
      RATE_LIMIT_CODES,
      MODERATION,
      TOO_LARGE_WORDS,
      INPUT_TOO_LARGE,
    ],
    ...[MONEY_CERTAIN, RATE_UNITS, PLAN_OVER, MONEY_WORDS, OVERLOADED_WORDS].map(early),
    early(NOT_IN_PLAN),
    early(NO_SUCH_MODEL),
    UNREACHED_FOR_SURE,
    UNREACHED_NAMES,
    OF_FILES,
    early(BAD_SIGNATURE),
    ...[
      named(SIGNATURE),
      HEDGED,
      named(HEDGED),
      DEAD_OR_MISSING,
      ...LEFT_OPEN,
      early(DEAD_PLAINLY),
      REFUSED,
      DEAD,
      named(DEAD_WORDS),
      early(DEAD_WORDS),
    ],
    ...[early(CONTENT), named(MAY_BE_LIFTED), early(MAY_BE_LIFTED), named(HOLDER_ENDED), early(HOLDER_ENDED)],
    ...[
      early(RATE_LIMIT_WORDS),
      ...[UNREACHED_WORDS, UNREACHED_SHORT].map(early),
      early(REFUSED_WITHOUT_STATUS),
      early(REFUSED_WORDS_OF_400),
    ],
    ...[
      { ...early(MISSING), form: "fields" as const },
      named(MISSING),
      FAILED,
      early(UNAUTHENTICATED),
      named(UNAUTHENTICATED),
    ],
    ...[
      early(MODERATION_WORDS),
      early(NOT_POSSIBLE),
      named(NOT_POSSIBLE),
      early(FORBIDDEN),
      named(FORBIDDEN),
    ],
  ],
  400: [
    ...[...OF_A_REQUEST, ELSEWHERE, TOO_LARGE_WORDS],
    ...[
      MONEY_CERTAIN,
      NOT_IN_PLAN,
      DEAD_WORDS_OF_400,
      DOUBTED,
      RATE_LIMIT_WORDS_OF_400,
      BAD_SIGNATURE,
      REFUSED_WORDS_OF_400,
    ].map(early),
    early(BUSY_WORDS),
  ],
  401: [
    ...[
      ...LIMITS,
      ...OF_THE_KEY,
      named(MAY_BE_LIFTED),
      MAY_BE_LIFTED,
      ASK_SUPPORT,
      ...OF_THE_HOLDER,
      MONEY_WORDS,
      REFUSED_WORDS,
      DEAD_PATTERN,
    ],
    ...[OVERLOADED_WORDS, DEAD_IN_SHORT, NOT_IN_PLAN],
  ],
  402: [],
  // For a plan, a budget and a monthly quota, as 402.
  432: [],
  433: [],
  456: [],
  403: [
    ...[
      ...LIMITS,
      MODERATION,
      named(MAY_BE_LIFTED),
      MAY_BE_LIFTED,
      ...OF_THE_KEY,
      ASK_SUPPORT,
      ...OF_THE_HOLDER,
    ],
    ...[MONEY_WORDS, MODERATION_WORDS],
    ...[REFUSED_WORDS, DEAD_PATTERN, OF_SOMETHING_ELSE, UNAUTHENTICATED],
  ],
  429: [
    ...[
      TOO_LARGE,
      TOO_LARGE_WORDS,
      MONEY,
      MONEY_CODES,
      OVERLOADED,
      ...LEFT_OPEN,
      DEAD,
      named(DEAD_WORDS_OF_400),
      MONEY_CERTAIN,
    ],
    // A rate limit often adds an offer to pay for a higher limit.
    ...[RATE_UNITS, PLAN_OVER, MONEY_WORDS, OVERLOADED_WORDS],
  ],
  // "Client closed request": nginx and gRPC's CANCELLED.
  499: [...OF_A_REQUEST, UNREACHED_WORDS, UNREACHED_SHORT],
  500: [
    TOO_LARGE,
    MONEY,
    MONEY_CODES,
    { ...early(LIMIT_OF_KEY), form: "fields" },
    // A server that fails like this lacks a key of its own.
    { ...early(NOT_SENT), form: "fields", outcome: "intermediary" },
    { ...early(DEAD_OR_MISSING_KEY), form: "fields" },
    DEAD,
    named(DEAD_WORDS_OF_400),
    OVERLOADED,
    RATE_LIMIT,
    { ...early(MONEY_CERTAIN), form: "fields" },
  ],
};

/** The topics of a rare status (409, 423, 451): as with 400, but without those of words alone. */
const OTHERS: readonly ReaderRule[] = [
  ...OF_A_REQUEST,
  ...(TOPICS[400] ?? []).map((rule): ReaderRule => ({ ...rule, form: "fields" })),
];

/** Statuses that decide alone, whatever the words. */
const OTHERS_OF_400: ReadonlySet<number> = new Set([404, 405, 406, 408, 410, 411, 414, 415]);

/** The topics of a status. 400, 412 and 422 also report money and dead keys in words; other refusals use identifiers. */
export function topicsOf(status: number): readonly ReaderRule[] {
  if (status === 412 || status === 413 || status === 422) return TOPICS[400] ?? [];
  const listed = TOPICS[status];
  if (listed !== undefined) return listed;
  if (status >= 500) return TOPICS[500] ?? [];
  if (status >= 400) return OTHERS_OF_400.has(status) ? OF_A_REQUEST : OTHERS;
  return TOPICS[0] ?? [];
}
