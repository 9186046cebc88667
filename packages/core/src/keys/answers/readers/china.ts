import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Moonshot (Kimi): overload is a 429, and so is an empty account. */
export const MOONSHOT: Reader = {
  providers: words("moonshot | kimi | moonshotai"),
  rules: [
    {
      code: ["exceeded_current_quota_error"],
      outcome: "quota_exhausted",
      source: "platform.moonshot.cn/docs: 429 of an account without balance",
    },
    {
      code: ["engine_overloaded_error"],
      outcome: "server_error",
      source: "platform.moonshot.cn/docs: 429 of an overloaded engine",
    },
    {
      code: ["rate_limit_reached_error"],
      outcome: "rate_limited",
      source: "platform.moonshot.cn/docs",
    },
    {
      code: ["incorrect_api_key_error"],
      outcome: "invalid_key",
      dead: true,
      source: "platform.moonshot.cn/docs: 401",
    },
    {
      code: ["invalid_authentication_error"],
      phrase: words("api key | apikey"),
      outcome: "invalid_key",
      dead: true,
      source: "platform.moonshot.cn/docs: 401",
    },
    {
      code: ["invalid_authentication_error"],
      outcome: "invalid_key",
      source: 'moonshot issues: "Invalid Authentication" is said of a good key at the wrong endpoint, too',
    },
    {
      code: ["permission_denied_error"],
      outcome: "refused",
      source: "platform.moonshot.cn/docs: 403",
    },
  ],
};

/** DashScope (Qwen). Its insufficient_quota is a rate limit. */
export const DASHSCOPE: Reader = {
  providers: words("dashscope | qwen | alibaba | aliyun | bailian | tongyi"),
  rules: [
    {
      phrase: words(`
        account is in good standing | free tier of the model has been exhausted
      `),
      outcome: "quota_exhausted",
      source: "help.aliyun.com/model-studio error codes: Arrearage",
    },
    {
      code: words(`
        arrearage | allocationquota.freetieronly | commoditynotpurchased | prepaidbilloverdue |
        postpaidbilloverdue
      `),
      outcome: "quota_exhausted",
      source: "help.aliyun.com/model-studio error codes: 400 Arrearage, 403 AllocationQuota.FreeTierOnly",
    },
    {
      code: ["invalidapikey"],
      outcome: "invalid_key",
      dead: true,
      source: "help.aliyun.com/model-studio error codes",
    },
    {
      code: words(`
        model.accessdenied | workspace.accessdenied | accessdenied.unpurchased | app.accessdenied |
        endpoint.accessdenied
      `),
      outcome: "refused",
      source: "help.aliyun.com/model-studio error codes",
    },
    {
      code: words(`
        throttling.ratequota | throttling.allocationquota | throttling.burstrate | limitrequests |
        limit_requests | limit_burst_rate | throttling.user
      `),
      outcome: "rate_limited",
      source: "help.aliyun.com/model-studio error codes",
    },
    {
      code: words("datainspectionfailed | data_inspection_failed"),
      outcome: "caller_fault",
      source: "help.aliyun.com/model-studio error codes: moderation",
    },
  ],
  onlyThisProvider: [
    {
      code: ["insufficient_quota"],
      outcome: "rate_limited",
      source: "help.aliyun.com/model-studio error codes: insufficient_quota is Throttling.AllocationQuota",
    },
  ],
};

/** SiliconFlow. */
export const SILICONFLOW: Reader = {
  providers: words("siliconflow | silicon"),
  rules: [
    {
      phrase: ["sorry, your account balance is insufficient"],
      outcome: "quota_exhausted",
      source: "docs.siliconflow.cn: the message of code 30001",
    },
  ],
  // Only numbers, which other providers use too.
  onlyThisProvider: [
    {
      code: ["code:30001"],
      outcome: "quota_exhausted",
      source: "docs.siliconflow.cn: 403 code 30001, balance is not enough",
    },
    {
      code: words("code:20015 | code:20012"),
      outcome: "caller_fault",
      source: "docs.siliconflow.cn error codes",
    },
    {
      code: words("code:50603 | code:50505 | code:50507 | code:50508"),
      outcome: "server_error",
      source: "docs.siliconflow.cn: system is too busy",
    },
    {
      code: ["code:30011"],
      outcome: "quota_exhausted",
      source: "docs.siliconflow.cn: the model is for paid balance, which is empty",
    },
  ],
};

/** Volcengine Ark (Doubao). */
export const VOLCENGINE: Reader = {
  providers: words("volcengine | doubao | ark | bytedance"),
  rules: [
    {
      code: words(`
        accountoverdueerror | account_overdue_error | insufficientbalance | inferenceserviceoverdue
      `),
      outcome: "quota_exhausted",
      source: "volcengine.com/docs/82379 error codes: 403 AccountOverdueError",
    },
    {
      phrase: ["has reached the set inference limit"],
      outcome: "quota_exhausted",
      source: "volcengine.com/docs/82379 error codes: SetLimitExceeded",
    },
    {
      code: words("setlimitexceeded | quotaexceeded"),
      outcome: "quota_exhausted",
      source: "volcengine.com/docs/82379 error codes: 429 SetLimitExceeded, QuotaExceeded",
    },
    {
      code: words("serveroverloaded | requestbursttoofast"),
      outcome: "server_error",
      source: "volcengine.com/docs/82379 error codes: 429 ServerOverloaded",
    },
    {
      code: words(`
        modelaccountrpmratelimitexceeded | modelaccounttpmratelimitexceeded | accountratelimitexceeded |
        endpointrpmratelimitexceeded | endpointtpmratelimitexceeded | apiaccountrpmratelimitexceeded |
        modelaccountipmratelimitexceeded | inflightbatchsizeexceeded
      `),
      outcome: "rate_limited",
      source: "volcengine.com/docs/82379 error codes",
    },
    {
      code: words(`
        invalidendpointormodel.modelidaccessdisabled | modelnotopen | accessdenied |
        operationdenied.permissiondenied | operationdenied.servicenotopen
      `),
      outcome: "refused",
      source: "volcengine.com/docs/82379 error codes",
    },
    {
      code: words(`
        sensitivecontentdetected | inputtextsensitivecontentdetected |
        outputtextsensitivecontentdetected
      `),
      outcome: "caller_fault",
      source: "volcengine.com/docs/82379 error codes",
    },
    {
      // One sentence for a dead key and for a request without a key.
      phrase: words(`
        the api key in the request is missing or invalid |
        the api key or ak/sk in the request is missing or invalid
      `),
      outcome: "invalid_key",
      source: "volcengine.com/docs/82379 error codes",
    },
    {
      phrase: words("the api key format is incorrect | api key doesn't exist"),
      outcome: "invalid_key",
      dead: true,
      source: "volcengine.com/docs/82379 error codes",
    },
  ],
};
