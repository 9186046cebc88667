import { phrases } from "./entry.ts";
import type { FailureScope, LimitWindow } from "./types.ts";

/** The scope that a limit or a budget counts for, read from identifiers and message. The first matching pattern wins. */
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

/** The period that a limit counts. When an answer names several, the longest one wins. */
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
export function detailsOf(text: string): { scope?: FailureScope; window?: LimitWindow } {
  const scope = firstIn(COUNTED_FOR, text);
  const window = firstIn(COUNTED_PER, text);
  return { ...(scope !== undefined && { scope }), ...(window !== undefined && { window }) };
}

const firstIn = <Name extends string>(patterns: Readonly<Record<Name, RegExp>>, text: string) =>
  (Object.keys(patterns) as Name[]).find((name) => patterns[name].test(text));
