import type { ReaderRule } from "../types.ts";
import { any, CALLS, LIMIT_REACHED, near, TOO_MANY, whole } from "./vocabulary.ts";

const SEEN = "answers of several providers; tests/fixtures/answers names each";

// A rate limit.

/** Phrases that are used only for such a limit. */
const PACE_ONLY = any(
  "rate[ -]?limit|ratelimit|throttl|request limit|over ?query limit|too many (?:\\w{1,24} )?(?:requests|calls|connections|messages|attempts|queries|jobs|sessions)",
  whole(
    "rate exceeded | frequency limit | excessive requests | exceeding of requests | (?:passed|over) (?:your|their|the) limits? | exceeded your (?:[\\w-]+ ){0,3}usage | slow down | too (?:fast|quickly|frequent(?:ly)?|often) | frequent (?:operation|requests?|calls?|access) | call frequency | flood ?wait | burst ?rate | qps | qpm | [rt]p[smd]",
  ),
  `频繁 | 频率 | 限流 | 限速 | 流控 | 限频 | 速率 | 过快 | 请求过多 | リクエストが多すぎ | レート制限 | 요청이 너무 많 | 너무 많은 요청 | слишком много запросов | слишком часто |
  превышен(?:о|а)? (?:лимит|частот|количество) (?:частоты )?запрос | zu viele anfragen | trop de requêtes | demasiadas (?:solicitudes|peticiones) | muitas (?:solicitações|requisições)`,
);

/** Windows of a week and less, and calls at the same time. */
const WINDOW = any(
  "concurren|simultaneous|per[ -]?(?:second|sec|minute|min|hour|day)\\b|/ ?(?:sec|second|min|minute|hour|day)\\b|\\ba (?:second|minute|day)\\b|free-models-per-|free models per|query limit",
  near(
    "\\b(?:weekly|daily|hourly|today|day's|[0-9]-hour|session|minute|rpd|tpd)\\b",
    "\\b(?:limits?|quota|allowance|requests|cap|usage|calls|allocation|(?:\\w{1,24} )?allocation)\\b",
    24,
  ),
  "并发 | 每分钟 | 每秒 | 每天 | 当日 | 今日 | 天配额 | 日配额 | 日调用 | 同時 | 동시 | 분당 | 일일 | одновременн | в минуту | в сутки | pro minute | par minute | por minuto",
);

/** Identifiers. */
export const RATE_LIMIT: ReaderRule = {
  identifierWords: new RegExp(
    any(PACE_ONLY, WINDOW, "too many|throttl|resource exhausted|limit requests|limit burst|concurren"),
  ),
  outcome: "rate_limited",
  source: SEEN,
};

/** Whole identifiers: OpenAI names the unit that its limit counts. */
export const RATE_LIMIT_CODES: ReaderRule = {
  code: ["tokens", "requests"],
  outcome: "rate_limited",
  source: "OpenAI",
};

/** Phrases only of a rate limit: such an answer often adds an offer to pay for a higher limit. */
export const RATE_UNITS: ReaderRule = {
  pattern: new RegExp(any(PACE_ONLY, WINDOW)),
  outcome: "rate_limited",
  source: SEEN,
};

/** Too many calls; a quota that will be refilled. */
export const RATE_LIMIT_WORDS: ReaderRule = {
  pattern: new RegExp(
    any(
      near(CALLS, TOO_MANY, 40),
      LIMIT_REACHED,
      "quota (?:has been |was |is )?exceeded|quota will reset|exceed(?:s|ed|ing)? (?:your|the) (?:\\w{1,24} |<[^<>]{0,80}>){0,3}quotas?\\b|resource (?:has been )?exhausted",
    ),
  ),
  outcome: "rate_limited",
  source: SEEN,
};

/** Identifiers that mean a rate limit with any status. */
export const RATE_LIMIT_OF_400: ReaderRule = {
  identifierWords: new RegExp(any("rate limit|throttl|too many requests|resource exhausted")),
  outcome: "rate_limited",
  source: SEEN,
};

/** Phrases that cannot be about anything else, for a status about the request. */
export const RATE_LIMIT_WORDS_OF_400: ReaderRule = {
  pattern:
    /rate[ -]?limit|ratelimit|too many requests|throttlingexception|\bconcurren(?:t|cy) (?:\w+ ){0,2}limit|\btoo many concurrent\b|\bconcurrent (?:jobs|requests|calls|tasks|generations|sessions|connections)\b|\bquota (?:\w+ ){0,3}(?:used up|exhausted|exceeded|reached)|usage limit (?:has been )?(?:reached|exceeded)|(?:hit|reached) (?:your|its|the|their) usage limit|\b(?:api|requests?|calls?|query|usage) (?:\w+ )?limit (?:has been |was |is )?(?:exceeded|reached|hit)|过于频繁|\bqps\b/,
  outcome: "rate_limited",
  source: SEEN,
};
