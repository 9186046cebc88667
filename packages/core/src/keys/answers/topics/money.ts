import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { ALLOWANCE, API_CREDENTIAL, any, FUNDS, near, SPENT, USED_UP, whole } from "./vocabulary.ts";

const SEEN = "answers of several providers; tests/fixtures/answers names each";

// Money, credits, a plan's allowance.

/** Money or credits, and words for "used up", side by side. */
const NO_FUNDS = near(FUNDS, SPENT, 24);

/** Words only for an unpaid bill. */
const UNPAID = any(
  whole(`
    overdue | arrears | arrearage | unpaid | past due | delinquent | not paid | payment required | payment failed | billing hard limit |
    billing limit | billing cap | spend(?:ing)? (?:limit|cap) | credit limit (?:exceeded|reached) | insufficient tokens | requires? more credits | payment instrument | billing not active | billing disabled | billing error | insufficient quotas? | out of quota |
    requires billing | cannot afford | can only afford | never purchased | usage not included | credits ?error | pre-?consumed? (?:token )?quota failed | need quota | allowance (?:exceeded|reached) | exceeded (?:your |the )?(?:[\\w-]+ ){0,3}allowance | out of (?:[\\w-]+ ){0,2}(?:usage|credits|quota|requests|tokens) | reason: top up | paid[ -]only |
    (?:failed|incomplete|unsuccessful|missed|outstanding|declined|pending|unpaid) (?:or \\w+ )?(?:payment|invoice)s? | payment (?:\\w+ ){0,2}(?:failed|incomplete|issue|overdue|declined|method is required) | (?:latest|open|past) invoices? |
    not enough (?:api )?tokens | billing (?:not|isn't) (?:active|enabled|set up) | enable billing |
    under balance | low balance | over budget | balance too low | storage (?:quota|limit) | storagequota | non-?payment | (?:usage|hard|budget) cap | (?:trial|subscription|membership)(?: period)? (?:is |has |was )?(?:over|ended|expired|inactive|cancell?ed) |
    (?:have|has|got) no quota | no (?:more |remaining )?(?:api )?(?:requests|calls|searches|queries|quota|units|usage) (?:left|remaining|available) | no more (?:requests|calls|searches|queries) | key exhausted | (?:requests|calls|searches|units) (?:have been |are )?used up |
    (?:monthly|yearly|annual|lifetime) (?:\\w+ ){0,2}(?:limit|quota|cap|allowance|usage)s? (?:\\w+ ){0,3}(?:exceeded|reached|hit|exhausted) | (?:exceeded|reached|hit|over) (?:\\w[\\w']{0,24} ){0,4}(?:monthly|yearly|annual|lifetime) (?:\\w+ ){0,2}(?:limit|quota|cap|allowance|usage)s? |
    credit card (?:is )?required | (?:add|enter|need) (?:a |your )?(?:valid )?credit card | valid credit card | free credits? (?:\\w{1,24} ){0,4}(?:restricted|unavailable|not available)
  `),
  "次数.{0,4}(?:不足|用完|用尽|耗尽) | (?:服务|套餐|订阅|资源包).{0,4}(?:到期|过期) | 欠费 | 请购买 | 请续费 | 预扣费 | 预扣除 | 请充值 | 支払い | 결제 | 충전 | пополните | не оплачен | zahlung erforderlich | paiement requis | pago requerido",
);

/** Identifiers. */
export const MONEY: ReaderRule = {
  identifierWords: new RegExp(
    any(NO_FUNDS, UNPAID, near(ALLOWANCE, "\\b(?:exhausted|expired)\\b", 12), "free tier only|freetieronly"),
  ),
  outcome: "quota_exhausted",
  source: SEEN,
};

/** Whole identifiers, as they are written. */
export const MONEY_CODES: ReaderRule = {
  code: words(
    "pre_consume_token_quota_failed | monthly_limit_exceeded | monthly_request_count | quota_exceeded_billing",
  ),
  outcome: "quota_exhausted",
  source: "new-api, Kiro and others",
};

/** Words that cannot be about anything else: with any status that can be about the key. */
export const MONEY_CERTAIN: ReaderRule = {
  pattern: new RegExp(
    any(
      NO_FUNDS,
      UNPAID,
      "exceeded your current quota, please check your plan|your account is not active, please check your billing|top ?up to|usage cap exceeded|monthly product cap",
    ),
  ),
  outcome: "quota_exhausted",
  source: SEEN,
};

/** The spend or usage limit of one key, used up. */
export const LIMIT_OF_KEY: ReaderRule = {
  pattern: new RegExp(near(API_CREDENTIAL, "\\busage limit\\b|\\bspend limit\\b", 30)),
  outcome: "quota_exhausted",
  source: SEEN,
};

const PERIOD = any(
  whole(
    "month(?:ly)? | billing (?:cycle|period) | annual | yearly | lifetime | permanent | per month | this month",
  ),
  "本月 | 每月 | 月度 | 每周 | 永久 | 总量 | 今月 | 월간 | месячн | monatlich | mensuel | mensual | mensal",
);

/** An allowance of a week or longer. */
const OF_A_PERIOD = near(
  PERIOD,
  any(
    whole(
      "quotas? | limits? | usage | cap | allowance | credits? | tokens | characters | requests | searches | minutes | calls",
    ),
    "用量 | 配额 | 额度 | 限额 | 上限 | 超限 | 制限 | 한도 | лимит | límite | limite",
  ),
  24,
);

/** A subscription that was stopped or does not exist. */
const PLAN_STOPPED = whole(`
  (?:subscription|membership|plan) (?:\\w+ ){0,3}(?:disabled|suspended|paused|terminated|not active|not found) | no (?:active |valid |current )+(?:\\w+ )?(?:subscription|plan|membership|package|license) | no (?:subscription|plan|membership) (?:found|associated|exists)
`);

/** A plan or its allowance, used up or ended. */
export const PLAN_OVER: ReaderRule = {
  pattern: new RegExp(
    any(near(ALLOWANCE, USED_UP, 32), OF_A_PERIOD, PLAN_STOPPED, "\\bquotas?\\b[^|]{0,60}\\bupgrade\\b"),
  ),
  outcome: "quota_exhausted",
  source: SEEN,
};

/** Offers to pay, which can also come with a rate limit. */
export const MONEY_WORDS: ReaderRule = {
  pattern: new RegExp(
    any(
      "\\bplan(?:'s)? (?:\\w{1,24} ){0,3}(?:limit|quota|allowance|cap)",
      whole(`
        payment method | add funds | please purchase | purchase more | buy more | add (?:more )?credits | add a payment | billing details | check your billing |
        update your billing | billing issue | upgrade your plan | usage limit has been reached | extra usage is required | account balance |
        your balance is | top[ -]?up | please recharge | recharge your | no resource package | free quota | costs? more
      `),
      "无可用资源包 | 额度(?!度|检查|查询|信息|获取)(?=.{0,12}(?:不|用|已|尽|完|超|限)) | (?:不足|用尽|超出).{0,6}额度",
    ),
  ),
  outcome: "quota_exhausted",
  source: SEEN,
};
