import type { Rule } from "../types.ts";
import { words } from "../words.ts";

const SEEN = "issue threads of several providers; tests/corpus/answers names each";

// The key itself is dead.

/** Identifiers. */
export const DEAD: Rule = {
  code: words(`
    invalid_api_key | api_key_invalid | incorrect_api_key | invalid_key | api_key_expired |
    key_expired | expired_api_key | expired_key | account_deactivated | account_disabled |
    account_suspended | api_key_disabled | api_key_revoked | revoked_api_key | token_revoked |
    wrong_api_key | invalidapikey | apikeyinvalid | api_key_not_found | invalid_access_token
  `),
  outcome: "invalid_key",
  dead: true,
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases that name the key, for 401 and 403. */
export const DEAD_WORDS: Rule = {
  phrase: words(`
    user is locked. reason: admin |
    token_expired | token expired |
    bad credentials | account … deleted or deactivated | account … has been deleted |
    incorrect api key provided | invalid api key | invalid api-key | invalid apikey |
    invalid api_key | invalid x-api-key | invalid key provided | api key not valid |
    api key is not valid | api key is invalid | api key you provided is invalid |
    api key provided is invalid | api key … is incorrect | apikey is invalid | api key has expired |
    api key is expired | api key expired | api key has been revoked | api key was revoked |
    api key is revoked | api key revoked | revoked api key | api key has been disabled |
    api key is disabled | api key disabled | api key has been deleted | api key was deleted |
    api key deleted | api key does not exist | api key doesn't exist | api key not found |
    api key is not found | no such api key | unknown api key | expired api key |
    api key has been deactivated | api key is inactive | api key is deactivated |
    api key was reported as leaked | api key has been suspended | api key … has been blocked |
    api key is blocked | key is blocked | token has been revoked | token revoked |
    access token is invalid | account has been deactivated | account deactivated |
    account is deactivated | account has been disabled | account is disabled |
    account has been suspended | account is suspended | account has been terminated |
    account has been banned | account is banned | organization has been disabled |
    invalid access token | api key format is |
    the api key you have provided is invalid | invalid authorization token | invalid bearer token |
    key is invalid | key has expired | key is disabled | key has been revoked | 无效的令牌 | 令牌已过期 |
    api key 无效 | apikey无效 | api key 错误 | 密钥无效 | 身份验证失败 | 令牌验证不通过 | 该令牌状态不可用 | 令牌已失效 | 账号已被封 | 无效的api |
    無効なapiキー | apiキーが無効 | недействительный api | неверный api
  `),
  outcome: "invalid_key",
  dead: true,
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Phrases that cannot be about anything else, for a status about the request. */
export const DEAD_WORDS_OF_400: Rule = {
  phrase: words(`
    api key could not be found | api key not found |
    incorrect api key provided | invalid api key | invalid x-api-key | api key not valid |
    api key is not valid | api key is invalid | api key expired | api key has expired |
    api key has been revoked | api key revoked | api key has been disabled |
    api key was reported as leaked | api_key_invalid | account has been deactivated |
    account is deactivated
  `),
  outcome: "invalid_key",
  dead: true,
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

const CREDENTIAL = String.raw`\b(?:api[ _-]?keys?|apikey|api[ _-]?token|access[ _-]?token|auth\w{0,12}[ _-]token|bearer token|oauth token|secret key|subscription key|license key|auth[ _-]?key|app[ _-]?key|(?:your|this|the|provided|supplied) (?:key|token)|key|token)\b`;
const INVALID =
  "invalid|invalidated|incorrect|wrong|expired|revoked|unknown|unrecognized|disabled|deactivated|inactive|deleted|nonexistent";

/** A credential and what is wrong with it, near each other in one sentence, in either order. */
export const DEAD_PATTERN: Rule = {
  pattern: new RegExp(
    `\\b(?:${INVALID})\\b[^.]{0,24}${CREDENTIAL}|${CREDENTIAL}[^.]{0,60}\\b(?:${INVALID}|not valid|no longer valid|doesn't exist|does not exist|not exist|not found|not recognized|invalidated|suspended|terminated|banned)\\b`,
  ),
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};

/** No credential was sent, or not where the provider looks for it: nothing is known of the key. */
export const MISSING: Rule = {
  pattern: new RegExp(
    `\\b(?:no|missing|without|malformed|must provide|must include|must be provided|did not provide|didn't provide|not provided|provide an?|provide a valid|requires an?|required)\\b[^.]{0,32}${CREDENTIAL}|${CREDENTIAL}[^.]{0,24}\\b(?:missing|required|not provided|not supplied|not set|not found in|not sent|empty)\\b`,
  ),
  outcome: "invalid_key",
  source: SEEN,
};

/** What is said to pass: no news of a dead key. */
export const TEMPORARY: Rule = {
  phrase: words("temporarily | temporary | try again later | for a while"),
  outcome: "refused",
  source: SEEN,
};

/** A text of a few words that says no more than that, with a 401. */
export const DEAD_IN_SHORT: Rule = {
  pattern: /^[^.]{0,24}\b(?:invalid|revoked|expired)\b[^.]{0,24}$/,
  outcome: "invalid_key",
  dead: true,
  source: SEEN,
};
