import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** iFlytek Spark: numbers in the header of a message, and the name of an error before its text. */
export const IFLYTEK: Reader = {
  providers: words("iflytek | xfyun | spark | xunfei"),
  rules: [
    {
      phrase: words("appidnoautherror | appidnoauth"),
      outcome: "refused",
      source: "xfyun.cn/doc/spark, 11200: the application is not authorised, or above what it may use",
    },
    {
      code: ["header.code:11200", "header.code:10313", "header.code:10005"],
      outcome: "refused",
      source: "xfyun.cn/doc/spark error codes",
    },
    {
      code: words("header.code:11201 | header.code:11202 | header.code:11203 | header.code:10007"),
      outcome: "rate_limited",
      source: "xfyun.cn/doc/spark error codes: the day, the second, calls at the same time",
    },
    {
      code: words("header.code:10013 | header.code:10014 | header.code:10163 | header.code:10907"),
      outcome: "caller_fault",
      source: "xfyun.cn/doc/spark error codes: content, parameters, too many tokens",
    },
    {
      code: words("header.code:10008 | header.code:10010 | header.code:10012 | header.code:10110"),
      outcome: "server_error",
      source: "xfyun.cn/doc/spark error codes: no capacity, engine, busy",
    },
  ],
};
