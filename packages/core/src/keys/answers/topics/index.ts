import type { Rule } from "../types.ts";
import { words } from "../words.ts";
import {
  DEAD,
  DEAD_IN_SHORT,
  DEAD_PATTERN,
  DEAD_WORDS,
  DEAD_WORDS_OF_400,
  MISSING,
  TEMPORARY,
} from "./key.ts";
import { MONEY, MONEY_WORDS, MONEY_WORDS_OF_400 } from "./money.ts";
import { UNREACHED_WORDS } from "./network.ts";
import { FAILED, OVERLOADED, OVERLOADED_WORDS } from "./overload.ts";
import { PACE, PACE_CODES_OF_400, PACE_UNITS, PACE_WORDS, PACE_WORDS_OF_400 } from "./pace.ts";
import { REFUSED, REFUSED_WORDS, REFUSED_WORDS_OF_400, SPEAKS_OF_ANOTHER_REASON } from "./refusal.ts";
import {
  ELSEWHERE,
  MODERATION,
  MODERATION_WORDS,
  NO_SUCH_MODEL,
  TOO_LARGE,
  TOO_LARGE_WORDS,
} from "./request.ts";

const early = (rule: Rule): Rule => ({ ...rule, early: true });

/** A refusal that names both the key and another reason ("invalid key or no permission") is no proof that the key is dead. */
const HEDGED: Rule = {
  phrase: words(`
    missing the permission | does not have … permission | do not have … permission |
    or does not have | or doesn't have | or lacks | or you do not have | or you don't have | or insufficient perm |
    or not authorized | or the model | or wrong api endpoint | or ip | or region | or project | or organization |
    or permission | or no permission | 或无权
  `),
  outcome: "refused",
  source: "one sentence for several reasons, as seen in several providers",
};

/** What can be known by identifiers alone, with any status about the request. */
const OF_A_REQUEST = [TOO_LARGE, MONEY, DEAD, PACE_CODES_OF_400];

/** The topics that can come with a status, the most telling first. 0 stands for no status and 2xx. */
const TOPICS: Readonly<Record<number, readonly Rule[]>> = {
  0: [
    ...[TOO_LARGE, MONEY, DEAD, OVERLOADED, REFUSED, MODERATION, PACE],
    ...[
      TOO_LARGE_WORDS,
      early(PACE_UNITS),
      early(MONEY_WORDS),
      early(OVERLOADED_WORDS),
      early(PACE_WORDS),
      HEDGED,
    ],
    ...[early(DEAD_WORDS), early(UNREACHED_WORDS), REFUSED_WORDS_OF_400, early(NO_SUCH_MODEL), FAILED],
  ],
  400: [
    ...OF_A_REQUEST,
    ELSEWHERE,
    TOO_LARGE_WORDS,
    early(MONEY_WORDS_OF_400),
    early(DEAD_WORDS_OF_400),
    early(PACE_WORDS_OF_400),
    REFUSED_WORDS_OF_400,
  ],
  401: [
    ...[
      MONEY,
      DEAD,
      REFUSED,
      PACE,
      PACE_UNITS,
      HEDGED,
      TEMPORARY,
      DEAD_WORDS,
      MISSING,
      MONEY_WORDS,
      PACE_WORDS,
    ],
    ...[REFUSED_WORDS, DEAD_PATTERN, OVERLOADED_WORDS, DEAD_IN_SHORT],
  ],
  402: [],
  403: [
    ...[
      MONEY,
      DEAD,
      MODERATION,
      REFUSED,
      PACE,
      PACE_UNITS,
      HEDGED,
      TEMPORARY,
      DEAD_WORDS,
      MISSING,
      MONEY_WORDS,
    ],
    ...[PACE_WORDS, MODERATION_WORDS, REFUSED_WORDS, DEAD_PATTERN, SPEAKS_OF_ANOTHER_REASON],
  ],
  429: [
    ...[TOO_LARGE, TOO_LARGE_WORDS, MONEY, OVERLOADED, DEAD, MONEY_WORDS_OF_400],
    // A limit of pace often adds an offer to pay for a higher one.
    ...[PACE_UNITS, MONEY_WORDS, OVERLOADED_WORDS],
  ],
  // "Client closed request": nginx and gRPC's CANCELLED.
  499: [...OF_A_REQUEST, UNREACHED_WORDS],
  500: [MONEY, DEAD, OVERLOADED, PACE],
};

/** The topics of a status. Money and dead keys arrive in words as 400, 412 and 422, too; other refusals speak by identifiers. */
export function topicsOf(status: number): readonly Rule[] {
  if (status === 412 || status === 413 || status === 422) return TOPICS[400] ?? [];
  return (
    TOPICS[status] ?? (status >= 500 ? (TOPICS[500] ?? []) : status >= 400 ? OF_A_REQUEST : (TOPICS[0] ?? []))
  );
}
