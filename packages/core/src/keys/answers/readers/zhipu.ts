import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Zhipu (GLM): the texts are Chinese, or English for z.ai; the number says which it is. */
export const ZHIPU: Reader = {
  providers: words("zhipu | zhipuai | glm | bigmodel | zai | z-ai | z.ai | chatglm"),
  rules: [
    {
      code: words("error.code:1113 | code:1113 | error.code:1309"),
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes: 1113 overdue, 1309 plan expired",
    },
    {
      code: words(`
        error.type:1302 | error.type:1308 | error.code:1302 | error.code:1303 | error.code:1304 |
        error.code:1308 | error.code:1310 | error.code:1313 | code:1302 | code:1303
      `),
      outcome: "rate_limited",
      source: "docs.bigmodel.cn error codes: concurrency, frequency, day's calls, window of a plan",
    },
    {
      phrase: ["每周/每月使用上限"],
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes: 1310, the plan's week or month",
    },
    {
      phrase: words("小时的使用上限 | 使用上限 | 达到速率限制 | 当前api请求过多"),
      outcome: "rate_limited",
      source: "docs.bigmodel.cn error codes: 1308, window of a plan",
    },
    {
      phrase: words("暂未开放 … 权限 | 暂未开放 | 仅限企业编程套餐 | 仅限 … 使用"),
      outcome: "refused",
      source: "docs.bigmodel.cn error codes: 1311 and its like",
    },
    {
      code: words("error.code:1305 | error.code:1312 | error.code:1234 | error.code:1230"),
      outcome: "server_error",
      source: "docs.bigmodel.cn error codes: the model is overloaded",
    },
    {
      code: ["error.code:1111"],
      outcome: "invalid_key",
      source: "docs.bigmodel.cn error codes: account absent",
    },
    {
      code: words("error.code:1000 | error.code:1002 | error.code:1004"),
      outcome: "invalid_key",
      dead: true,
      source: "docs.bigmodel.cn error codes: authentication failed, token illegal",
    },
    {
      code: words("error.code:1001 | error.code:1003"),
      outcome: "invalid_key",
      source: "docs.bigmodel.cn error codes: no token was sent, or its time is over",
    },
    {
      code: words(`
        error.code:1110 | error.code:1112 | error.code:1121 | error.code:1220 | error.code:1311 |
        error.code:1222
      `),
      outcome: "refused",
      source:
        "docs.bigmodel.cn error codes: no permission for this model; account inactive, locked or banned, which support lifts",
    },
    {
      code: words(`
        error.code:1301 | error.code:1210 | error.code:1211 | error.code:1214 | error.code:1261
      `),
      outcome: "caller_fault",
      source: "docs.bigmodel.cn error codes: content, parameters",
    },
  ],
};
