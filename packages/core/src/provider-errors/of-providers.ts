import { deadKey, failure, limit, money, refusal, request, restingKey } from "./entry.ts";
import type { AnswerEntry } from "./types.ts";

/** Entries for words and numbers that few providers use, or that a relay sends about the provider behind the relay. */
export const OF_PROVIDERS: readonly AnswerEntry[] = [
  refusal("relay-refuses", "openrouter.ai/docs/api-reference/errors: the relay's own key at its upstream", {
    statuses: [401, 403],
    phrases: "provider returned error | error from provider",
    scope: "model",
  }),
  refusal("relay-names-upstream", "Portkey-AI/gateway#440", {
    statuses: [401, 403],
    form: "fields",
    phrases: `
      (?:openai|azure|azure-openai|anthropic|bedrock|vertex(?:[ _-]ai)?|google|gemini|mistral|groq|cohere|deepseek|together|fireworks|perplexity|x-?ai) error:
    `,
    scope: "model",
  }),
  money("google-money", "ai.google.dev/gemini-api/docs/billing; google/api/error_reason.proto", {
    codes: "billing_disabled",
    phrases: `
      prepa(?:id|yment) credits | spend(?:ing)? cap | requires billing to be enabled | billing account … is disabled
    `,
  }),
  money("google-model-not-in-plan", "google-gemini issues: no wait helps a plan without the model", {
    statuses: [0, 429],
    phrases: String.raw`quota exceeded for metric.{0,200}\blimit: 0(?![\d.])`,
    scope: "model",
  }),
  limit("google-day", "ai.google.dev/gemini-api/docs/rate-limits: days end at midnight Pacific time", {
    statuses: [0, 403, 429],
    codes: "dailylimitexceeded",
    names: "requests per day",
    phrases: "midnight pacific | quota will reset at midnight",
    window: "day",
    dayOf: "America/Los_Angeles",
  }),
  limit("youtube-day", "developers.google.com/youtube/v3/docs/errors", {
    statuses: [403],
    codes: "quotaexceeded",
    scope: "account",
    window: "day",
    dayOf: "America/Los_Angeles",
  }),
  limit("google-limit", "google-gemini/gemini-cli#8437: each 429 has OpenAI's sentence of an empty account", {
    statuses: [0, 429, 500],
    phrases: String.raw`
      ai.google.dev/gemini-api/docs/rate-limits | quotafailure | generate content free tier | quota exceeded for (?:quota )?metric |
      quota will reset after | resource exhausted\b.{0,200}\bexceeded your current quota
    `,
  }),
  limit("tier-limit", "mistralai/client-python: code 3505; learn.microsoft.com: Azure OpenAI", {
    phrases: "service tier capacity exceeded | out of call volume quota",
  }),
  refusal("google-refused", "google/api/error_reason.proto; ai.google.dev/gemini-api/docs/troubleshooting", {
    codes: `
      api_key_service_blocked | api_key_http_referrer_blocked | api_key_ip_address_blocked | api_key_android_app_blocked |
      api_key_ios_app_blocked | service_disabled | access_token_scope_insufficient | iam_permission_denied |
      access_token_type_unsupported | user_project_denied | location_policy_violated | security_policy_violated |
      resource_project_invalid | access_token_expired
    `,
    phrases: `
      are blocked. … api key | method doesn't allow unregistered callers | has not been used in project | location is not supported
    `,
  }),
  deadKey("google-dead", "google/api/error_reason.proto; ai.google.dev/gemini-api/docs/troubleshooting", {
    codes: "api_key_invalid | api_key_not_found | consumer_suspended | account_state_invalid",
    phrases: "api key was reported as leaked | api key invalid | consumer … has been suspended",
  }),
  restingKey("google-token", "cloud.google.com/apis/design/errors: a key where a token is expected", {
    codes: "credentials_missing",
    phrases: "request had invalid authentication credentials",
  }),
  money("anthropic-money", "docs.anthropic.com/en/api/errors; NousResearch/hermes-agent#31668: a 400", {
    codes: "billing_error",
    phrases: `
      credit balance is too low | reached your specified (?:workspace )?api usage limits | draw from your extra usage |
      out of extra usage
    `,
  }),
  money("account-money", "platform.moonshot.cn; help.aliyun.com; elevenlabs.io; fireworks.ai", {
    codes:
      "exceeded_current_quota_error | arrearage | subscription_required | payment_required | payment_issue",
    phrases: "account is in good standing | suspended, possibly due to",
  }),
  request("anthropic-long-context", "anthropics/claude-code issues", {
    statuses: [429],
    phrases: "extra usage is required for long context",
  }),
  restingKey("azure-key-or-endpoint", "learn.microsoft.com/answers: the key may be good", {
    phrases: "access denied due to invalid subscription key or wrong api endpoint",
  }),
  refusal("azure-resource-blocked", "pollinations/pollinations#9707: the resource, not the prompt", {
    phrases: "resource has been temporarily blocked",
  }),
  limit("openai-plan-window", "openai/codex issues: the window of a subscription, with resets_in_seconds", {
    codes: "usage_limit_reached",
    scope: "account",
  }),
  request("openai-header", "platform.openai.com/docs/guides/error-codes: the caller's own headers name it", {
    codes: "mismatched_organization | mismatched_project | invalid_organization",
    phrases: "header should match | no such organization | no such project",
  }),
  refusal("model-refused", "continuedev/continue#10120; ollama/ollama#15990; BerriAI/litellm#38629", {
    statuses: [0, 401, 403, 404],
    codes: "model_access_denied | key_model_access_denied | team_model_access_denied",
    phrases: `
      (?:not (?:authori[sz]ed|allowed|permitted) to (?:access|use)|no permission to use|have (?:an agreement|access) to) (?:the |this )?(?:requested |specified )?model |
      not allowed to sample from this model | must be verified to (?:use|stream) | model is (?:gated|not allowed for this) |
      gated repo | is not allowed for this virtual key | not authorized to access the requested model |
      model requires a subscription | not authorized to perform: bedrock:invoke | not allowed to access model | 不允许使用该模型 | 暂未开放 |
      仅限 … 使用
    `,
    scope: "model",
  }),
  refusal("openai-verify", "Kilo-Org/kilocode#2320", {
    statuses: [400],
    phrases: "organi[sz]ation must be verified",
    scope: "model",
  }),
  refusal("openai-refused", "platform.openai.com/docs/guides/error-codes; community.openai.com", {
    codes: "deactivated_workspace | unsupported_country_region_territory | ip_not_authorized",
    phrases: "missing scopes | ip (?:is )?not authorized",
  }),
  deadKey("openai-dead", "platform.openai.com/docs/guides/error-codes; router-for-me/CLIProxyAPI#3115", {
    codes: "access_terminated",
    phrases: "account has been deactivated | your access was terminated | token has been invalidated",
  }),
  deadKey("sentence-of-dead", "api-docs.deepseek.com; data.go.kr: error codes 30 and 31", {
    phrases: `
      authentication fails, your api key … is invalid | service key is not registered error | deadline has expired error
    `,
  }),
  request("content-plainly", "docs.x.ai; Wei-Shaw/sub2api#4715; UKGovernmentBEIS/inspect_ai#2267: a 403", {
    statuses: [0, 400, 401, 403],
    phrases: `
      content violates | violates? (?:our |the )?usage (?:guidelines|polic) | usage guidelines | safety check | content policy |
      considered high risk | moderation block | i can't help with | flagged by … moderation | requires moderation … flagged
    `,
  }),
  money("key-limit", "openrouter.ai/docs/api-reference/errors: 403", {
    phrases: "key limit exceeded",
    scope: "key",
  }),
  limit("openrouter-free-day", "openrouter.ai/docs/api-reference/limits; cline/cline#5301", {
    phrases: "free-models-per-day | limit rpd",
    scope: "account",
    window: "day",
    dayOf: "UTC",
  }),
  refusal("openrouter-policy", "openrouter.ai/docs: a setting keeps every endpoint of the model away", {
    statuses: [0, 400, 403, 404],
    phrases: "data policy",
    scope: "model",
  }),
  request("relay-request", "openrouter.ai/docs/api-reference/errors: metadata of provider errors", {
    statuses: [400, 404],
    phrases: "provider returned error",
  }),
  money("cohere-month", "docs.cohere.com/reference/errors: the month of a trial key", {
    phrases: "limited to 1000 api calls / month",
    window: "month",
  }),
  request("cohere-tokens", "docs.cohere.com/reference/errors; LiteLLM's proxies pass it on", {
    statuses: [0, 400, 500],
    codes: "too_many_tokens",
  }),
  refusal("groq-restricted", "crewAIInc/crewAI#783: a 400", {
    phrases: "organization has been restricted",
    scope: "account",
  }),
  deadKey("huggingface-dead", "huggingface_hub issues: 401", {
    statuses: [401, 403],
    phrases: "invalid username or password",
  }),
  failure("nvidia-degraded", "build.nvidia.com: a 400", { phrases: "degraded function cannot be invoked" }),
  deadKey("aws-dead", "docs.aws.amazon.com: common errors", {
    codes: `
      unrecognizedclientexception | invalidclienttokenid | invalidaccesskeyid | expiredtokenexception | expiredtoken
    `,
    phrases: "security token … is (?:invalid|expired)",
  }),
  refusal("aws-signature", "docs.aws.amazon.com: signing, clock or session, not the key", {
    codes: `
      signaturedoesnotmatch | invalidsignatureexception | incompletesignature | missingauthenticationtoken
    `,
    phrases: "the request signature we calculated does not match",
  }),
  refusal("aws-refused", "docs.aws.amazon.com, AccessDeniedException", {
    codes: "accessdeniedexception | accessdenied | optinrequired | notauthorized",
  }),
  limit("zhipu-window", "docs.bigmodel.cn error codes: 1308, window of a plan", {
    codes: "error.code:1308 | error.type:1308",
    phrases: "使用上限",
    scope: "account",
    window: "hour",
  }),
  refusal("zhipu-model", "docs.bigmodel.cn, help.aliyun.com/model-studio, volcengine.com/docs/82379", {
    codes: "error.code:1311 | accessdenied.unpurchased | modelnotopen",
    phrases: "does not yet include access to",
    scope: "model",
  }),
  refusal("zhipu-refused", "docs.bigmodel.cn error codes: account inactive or locked", {
    codes: "error.code:1110 | error.code:1112 | error.code:1121 | error.code:1220 | error.code:1222",
  }),
  refusal("application-refused", "cloud.baidu.com/doc/qianfan; xfyun.cn/doc; docs.exa.ai", {
    codes: "invalid_appid | iam_cert_expired | header.code:11200 | option_not_in_plan | feature_disabled",
    phrases: String.raw`appidnoauth\w*`,
  }),
  money("moonshot-week", "openclaw/openclaw#142656: a 403 of a plan whose week or month is used up", {
    statuses: [403],
    phrases: String.raw`your (?:weekly|7-day|monthly) (?:\([\w -]+\) )?usage limit`,
    window: "week",
  }),
  money("model-quota", "help.aliyun.com/model-studio; volcengine.com/docs/82379; litellm's budgets", {
    codes: "allocationquota.freetieronly | setlimitexceeded",
    phrases: `
      free tier of the model | has reached the set inference limit | exceeded budget for model | balance: free tokens of this model
    `,
    scope: "model",
  }),
  request("minimax-request", "platform.minimax.io/docs error codes: content, parameters, samples of voices", {
    codes: "base_resp.status_code:2013",
  }),
  money("elevenlabs-money", "elevenlabs.io/docs: 401 quota_exceeded means the month's credits", {
    statuses: [0, 400, 401, 403],
    codes: "quota_exceeded",
    phrases: "this request exceeds your quota | 401 - quota exceeded",
  }),
  refusal("elevenlabs-refused", "elevenlabs.io/docs: 401 and 403", {
    codes: `
      detected_unusual_activity | missing_permissions | only_for_creator+ | free_users_not_allowed | voice_access_denied |
      terms_not_accepted | feature_unavailable | workspace_access_denied
    `,
    phrases: "unusual activity detected",
  }),
  money("litellm-budget", "litellm proxy: the budget of the key, its user or its team", {
    codes: "exceededbudget | budget_exceeded",
    phrases: "budget has been exceeded | crossed budget | exceededbudget",
  }),
  limit("litellm-router", "BerriAI/litellm#5634: every deployment of the model rests at the proxy", {
    phrases: "no deployments available … try again in",
  }),
  restingKey("litellm-token", "litellm proxy: the key is not in its table", {
    codes: "token_not_found_in_db",
    phrases: "invalid proxy server token | unable to find token in cache",
  }),
  money("cloudflare-day", "developers.cloudflare.com/workers-ai/platform/errors", {
    phrases: "daily free allocation",
    window: "day",
    dayOf: "UTC",
  }),
  limit("cloudflare-gateway-limit", "can1357/oh-my-pi#11327: a rate limit of Cloudflare AI Gateway", {
    statuses: [401],
    codes: "error.code:2009 | errors.code:2009 | internalcode:2009",
    scope: "key",
  }),
];
