import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** MiniMax: HTTP 200 with a number in base_resp. */
export const MINIMAX: Reader = {
  providers: ["minimax"],
  rules: [
    {
      code: words(`
        base_resp.status_code:1002 | base_resp.status_code:1039 | base_resp.status_code:1041 |
        base_resp.status_code:2045 | base_resp.status_code:2056
      `),
      outcome: "rate_limited",
      source: "platform.minimax.io/docs error codes",
    },
    {
      code: ["base_resp.status_code:1008"],
      outcome: "quota_exhausted",
      source: "platform.minimax.io/docs error codes: insufficient balance",
    },
    {
      code: ["base_resp.status_code:2049"],
      outcome: "invalid_key",
      dead: true,
      source: "platform.minimax.io/docs error codes: invalid api key, login fail",
    },
    {
      code: ["base_resp.status_code:1004"],
      outcome: "invalid_key",
      source: "platform.minimax.io/docs error codes: no key was sent, or not this way",
    },
    {
      code: words(`
        base_resp.status_code:1026 | base_resp.status_code:1027 | base_resp.status_code:1042 |
        base_resp.status_code:1043 | base_resp.status_code:1044 | base_resp.status_code:2013 |
        base_resp.status_code:2037 | base_resp.status_code:2039 | base_resp.status_code:2042 |
        base_resp.status_code:2048 | base_resp.status_code:20132
      `),
      outcome: "caller_fault",
      source: "platform.minimax.io/docs error codes: content, parameters, samples of voices",
    },
    {
      code: words(`
        base_resp.status_code:1000 | base_resp.status_code:1013 | base_resp.status_code:1024 |
        base_resp.status_code:1033
      `),
      outcome: "server_error",
      source: "platform.minimax.io/docs error codes",
    },
    {
      code: ["base_resp.status_code:1001"],
      outcome: "unreachable",
      source: "platform.minimax.io/docs error codes: timeout",
    },
  ],
};

/** Baidu Qianfan: HTTP 200 with a number in error_code. */
export const BAIDU: Reader = {
  providers: words("baidu | qianfan | ernie | wenxin"),
  rules: [
    {
      phrase: ["open api total request limit reached"],
      outcome: "quota_exhausted",
      source: "cloud.baidu.com/doc/WENXINWORKSHOP error codes: 19",
    },
    {
      phrase: words("access token invalid or no longer valid | iam certification failed"),
      outcome: "invalid_key",
      source: "cloud.baidu.com error codes: 110, 14",
    },
    {
      code: words("account_overdue | coding_plan_quota_exceeded"),
      outcome: "quota_exhausted",
      source: "cloud.baidu.com/doc/qianfan v2 error codes",
    },
    {
      code: words("invalid_iam_token | invalid_appid | iam_cert_expired"),
      outcome: "refused",
      source: "cloud.baidu.com/doc/qianfan v2 error codes",
    },
    {
      code: words(`
        rpm_rate_limit_exceeded | tpm_rate_limit_exceeded | preemptible_rpm_rate_limit_exceeded
      `),
      outcome: "rate_limited",
      source: "cloud.baidu.com/doc/qianfan v2 error codes",
    },
  ],
  // Only numbers, which other providers use too.
  onlyThisProvider: [
    {
      code: words(`
        error_code:4 | error_code:18 | error_code:336501 | error_code:336502 | error_code:336505
      `),
      outcome: "rate_limited",
      source: "cloud.baidu.com/doc/WENXINWORKSHOP error codes",
    },
    {
      code: ["error_code:17"],
      outcome: "rate_limited",
      source: "cloud.baidu.com/doc/WENXINWORKSHOP error codes: the day's requests",
    },
    {
      code: ["error_code:19"],
      outcome: "quota_exhausted",
      source: "cloud.baidu.com/doc/WENXINWORKSHOP error codes: the whole allowance",
    },
    {
      code: ["error_code:6"],
      outcome: "refused",
      source: "cloud.baidu.com error codes: no permission to access data",
    },
    {
      code: words("error_code:13 | error_code:14 | error_code:15"),
      outcome: "invalid_key",
      source: "cloud.baidu.com error codes",
    },
    {
      code: words("error_code:110 | error_code:111"),
      outcome: "invalid_key",
      source: "cloud.baidu.com error codes: a session's token",
    },
    {
      code: words("error_code:336003 | error_code:336006 | error_code:336103 | error_code:336104"),
      outcome: "caller_fault",
      source: "cloud.baidu.com error codes",
    },
    {
      code: words("error_code:336000 | error_code:336100 | error_code:1 | error_code:2"),
      outcome: "server_error",
      source: "cloud.baidu.com error codes: 336100 try again",
    },
  ],
};
