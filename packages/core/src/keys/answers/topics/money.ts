import type { Rule } from "../types.ts";
import { words } from "../words.ts";

// Money, credits, a plan's allowance.

/** Identifiers. */
export const MONEY: Rule = {
  code: words(`
    insufficient_quota | billing_hard_limit_reached | insufficient_balance | insufficient_credits |
    insufficient_credit | payment_required | billing_error | billing_not_active | credits_exhausted |
    out_of_credits | insufficient_funds | not_enough_credits | no_credits | insufficient_user_quota |
    pre_consume_token_quota_failed | balance_not_enough | creditserror | insufficientbalance |
    arrearage | monthly_limit_exceeded | spending_limit_exceeded |
    credit_limit_exceeded | usage_not_included | quota_exceeded_billing
  `),
  outcome: "quota_exhausted",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases, for a status that is about the key or a limit. */
export const MONEY_WORDS: Rule = {
  phrase: words(`
    out of quota | in arrears |
    user is locked. reason: exhausted | user is locked. reason: top | paid balance | maximum credits exceeded | credits exceeded |
    enough credit | usage cap exceeded | monthly product cap | balance is negative | extra usage is required | credits_balance |
    exhausted balance | balance exhausted | balance is exhausted | account balance |
    for the month are exhausted | api calls / month | calls per month | monthly allowance | monthly credits |
    free quota has been exhausted | free quota is exhausted | freetieronly | free trial … exhausted |
    insufficient balance | insufficient credit | insufficient fund | insufficient account balance |
    insufficient_quota | insufficient quota | credit balance is too low |
    credit balance is insufficient | credit balance too low | no credits remaining | out of credit |
    run out of credit | not enough credits | not enough balance | don't have enough credits |
    doesn't have any credits | do not have any credits | exceeded your credit |
    exceeded your current quota, please check your plan | billing hard limit | spending limit |
    spend limit | monthly spend | usage limit has been reached | payment required | payment method |
    add funds | recharge | please purchase | purchase more credits | add credits |
    add more credits | buy more credits | your account is not active, please check your billing |
    overdue | unpaid invoice | billing details | check your billing | update your billing |
    billing issue | credits have been exhausted | credits exhausted | credits are exhausted |
    credit limit | used all available credits | used up your | exceeded its monthly |
    monthly usage limit | monthly quota | monthly limit | plan limit | upgrade your plan |
    free tier has been exhausted | trial has ended | trial expired | subscription has expired | 余额不足 |
    欠费 | 账户余额 | 额度不足 | 请充值 | 额度已用尽 | 额度已用完 | 資源包 | 资源包 | 配额已用完 | 套餐已到期 | недостаточно средств |
    クレジット残高 | no resource package | please recharge | exceeded the maximum number of … credits |
    balance is not enough | balance is insufficient | enough balance | negative balance |
    your balance is | insufficient tokens
  `),
  outcome: "quota_exhausted",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Phrases that cannot be about anything else: with a status about the request, whose body often repeats what was sent. */
export const MONEY_WORDS_OF_400: Rule = {
  phrase: words(`
    balance is insufficient | paid balance |
    usage cap exceeded | monthly product cap | maximum credits exceeded | api calls / month |
    enough credit | balance is negative | account balance | top up |
    insufficient balance | insufficient credit | insufficient fund | insufficient_quota |
    credit balance is too low | credit balance too low | out of credits | run out of credits |
    not enough credits | don't have enough credits |
    exceeded your current quota, please check your plan | billing hard limit | payment required |
    余额不足 | 欠费 | 额度不足 | overdue
  `),
  outcome: "quota_exhausted",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};
