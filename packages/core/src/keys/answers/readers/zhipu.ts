import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Error numbers with their container; other providers use the same numbers, but not for dead keys. */
const codes = (...numbers: number[]) => numbers.map((number) => `error.code:${number}`);

/** The same without the container, which a wrapper may drop: for keys of this provider only. */
const bare = (...numbers: number[]) =>
  numbers.flatMap((number) => [`error.code:${number}`, `code:${number}`]);

/** Zhipu (GLM): the texts are Chinese, or English for z.ai; the number identifies the error. */
export const ZHIPU: Reader = {
  providers: words("zhipu | zhipuai | glm | bigmodel | zai | z-ai | z.ai | chatglm"),
  rules: [
    {
      code: codes(1113, 1309),
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes: 1113 overdue, 1309 plan expired",
    },
    {
      code: codes(1310),
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes: the plan's week or month",
    },
    {
      phrase: ["每周/每月使用上限"],
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes: 1310, the plan's week or month",
    },
    {
      code: [...codes(1302, 1303, 1304, 1308, 1313), "error.type:1302", "error.type:1308"],
      outcome: "rate_limited",
      source: "docs.bigmodel.cn error codes: concurrency, frequency, day's calls, window of a plan",
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
      code: codes(1230, 1234, 1305, 1312),
      outcome: "server_error",
      source: "docs.bigmodel.cn error codes: the model is overloaded",
    },
    {
      code: codes(1111),
      outcome: "invalid_key",
      source: "docs.bigmodel.cn error codes: account absent",
    },
    {
      code: codes(1001, 1003),
      outcome: "invalid_key",
      source: "docs.bigmodel.cn error codes: no token was sent, or its time is over",
    },
    {
      code: codes(1110, 1112, 1121, 1220, 1222, 1311),
      outcome: "refused",
      source:
        "docs.bigmodel.cn error codes: no permission for this model; account inactive, locked or banned, which support lifts",
    },
    {
      code: codes(1210, 1211, 1214, 1261, 1301),
      outcome: "caller_fault",
      source: "docs.bigmodel.cn error codes: content, parameters",
    },
  ],
  onlyThisProvider: [
    {
      code: bare(1000, 1002, 1004),
      outcome: "invalid_key",
      dead: true,
      source: "docs.bigmodel.cn error codes: authentication failed, token illegal",
    },
    {
      code: bare(1113, 1309, 1310),
      outcome: "quota_exhausted",
      source: "docs.bigmodel.cn error codes, as wrappers pass them on",
    },
    {
      code: bare(1302, 1303, 1304, 1308, 1313),
      outcome: "rate_limited",
      source: "docs.bigmodel.cn error codes, as wrappers pass them on",
    },
    {
      code: bare(1210, 1211, 1214, 1261, 1301),
      outcome: "caller_fault",
      source: "docs.bigmodel.cn error codes, as wrappers pass them on",
    },
    {
      code: bare(1110, 1112, 1121, 1220, 1222, 1311),
      outcome: "refused",
      source: "docs.bigmodel.cn error codes, as wrappers pass them on",
    },
  ],
};
