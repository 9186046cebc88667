import {
  between,
  deadKey,
  failure,
  limit,
  money,
  refusal,
  request,
  restingKey,
  SEEN,
  unknownCause,
  unreached,
} from "./entry.ts";
import { OF_PROVIDERS } from "./of-providers.ts";
import type { AnswerEntry } from "./types.ts";

/** Answers of proxies, firewalls, API gateways and login pages. They say nothing about the key, whatever their status is. */
const IN_BETWEEN: readonly AnswerEntry[] = [
  between("envoy", "Envoy and Istio, plain-text bodies of their filters", {
    phrases: `
      rbac: access denied | stream timeout | jwt is missing | jwks no matched | upstream connect error | no healthy upstream
    `,
  }),
  between("cloudflare-error", "Cloudflare 1xxx and 5xx errors, the plain-text form for API clients", {
    form: "text",
    phrases: String.raw`
      error code: (?:10(?:0[013678789]|1[025689]|20|33)|50[24]|52\d|530)\b | error 10(?:15|20)\b | cloudflare ray id |
      attention required! \| cloudflare
    `,
  }),
  between("litellm-between", "LiteLLM proxy: its own keys and routing", {
    phrases: "litellm virtual key | no connected db | no deployments available | cooldown list",
  }),
  between("vercel", "Vercel error codes", {
    phrases: `
      function invocation (?:timeout|failed) | serverless function has timed out | vercel security checkpoint
    `,
  }),
  between("firewall", "firewalls, proxies, and relays without an upstream", {
    phrases: String.raw`
      missing authentication token | tunnel connection failed | err ngrok | proxyconnect tcp | web page blocked | zscaler |
      fortiguard | blocked by your administrator | squid | blue coat | captive portal | sorry, you have been blocked |
      please enable cookies | cloudflare detected | blocked by cloudflare | (?:due to|by) waf | waf block |
      web application firewall | access denied by security policy | blocked by network policy | your request was blocked |
      bot detected | blocked[ -]by[ -](?:a |the )?(?:gateway|proxy|firewall)\b | unable to connect to proxy |
      proxy authentication required | has been blocked … waf | may be sending automated queries | 无可用渠道 |
      no available (?:accounts|upstream|candidate) | x-portkey- | x-deny-reason | host[ _]not[ _]allowed | cf-mitigated | cf-error |
      cf[ -]chl | (?:403|http 403) cloudflare | cloudflare 403 | forbidden by administrative rules | proxy denied |
      denied by (?:the )?proxy | proxy refused | proxy returned | egress … (?:blocked|denied|not allowed) | egress polic |
      not in the egress | netskope | forcepoint | umbrella block
    `,
  }),
  between("page-for-parser", "the words of JSON parsers that were given a page", {
    phrases: String.raw`
      unexpected token '?< | is not valid json … <!doctype | unexpected character: '<' | invalid character '<' looking for |
      html (?:response|error page) | html instead of json | just a moment\.\.\. | unrecognized token '<' | got text/html |
      mimetype: text/html
    `,
  }),
];

/** Words that many providers share, with the statuses of the answers that contain them. */
export const GENERAL: readonly AnswerEntry[] = [
  request("too-large-name", SEEN, {
    statuses: [404, 499, 500],
    names: "context (?:length|window) | too (?:large|long|big) | string above max | max tokens exceeded",
  }),
  request("too-large", SEEN, {
    statuses: [0, 400, 429],
    phrases: String.raw`
      request too large | maximum context length | prompt is too long | exceed context limit | reduce your prompt |
      payload too large | exceeds? the model limit |
      (?:input|prompt|context (?:length|window|size)|content|file|payload|text|image|audio|document|request size)(?: \w+){0,3} (?:exceeds?|exceeded|(?:has )?reached the|(?:is )?too (?:large|long|big))\b |
      (?:prompt|文本|内容|输入|图片).{0,4}(?:过长|过大|超长|太长)
    `,
  }),
  failure("overload-name", SEEN, { statuses: [0, 429, 500], names: "{busy} | maintenance" }),
  money("limit-of-key", SEEN, {
    statuses: [0, 400, 404, 429, 499],
    phrases: "{api key} <~30> (?:usage limit|spend limit)",
    scope: "key",
  }),
  limit("rate-name", SEEN, {
    statuses: [0, 400, 401, 403, 404, 499, 500],
    names: String.raw`rate limit\w* | throttl\w* | too many requests | resource exhausted`,
  }),
  request("fetched-elsewhere", "OpenAI and Gemini: addresses of images and tools in a request", {
    statuses: [400],
    phrases: `
      failed to download | cannot fetch | could not fetch | unable to download | failed to fetch | upstream returned |
      error while downloading | tool call failed | mcp server
    `,
  }),
  request("content-name", "OpenAI's dialect, as documented by OpenAI, Together, Groq and others", {
    statuses: [0, 400, 401, 403, 500],
    names: String.raw`
      content (?:policy|filter|moderation|safety|blocked)\b | moderation | sensitive | safety | prohibited content | nsfw |
      image generation user error | data inspection | guardrail | unsafe
    `,
  }),
  money("money", SEEN, {
    statuses: [0, 400, 401, 403, 429],
    phrases: `
      {no funds} | {unpaid} | exceeded your current quota, please check your plan |
      your account is not active, please check your billing | top ?up to | usage cap exceeded | monthly product cap
    `,
  }),
  money("money-of-500", SEEN, { statuses: [500], form: "fields", phrases: "{no funds} | {unpaid}" }),
  limit("rate-units", SEEN, { statuses: [0, 401, 403, 429], phrases: "{pace} | {period}" }),
  money("plan-over", SEEN, {
    statuses: [0, 401, 403, 429],
    phrases: String.raw`
      {allowance} <~32> {used up} | {month} <~24> {monthly} |
      no (?:active |valid |current )+(?:\w+ )?(?:subscription|plan|membership|package|license)\b | quotas?\b[^|]{0,60}\bupgrade
    `,
  }),
  money("money-offer", SEEN, {
    statuses: [0, 401, 403, 429],
    phrases: String.raw`
      plan(?:'s)? (?:\w{1,24} ){0,3}(?:limit|quota|allowance|cap) | payment method | add funds | please purchase | purchase more |
      buy more | add (?:more )?credits | add a payment | billing details | check your billing | update your billing |
      billing issue | upgrade your plan | extra usage | account balance | your balance is | top[ -]?up | please recharge |
      recharge your | no resource package | free quota | costs? more | 无可用资源包 | (?:不足|用尽|超出).{0,6}额度
    `,
  }),
  failure("overload", SEEN, {
    statuses: [0, 400, 429],
    phrases: `
      {busy} | (?:internal|system|server) (?:server )?error | unable to process your request | 系统错误 | 内部错误 | 内部系统错误 | 服务异常 | 服务器错误 |
      内部エラー | 내부 오류 | внутренняя ошибка
    `,
  }),
  limit("rate", SEEN, {
    statuses: [0, 401, 403],
    phrases: String.raw`
      {calls} <~40> {too many} | {limit reached} | quota (?:has been |was |is )?exceeded | quota will reset |
      exceed(?:s|ed|ing)? (?:your|the) (?:\w{1,24} |<[^<>]{0,80}>){0,3}quotas?\b | resource (?:has been )?exhausted |
      limited number of … requests exceeds
    `,
  }),
  refusal("not-in-plan", SEEN, {
    statuses: [0, 400],
    phrases: String.raw`
      (?:plan|subscription|tier|package|licen[sc]e|membership) (?:\w+ ){0,2}(?:does not|doesn't|do not|don't) (?:\w+ ){0,2}(?:support|include|permit|allow|cover|have)\b |
      not (?:\w+ ){0,2}(?:included|available|supported|allowed|permitted|enabled|covered) (?:\w+ ){0,3}(?:on|in|with|for|by|under) (?:your|this|the|current|free) (?:[\w-]+ ){0,3}(?:plan|subscription|tier|package|licen[sc]e)\b |
      not (?:\w+ ){0,2}(?:available|supported|allowed|accessible) (?:in|from) (?:your|this) (?:current )?(?:country|region|location|area|territory)\b |
      (?:must be|need to be|needs?|requires?|for) (?:on |an? |the )?(?:\w+ ){0,2}(?:paid|pro|premium|enterprise|business|higher) (?:plan|subscription|tier|licen[sc]e)\b |
      (?:only |exclusively )(?:available|included|supported) (?:on|in|with|for|to) (?:\w+ ){0,3}(?:plans?|subscriptions?|tiers?|subscribers|customers)\b
    `,
  }),
  request("no-such-model", SEEN, {
    statuses: [0],
    phrases: String.raw`
      models? .{0,60}(?:does not exist|not (?:found|available|supported|accessible)|no longer (?:available|supported))\b |
      no such model | unknown model | not a valid model | unsupported model | does not support | permitted models |
      模型(?:不存在|未找到|已下线|不支持) | 不支持的模型 | モデルが(?:見つかり|存在し)
    `,
  }),
  unreached("unreached-for-sure", "urllib3, Node, axios, undici, Foundation", {
    statuses: [0],
    names: String.raw`
      etimedout | econnreset | econnrefused | econnaborted | enotfound | epipe | eai again | err network | err canceled |
      und err \w+
    `,
    phrases: `
      failed to establish a new connection | max retries exceeded with url | nsurlerrordomain | connection refused | getaddrinfo |
      name resolution | no route to host
    `,
  }),
  unknownCause("own-file", "Python, Node: a file of the caller's own machine", {
    statuses: [0],
    phrases: String.raw`\[errno (?:1|2|13|17|20|21|28)\] | eacces | enoent | eperm`,
  }),
  refusal("lifted", SEEN, { statuses: [0, 401, 403], phrases: "{liftable}" }),
  refusal("bad-signature", SEEN, {
    statuses: [0, 400],
    phrases: String.raw`
      (?:invalid|expired|wrong|bad|missing|incorrect) signature |
      signature (?:is |has )?(?:invalid|expired|mismatch|wrong|error|does not match)\b | 签名(?:错误|无效|过期|失败|不正确)
    `,
  }),
  refusal("signature", "AWS, Tencent Cloud, Volcengine: the key can be good, and the signer wrong", {
    statuses: [401, 403],
    phrases: "signatures? | .?timestamp | clock | nonce | hmac | 签名 | 署名 | 서명 | подпись",
  }),
  refusal("hedged", "several providers: one sentence for several reasons is no proof", {
    statuses: [0, 401, 403],
    phrases: String.raw`
      or (?:the |your |you |it |its |this |an? )?(?:[\w'-]+ ){0,3}(?:package|plan|quota|credits?|limit|balance|permissions?|access|model|(?:api )?endpoint|region|ip|project|organi[sz]ation|role|scopes?|authori[sz]ed|unauthori[sz]ed|perm|\w*n't have|not have|not support|lacks?)\b(?! (?:api )?(?:tokens?|keys?)\b) |
      tokens? (?:audience|issuer|type|scope)\b | (?:csrf|captcha|device|backend) tokens?\b |
      (?:upstream|backend)(?:'s)? (?:api )?keys?\b |
      (?:ip|region|permissions?|plan|quota|limit|restrict(?:ed|ions?)|access(?! token| key)|project|organi[sz]ation|roles?|scopes?) (?:\w+ ){0,2}or (?:\w+ ){0,3}(?:keys?|account|suspended|invalid|expired|disabled)\b |
      missing the permission | unblock | make sure (?:that )?your (?:api )?(?:key|token) is (?:valid|correct)\b |
      not (?:\w+ )?(?:registered|valid|recogni[sz]ed|enabled|found|known|active|usable|assigned) (?:for|in|with|on|by|to) (?:this|the|your) (?:\w+ )?(?:project|organi[sz]ation|workspace|region|endpoint|environment|tenant|app(?:lication)?|domain|host|model|site|service|deployment)\b |
      或无权 | 暂无权限 | または権限
    `,
  }),
  restingKey("dead-or-missing", SEEN, {
    statuses: [0, 401, 403],
    phrases: `
      (?:missing|not provided|absent|empty) <~16> or {wrong} | {wrong} or <16> (?:missing|not provided|absent|empty) |
      (?:missing|not provided|absent|empty) or | or (?:missing|not provided|absent|empty) | 无效或缺失 | 缺失或无效 | 为空或 | 或为空
    `,
  }),
  refusal("for-now", SEEN, {
    statuses: [401, 403],
    phrases: String.raw`temporar\w* | try (?:again )?later | for a while | 暂时 | 稍后`,
  }),
  restingKey("not-sent", SEEN, {
    statuses: [0, 400, 401, 403, 404, 429, 499],
    phrases: String.raw`
      {api key} <16> (?:not provided|not supplied|not set|not sent|(?:is |was )missing|(?:is |was )required) |
      no (?:api |access |auth |valid api )?(?:keys?|tokens?|jwt|credentials) (?:was |were )?(?:found|provided|supplied|sent|given|present|specified|set)\b
    `,
  }),
  deadKey("dead-key", SEEN, { statuses: [0, 401, 403], phrases: "{dead api key}" }),
  refusal("refused-name", SEEN, { statuses: [0, 401, 403, 404], names: "{not allowed}" }),
  deadKey("dead-code", "OpenAI's dialect, as documented by OpenAI, Together, Groq and others", {
    statuses: [0, 400, 401, 403, 404, 429, 499, 500],
    codes: `
      invalid_key | key_expired | expired_key | account_deactivated | account_disabled | account_suspended | token_revoked |
      token_expired | invalidapikey | apikeyinvalid | bad_credentials | invalid_credentials
    `,
  }),
  deadKey("dead", SEEN, {
    statuses: [0, 401, 403],
    phrases: String.raw`
      {dead credential} |
      (?:key|token|ak|密钥|秘钥|令牌|凭证|キー|トークン|키|토큰)(?:[^\w\s，。；、]{0,6}\s?| 토큰이 )?(?:无效|错误|有误|不正确|不存在|失效|已?过期|已?禁用|停用|非法|無効|正しく|不正|期限切れ|失効|유효하지|올바르지|잘못|만료) |
      (?:无效|错误|非法|失效|过期|無効|不正)(?:的|な)?(?:请求|授权|访问)?\s?(?:api ?)?(?:key|token|ak|密钥|秘钥|令牌|凭证|キー|トークン) | 身份验证失败 | 令牌验证不通过 | 令牌状态不可用 |
      bad credentials | invalid credentials?
    `,
  }),
  deadKey("dead-of-400", SEEN, {
    statuses: [400],
    phrases: String.raw`
      {dead api key plain} | (?:无效|错误|非法|失效|过期)的?\s?(?:api ?key|app ?key|密钥|秘钥|令牌) |
      (?:api ?key|app ?key|密钥|秘钥|令牌)\s?(?:无效|错误|有误|不正确|不存在|失效|已?过期|已?禁用|非法) |
      error validating access token\b.{0,60}\b(?:expired|invalidated|revoked)\b |
      (?:your|this|the) account (?:has been |is |was )(?:deactivated|terminated|banned|deleted)\b
    `,
  }),
  restingKey("doubted", "HTTP 400 of Hugging Face's router", {
    statuses: [400],
    phrases: String.raw`
      authori[sz]ation\b.{0,60}\btoken (?:\w{1,12} ){0,2}(?:invalid|expired)\b | token (?:seems|appears to be) (?:invalid|expired)\b
    `,
  }),
  limit("rate-of-400", SEEN, {
    statuses: [400],
    phrases: String.raw`
      .?rate[ -]?limit\w* | too many requests | .?throttl\w* | too many concurrent |
      (?:api|requests?|calls?|query|usage) (?:\w+ )?limit (?:has been |was |is )?(?:exceeded|reached|hit)\b | 过于频繁 | qps
    `,
  }),
  refusal("refused-of-400", "Google Maps, Deepgram, Bedrock and others: with 200 and 400", {
    statuses: [0, 400],
    phrases: String.raw`
      is not allowed to use | not activated | referr?er restrictions | location is not supported | unsupported countr(?:y|ies)\b |
      (?:not |dis)allowed (?:for|by|in) (?:your |this |the )?(?:organi[sz]ation|project|workspace|account|team)\b |
      organi[sz]ation has (?:disabled|not enabled|restricted|blocked)\b |
      organi[sz]ation (?:has been |is |was )(?:disabled|suspended|restricted|deactivated)\b | organization must be verified |
      未被.{0,6}授权 | 不在.{0,4}白名单 | referer校验 | 访问被限制 | 未开通 | 无权
    `,
  }),
  refusal("ask-support", SEEN, {
    statuses: [401, 403],
    phrases: String.raw`
      contact (?:us|the |our |your )?(?:[\w@.-]{1,60} ?){0,4}(?:support|sales|team|help|administrator|admin)\b |
      contact [\w.-]{1,40}@[\w.-]{1,40} | support team | customer service | 联系客服 | 联系管理员 | 联系我们
    `,
  }),
  deadKey("holder-ended", SEEN, {
    statuses: [0, 401, 403],
    phrases: String.raw`
      {holder} <28> {ended} | {ended} <6> {holder} | account (?:is |has been |was )?blocked\b(?! (?:for|from))
    `,
  }),
  unreached("unreached", "runtimes and SDKs: undici, httpx, requests, aiohttp, Go net/http, Foundation", {
    statuses: [0, 499],
    phrases: String.raw`
      stream ended before | error sending request | ended without | stream closed | connection interrupted | no response from |
      connection (?:was )?(?:closed|lost|reset|refused|aborted|failed|error)\b | connection error |
      (?:could not|unable to|failed to|couldn't|cannot) connect | fetch failed | failed to fetch | socket hang up |
      .?(?:econnreset|econnrefused|etimedout|enotfound|eai_again|ehostunreach|enetunreach|enetdown)\b | timed ?out | .?timeout |
      (?:request|operation) was aborted | aborted by user | user aborted | network error | network is unreachable |
      client closed request | getaddrinfo | premature close | terminated | server disconnected | peer closed connection |
      broken pipe | no such host | i/o timeout | tls handshake | security certificate | sec error | ssl error |
      certificate verify failed | net::err | deadline exceeded | request cancell?ed | was cancell?ed | disconnected |
      unexpected eof | eof | dns | appears to be offline | could not resolve host | unreachable | nodename nor servname | schannel |
      xmlhttprequest error | net/http: | wsarecv | no route to host | 超时 | 连接失败 | 连接被重置 | 无法连接 | 网络错误 | 网络异常 | タイムアウト | 接続できません |
      接続エラー | 시간 초과 | 연결 실패 | 연결할 수 없 | таймаут | тайм-аут | время ожидания | zeitüberschreitung | délai d'attente | délai dépassé |
      tiempo de espera | tempo limite | rst stream
    `,
  }),
  restingKey("missing", SEEN, {
    statuses: [401, 403],
    phrases: String.raw`
      (?:no|missing|could ?n[o']t find|absent|without|malformed|must provide|must include|did not provide|didn't provide|provide an?|provide a valid|requires an?|required)\b <32> {credential} |
      {credential} <24> (?:missing|required|not provided|must be provided|not supplied|not set|not found in|not sent|malformed|(?:cannot be |is |was )?empty)\b |
      未提供 | 缺少 | 未登录 | 为空 | not logged in | please log ?in
    `,
  }),
  request("content", SEEN, {
    statuses: [0, 403],
    phrases: String.raw`
      violates usage | usage guidelines | safety[ _]check | flagged | moderation | content policy | usage polic(?:y|ies)\b |
      safety system | content filter | violation of | is sensitive | sensitive content | sensitive word | content rejected |
      safety settings | blocked due to safety | prompt was blocked | potentially violat\w* | content exists risk |
      considered high risk | inappropriate content | unsafe content | harmful | 敏感 | 不安全 | 违规
    `,
  }),
  refusal("refused", SEEN, {
    statuses: [0, 401, 403],
    phrases: `
      {not allowed} | organi[sz]ations? | projects? | workspaces? | scoped | subscription request
    `,
  }),
  deadKey("dead-further", SEEN, { statuses: [401, 403], phrases: "{api key} <~40> {wrong}" }),
  deadKey("dead-in-short", SEEN, {
    statuses: [401],
    phrases: String.raw`
      ^(?:\W|\d|the |your |is |was |has |been |already |unauthori[sz]ed|error|status|code|api|access|user)*\b(?:invalid|revoked|expired)\b\W*(?:$|\|)
    `,
  }),
  refusal("something-else", "a 403 that does not speak of the key", {
    statuses: [403],
    phrases: `
      {subject} | 请求 | 地区 | 模型 | 项目 | 组织 | 接口 | 服务 | 分组 | 访问 | リクエスト | モデル | 地域 | 요청 | 모델 | запрос | модел | списк | доступ |
      стран | регион | modell | modèle | modelo
    `,
  }),
  failure("failed", "names of SDKs and gRPC", {
    statuses: [0, 401, 403],
    codes: `
      api_error | apierror | internalservererror | internal_server_error | server_error | internal | internal_error |
      internalerror | backend_error | upstream_error | service_error | processing_error | internalserverexception |
      internalfailure | modelerrorexception | modelstreamerrorexception | data_loss
    `,
  }),
  restingKey("unauthenticated", "HTTP clients that give the reason phrase without its number", {
    statuses: [0, 403],
    phrases: String.raw`
      unauthori[sz]ed | (?:un|not ?)authenticated | not authed | (?:bad|no|invalid) auth |
      auth(?:entication|ori[sz]ation)? (?:failed|failure|required|error|fails)\b | login required | session (?:has |is )?expired |
      (?:please |to )log ?in\b | log ?in again | 鉴权失败 | 认证失败 | 身份验证
    `,
  }),
  request("not-possible", "Azure, ElevenLabs and others", {
    statuses: [0],
    phrases: String.raw`
      (?:deployment|voice|endpoint|resource|engine|file|page|url|route|path) (?:\w+ ){0,5}(?:not found|does not exist|doesn't exist)\b |
      deployment ?not ?found | does not work with |
      (?:unsupported|unknown|unrecognized|missing required|invalid) (?:parameter|argument|value|request|url|format|input|field)s? |
      validation error | bad request | not specified properly | requires? (?:get|post|put) method | inaccessible |
      dimensions? (?:mismatch|do not match|don't match)\b | (?:is|are) (?:not valid|invalid)\b | (?:should|must) alternate |
      cannot be performed | no spoken audio | 参数错误 | 请求参数 | 参数不合法 | 参数有误 | 已下线
    `,
  }),
  refusal("forbidden-of-none", "HTTP clients: the reason phrase alone is too little to disable a key", {
    statuses: [0],
    phrases: String.raw`forbidden | (?:http|status|error|code)\b[^\d\n]{0,12}\b403(?=[\s)\]:,]|$)`,
  }),
];

/** Entries that few answers match. One quick test in classify.ts skips them all. */
export const RARE: readonly AnswerEntry[] = [...OF_PROVIDERS, ...IN_BETWEEN];

/** The whole table in order: the first entry that an answer matches decides its meaning. */
export const ENTRIES: readonly AnswerEntry[] = [...RARE, ...GENERAL];
