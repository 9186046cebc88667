import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { API_CREDENTIAL, any, CREDENTIAL, ENDED, HOLDER, inOrder, near, WRONG, whole } from "./vocabulary.ts";

const SEEN = "answers of several providers; tests/fixtures/answers names each";

// The key itself is dead.

/** Identifiers. */
export const DEAD: ReaderRule = {
  code: words(`
    invalid_key | key_expired | expired_key | account_deactivated | account_disabled | account_suspended | token_revoked |
    token_expired | invalidapikey | apikeyinvalid | bad_credentials | invalid_credentials
  `),
  outcome: "invalid_key",
  dead: true,
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Words between a credential and its fault, in a sentence about nothing else. */
const LINK =
  "[ :-]{1,3}(?:(?:de |d')?api )?(?:you (?:have )?provided |provided |supplied |used |given |specified |format )?(?:in (?:the |your )?[\\w-]{1,40} (?:header |field |parameter )?)?(?:is |was |are |has been |have been |has |had |seems |appears to be |: ?|ist |est |n'est |es |no es |é |não é )?(?:either |currently |now |already |an? )?";
/** A word or two that may stand before a credential: "invalid Gemini API key". */
const BEFORE = String.raw`(?:,? (?:or|and) (?:expired|revoked|invalid|disabled|inactive|malformed))?[ :-]{1,3}(?:the |your |this |a |an |provided |request |请求)?(?:(?!for |from |to |in |of |on |by |with |as |or )[\w-]{1,20} ){0,2}?`;

function adjacent(credential: string, before: string): string {
  return `(?:${WRONG})${before}(?:${credential})|(?:${credential})${LINK}(?:${WRONG})`;
}

/** Without blanks between the words: 密钥无效, 错误的KEY. */
const CLOSE = any(
  String.raw`(?:key|token|ak|密钥|秘钥|令牌|凭证|キー|トークン|키|토큰)(?:[^\w\s，。；、]{0,6}\s?| 토큰이 )?(?:无效|错误|有误|不正确|不存在|失效|已?过期|已?禁用|停用|非法|無効|正しく|不正|期限切れ|失効|유효하지|올바르지|잘못|만료)`,
  String.raw`(?:无效|错误|非法|失效|过期|無効|不正)(?:的|な)?(?:请求|授权|访问)?\s?(?:api ?)?(?:key|token|ak|密钥|秘钥|令牌|凭证|キー|トークン)`,
  "身份验证失败 | 令牌验证不通过 | 令牌状态不可用",
);

/** A credential and its fault, side by side: for 401, 403 and bodies without a status. */
export const DEAD_WORDS: ReaderRule = {
  pattern: new RegExp(
    any(adjacent(CREDENTIAL, BEFORE), CLOSE, whole("bad credentials | invalid credentials?")),
  ),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** The holder of the credential, which no longer exists. */
export const HOLDER_ENDED: ReaderRule = {
  pattern: new RegExp(
    any(
      inOrder(HOLDER, ENDED, 28),
      inOrder(ENDED, HOLDER, 6),
      "\\baccount (?:is |has been |was )?blocked\\b(?! (?:for|from))",
    ),
  ),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** States that can end without a new key: an account that is locked, reported or not verified yet. */
export const MAY_BE_LIFTED: ReaderRule = {
  pattern: new RegExp(
    any(
      whole(`
        (?:is |been |was )(?:locked|frozen|restricted|on hold|under review|flagged) | account (?:locked|frozen|restricted|on hold) | user (?:is )?locked |
        terms of (?:service|use) | violat(?:ed|es|ing|ion|ions) | abus(?:e|ed|ive) | suspicious | fraud(?:ulent)? | appeal |
        (?:verif(?:y|ied|ication)|confirm) (?:your |the )?(?:\\w+ ){0,2}(?:identity|account|e-?mail|phone|age|organi[sz]ation) | locked (?:for|out|until) | too many failed |
        (?:identity|account|email|phone|age|organi[sz]ation|user) (?:\\w+ ){0,3}(?:verif(?:ied|ication)) | not (?:yet )?verified | verification required | barred |
        (?:account|user|customer|profile|application|app|client) (?:is )?(?:\\w+ ){0,1}(?:not (?:yet )?(?:active|activated|approved|enabled)|inactive|pending|awaiting|paused|rejected) | (?:inactive|pending) (?:account|user) | (?:pending|awaiting) (?:approval|activation|review)
      `),
      "未激活 | 审核中 | (?:账号|账户|帐号|帐户|用户).{0,8}违规 | 违规.{0,8}(?:封|冻结|锁) | pendiente de | 锁定 | 冻结 | 申诉 | 解封 | ロック | 잠긴 | 잠겨 | заморожен",
    ),
  ),
  outcome: "refused",
  source: SEEN,
};

/** Advice to contact support, in a text about an account that was closed. */
export const ASK_SUPPORT: ReaderRule = {
  pattern: new RegExp(
    any(
      whole(
        "contact (?:us|the |our |your )?(?:[\\w@.-]{1,60} ?){0,4}(?:support|sales|team|help|administrator|admin) | contact [\\w.-]{1,40}@[\\w.-]{1,40} | support team | customer service",
      ),
      "联系客服 | 联系管理员 | 联系我们",
    ),
  ),
  outcome: "refused",
  source: SEEN,
};

/** Words for a 401, where no status is known. */
export const UNAUTHENTICATED: ReaderRule = {
  pattern:
    /\bunauthori[sz]ed\b|\b(?:un|not ?)authenticated\b|\bnot authed\b|\b(?:bad|no|invalid) auth\b|\bauth(?:entication|ori[sz]ation)? (?:failed|failure|required|error|fails)\b|\blogin required\b|\bsession (?:has |is )?expired\b|\b(?:please |to )log ?in\b|\blog ?in again\b|鉴权失败|认证失败|身份验证/,
  outcome: "invalid_key",
  source: "HTTP clients that give the reason phrase without its number",
};

/** Only the statement that a token seems wrong, with a status about the request. */
export const DOUBTED: ReaderRule = {
  pattern:
    /\bauthori[sz]ation\b.{0,60}\btoken (?:\w{1,12} ){0,2}(?:invalid|expired)|\btoken (?:seems|appears to be) (?:invalid|expired)/,
  outcome: "invalid_key",
  source: "HTTP 400 of Hugging Face's router",
};

/** The same in words that can be about nothing else: for a status about the request. */
export const DEAD_WORDS_OF_400: ReaderRule = {
  pattern: new RegExp(
    any(
      adjacent(API_CREDENTIAL, "[ :-]{1,3}(?:the |your )?"),
      "(?:无效|错误|非法|失效|过期)的?\\s?(?:api ?key|app ?key|密钥|秘钥|令牌)",
      "(?:api ?key|app ?key|密钥|秘钥|令牌)\\s?(?:无效|错误|有误|不正确|不存在|失效|已?过期|已?禁用|非法)",
      "error validating access token\\b.{0,60}\\b(?:expired|invalidated|revoked)",
      "(?:your|this|the) account (?:has been |is |was )(?:deactivated|terminated|banned|deleted)",
    ),
  ),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** A credential and its fault, further apart in one sentence. */
export const DEAD_PATTERN: ReaderRule = {
  pattern: new RegExp(near(API_CREDENTIAL, WRONG, 40)),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** An unambiguous credential and its fault, side by side: with any status. */
export const DEAD_PLAINLY: ReaderRule = {
  pattern: new RegExp(adjacent(API_CREDENTIAL, BEFORE)),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** No credential was sent: with any status. */
export const NOT_SENT: ReaderRule = {
  pattern: new RegExp(
    any(
      inOrder(
        API_CREDENTIAL,
        whole(
          "not provided | not supplied | not set | not sent | (?:is |was )missing | (?:is |was )required",
        ),
        16,
      ),
      whole(
        "(?:did not|didn't|have not|haven't) (?:pass|provide|include|send|supply|specify|set) (?:an? |your |the |any )?(?:valid )?(?:api |access |auth |authentication |bearer )?(?:keys?|tokens?|credentials) | no (?:api |access |auth |valid api )?(?:keys?|tokens?|jwt|credentials) (?:was |were )?(?:found|provided|supplied|sent|given|present|specified|set) | (?:no|missing|absent|without(?: an?)?) (?:authori[sz]ation|authentication|auth|bearer|x-api-key|api[ -]?key) (?:header|credentials?|information|token)s?",
      ),
    ),
  ),
  outcome: "invalid_key",
  source: SEEN,
};

const NOT_SENT_BEFORE = whole(
  "no | missing | could ?n[o']t find | absent | without | malformed | must provide | must include | did not provide | didn't provide | provide an? | provide a valid | requires an? | required",
);
const NOT_SENT_AFTER = whole(
  "missing | required | not provided | must be provided | not supplied | not set | not found in | not sent | malformed | (?:cannot be |is |was )?empty",
);

/** One sentence for a dead credential and for a request without a credential. */
export const DEAD_OR_MISSING: ReaderRule = {
  pattern: new RegExp(
    any(
      near(
        whole("missing | not provided | absent | empty"),
        `\\bor (?:${WRONG})|(?:${WRONG}) or\\b|\\bor\\b`,
        16,
      ),
      "无效或缺失 | 缺失或无效 | 为空或 | 或为空",
    ),
  ),
  outcome: "invalid_key",
  source: SEEN,
};

const EITHER = any(
  `(?:missing|not provided|absent|empty)(?: \\w+){0,2} or (?:${WRONG})`,
  `(?:${WRONG}) or (?:missing|absent|empty|not provided)`,
);

/** The same for an unambiguous API credential: for a refusal of the request, too. */
export const DEAD_OR_MISSING_KEY: ReaderRule = {
  pattern: new RegExp(near(API_CREDENTIAL, EITHER, 30)),
  outcome: "invalid_key",
  source: SEEN,
};

/** A credential whose fault a log has cut off. */
export const DEAD_CUT_OFF: ReaderRule = {
  identifierWords: new RegExp(inOrder(CREDENTIAL, "\\bcut (?:invalid|expired|revoked|disabled)", 3)),
  outcome: "invalid_key",
  source: SEEN,
};

/** No credential was sent, or not where the provider looks for it: the answer is not about the key. */
export const MISSING: ReaderRule = {
  pattern: new RegExp(
    any(
      inOrder(NOT_SENT_BEFORE, CREDENTIAL, 32),
      inOrder(CREDENTIAL, NOT_SENT_AFTER, 24),
      "未提供 | 缺少 | 未登录 | 为空 | not logged in | please log ?in | \\b(?:not |you |please )sign(?:ed)? in\\b | \\b(?:log|sign) ?in (?:again|first|required|to continue)",
    ),
  ),
  outcome: "invalid_key",
  source: SEEN,
};

/** States that end without action: the key is not dead. */
export const TEMPORARY: ReaderRule = {
  pattern: /temporar|try (?:again )?later|for a while|暂时|稍后/,
  outcome: "refused",
  source: SEEN,
};

/** A signature or a clock: the key can be good, and the signer wrong. */
export const SIGNATURE: ReaderRule = {
  pattern: /\bsignatures?\b|timestamp|\bclock\b|\bnonce\b|\bhmac\b|签名|署名|서명|подпись/,
  outcome: "refused",
  source: "AWS, Tencent Cloud, Volcengine, Naver Cloud: requests signed with a secret",
};

/** The same in words that can be about nothing else. */
export const BAD_SIGNATURE: ReaderRule = {
  pattern:
    /\b(?:invalid|expired|wrong|bad|missing|incorrect) signature|\bsignature (?:is |has )?(?:invalid|expired|mismatch|wrong|error|does not match)|签名(?:错误|无效|过期|失败|不正确)/,
  outcome: "refused",
  source: SEEN,
};

/** A text of a few words about only that, with a 401. */
export const DEAD_IN_SHORT: ReaderRule = {
  pattern:
    /^(?:\W|\d|the |your |is |was |has |been |already |unauthori[sz]ed|error|status|code|api|access|user)*\b(?:invalid|revoked|expired)\b\W*(?:$|\|)/,
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};
