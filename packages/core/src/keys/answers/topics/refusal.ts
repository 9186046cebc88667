import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { any, whole } from "./vocabulary.ts";

const SEEN = "answers of several providers; tests/fixtures/answers names each";

// About the caller's organization, project, address, region, model or permission.

/** Words only for such a refusal, in identifiers and in text. */
const NOT_FOR_THIS_KEY = any(
  whole(`
    (?:no|missing|insufficient|lacks?|without|requires?|required) (?:the )?(?:\\w{1,24} )?(?:permissions?|scopes?|privileges?) | permissions? (?:is |are )?(?:denied|required|missing|error|insufficient) |
    (?:\\w+n't|not) have (?:the |sufficient |enough |any )?(?:\\w{1,24} ){0,3}(?:permissions?|access|privileges?|rights) | (?:api|service) (?:is |has been )?disabled | gated (?:model|repo)\\w* | is gated | need to agree | not licensed | scopes? (?:insufficient|missing|required) |
    (?:not|unsupported) (?:currently |yet )?(?:allowed|authori[sz]ed|permitted|entitled|eligible|subscribed) | un ?authori[sz]ed (?:operation|to access|domain|ip|referr?er|origin|region|country|client|application|model) | ip (?:limit|restriction) | invalid (?:\\w+ )?ip | can only (?:send|use|access|call) | no (?:access|ownership) | not (?:opened|activated|enabled) |
    access (?:is )?(?:denied|forbidden|restricted) | allow ?list | white ?list | black ?list | referr?ers?(?: blocked)? | (?:ip|ip address|request origin) (?:is )?(?:not|blocked|restricted|denied) |
    your ip | client ip | ip address | unsupported (?:country|region) | region not supported | not (?:available|supported) (?:in|on|for|to|with) (?:your|this) | disallowed | your (?:region|country) | must be a member |
    accept the terms | agree to the terms | (?:terms|consent) required | verify your organi[sz]ation | (?:organi[sz]ation|account|name) not verified | real name | sign ?up required |
    has not been used in project | virtual network | firewall rules | captcha (?:is |verification |challenge )*(?:required|needed|failed) | requires? (?:a )?captcha | unusual activity | only available (?:to|for|in|on) | available only (?:to|for) | not available to you |
    access to (?:this )?model | does not open | denied | policy violated | blocked by policy
  `),
  `未被.{0,6}授权 | 分组已?被?禁用 | 权限 | 无权 | 未授权 | 未开通 | 未订阅 | 未激活 | 白名单 | 黑名单 | 实名 | 被限制 | 的ip | ip校验 | referer校验 | 権限 | 許可されて | アクセスできません | 권한 | 허용되지 | 접근 |
  нет доступа | доступ.{0,40}запрещ | permiso | permissão | no autorizado | não autorizado | недостаточно прав | не разреш | keine berechtigung | nicht berechtigt | zugriff verweigert | accès refusé | non autorisé |
  acceso denegado | sin permiso | acesso negado | sem permiss`,
);

/** A plan without the requested feature: another plan includes it. */
export const NOT_IN_PLAN: ReaderRule = {
  pattern: new RegExp(
    whole(`
      (?:plan|subscription|tier|package|licen[sc]e|membership) (?:\\w+ ){0,2}(?:does not|doesn't|do not|don't) (?:\\w+ ){0,2}(?:support|include|permit|allow|cover|have) |
      not (?:\\w+ ){0,2}(?:included|available|supported|allowed|permitted|enabled|covered) (?:\\w+ ){0,3}(?:on|in|with|for|by|under) (?:your|this|the|current|free) (?:[\\w-]+ ){0,3}(?:plan|subscription|tier|package|licen[sc]e) |
      not (?:\\w+ ){0,2}(?:available|supported|allowed|accessible) (?:in|from) (?:your|this) (?:current )?(?:country|region|location|area|territory) |
      (?:must be|need to be|needs?|requires?|for) (?:on |an? |the )?(?:\\w+ ){0,2}(?:paid|pro|premium|enterprise|business|higher) (?:plan|subscription|tier|licen[sc]e) |
      (?:only |exclusively )(?:available|included|supported) (?:on|in|with|for|to) (?:\\w+ ){0,3}(?:plans?|subscriptions?|tiers?|subscribers|customers)
    `),
  ),
  outcome: "refused",
  source: SEEN,
};

/** Identifiers. */
export const REFUSED: ReaderRule = {
  identifierWords: new RegExp(NOT_FOR_THIS_KEY),
  status: [0, 200, 401, 403, 404, 451],
  outcome: "refused",
  source: SEEN,
};

/** Whole identifiers. */
export const REFUSED_CODES: ReaderRule = {
  code: words(`
    unsupported_country_region_territory | model_access_denied | feature_not_available | organization_restricted | model_terms_required |
    invalid_issuer | access_terminated_error
  `),
  status: [401, 403, 404, 451],
  outcome: "refused",
  source: "OpenAI and others",
};

/** Phrases. */
export const REFUSED_WORDS: ReaderRule = {
  pattern: new RegExp(
    any(
      NOT_FOR_THIS_KEY,
      whole("organi[sz]ations? | projects? | workspaces? | scoped | subscription request"),
    ),
  ),
  outcome: "refused",
  source: SEEN,
};

/** Whole words that are no part of an address. */
const plainly = (group: string) => `(?<![\\w./:@-])(?:${any(group)})(?!-?\\w|\\.\\w)`;

/**
 * Subjects of a 403 other than the key: the request, a location, a model, a project, an organization, an address, a permission.
 * A body without any of these is about the key.
 */
export const OF_SOMETHING_ELSE: ReaderRule = {
  pattern: new RegExp(
    any(
      plainly(`
        requests? | endpoints? | urls? | paths? | methods? | routes? | resources? | operations? | actions? | features? | services? | apis? |
        regions? | countr(?:y|ies) | locations? | territor(?:y|ies) | models? | projects? | organi[sz]ations? | workspaces? | teams? | groups? | ips? |
        address(?:es)? | domains? | origins? | networks? | vpn | permissions? | permitted | access | allow(?:ed|s)? | authori[sz]ed | authori[sz]ation | privileges? |
        roles? | scopes? | polic(?:y|ies) | plans? | tiers? | eligible | available | support(?:ed|s)? | restrict(?:ed|s|ions?)? | permits? | modes? | tariffs? | upgrade | subscri(?:bed?|ptions?|bers?) | licen[sc]es? | billing | payments? | security | senders? |
        emails? | versions? | read[ -]only | cors | browsers? | sessions? | captcha | bots? | automated | verif(?:y|ied|ication) | clients? | user[ -]?agent | content | prompts? | parameters?
      `),
      "请求 | 地区 | 模型 | 项目 | 组织 | 接口 | 服务 | 分组 | 访问 | リクエスト | モデル | 地域 | 요청 | 모델 | запрос | модел | списк | доступ | стран | регион | modell | modèle | modelo",
    ),
  ),
  outcome: "refused",
  source: "a 403 that does not speak of the key",
};

/** Words for a 403, where no status is known; this is too little to disable a key. */
export const FORBIDDEN: ReaderRule = {
  pattern: /\bforbidden\b|\b(?:http|status|error|code)\b[^\d\n]{0,12}\b403(?=[\s)\]:,]|$)/,
  outcome: "refused",
  source: "HTTP clients that give the reason phrase without its number",
};

/** The same in a body that comes without a status. */
export const REFUSED_WITHOUT_STATUS: ReaderRule = {
  pattern: new RegExp(any(NOT_FOR_THIS_KEY, whole("feature is not supported | organi[sz]ation has been"))),
  outcome: "refused",
  source: SEEN,
};

/** Phrases of the same that cannot be about anything else, with a status about the request or without one. */
export const REFUSED_WORDS_OF_400: ReaderRule = {
  pattern: new RegExp(
    any(
      whole(`
        is not allowed to use | not activated | referr?er restrictions | location is not supported | unsupported countr(?:y|ies) |
        not available in your (?:region|country) | (?:not |dis)allowed (?:for|by|in) (?:your |this |the )?(?:organi[sz]ation|project|workspace|account|team) | organi[sz]ation has (?:disabled|not enabled|restricted|blocked) | organi[sz]ation (?:has been |is |was )(?:disabled|suspended|restricted|deactivated) | not authorized to use this api | must grant your api key | api project is not authorized |
        organization must be verified | does not have permission | do not have permission | for premium (?:\\w{1,24} )?only | restricted to authorized
      `),
      "未被.{0,6}授权 | 不在.{0,4}白名单 | referer校验 | 访问被限制 | 未开通 | 无权",
    ),
  ),
  outcome: "refused",
  source: "Google Maps, Deepgram, Bedrock and others: with 200 and 400",
};
