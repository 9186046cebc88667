import type { Rule } from "../types.ts";
import { words } from "../words.ts";

// About the caller's organization, project, address, region, model or permission.

/** Identifiers. */
export const REFUSED: Rule = {
  code: words(`
    permission_error | unsupported_country_region_territory | ip_not_authorized | model_not_allowed |
    insufficient_permissions | missing_permissions | insufficient_scope | missing_scope |
    access_denied | accessdenied | access_terminated_error | not_authorized | no_access |
    model_access_denied | feature_not_available | organization_restricted | region_not_supported |
    unsupported_region | terms_required | consent_required | model_terms_required |
    account_not_verified | not_eligible
  `),
  status: [401, 403, 404, 451],
  outcome: "refused",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases. */
export const REFUSED_WORDS: Rule = {
  phrase: words(`
    访问被限制 | referer校验 |
    permission is required | requires permission | requires the … permission |
    does not have permission | do not have permission | don't have permission |
    doesn't have permission | insufficient permission | missing permission | permission denied |
    no permission | must be a member | ip address | ip whitelist | ip allow | ip is not | ip not |
    allowlist | allow list | whitelist | not authorized to | not authorised to |
    unauthorized to access | does not have access | do not have access | don't have access |
    doesn't have access | no access to | not allowed to | not available in your |
    not supported in your | your region | your country | missing scopes | required scope |
    insufficient scope | accept the terms | agree to the terms | verify your organization |
    has not been used in project | insufficient privileges | organization | project |
    not available to you | access to this model | access to model | workspace | request origin |
    referrer | referer | 没有权限 | 无权 | 未开通 | ip白名单 | unusual activity | virtual network |
    firewall rules
  `),
  outcome: "refused",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Of a 403 alone: words that name another reason than the key. A 403 whose body has none of them disables the key. */
export const SPEAKS_OF_ANOTHER_REASON: Rule = {
  phrase: words(`
    permission | organization | organisation | project | workspace | team | region | country | territory | location |
    your ip | subscribed | ip address | ip is | ip not | ip block | scope | role | terms | accept | verif | model | restricted | access |
    not enabled | disabled | privilege | origin | refer | tier | plan | subscription | waitlist | beta | 地区 | 权限 | vpc |
    endpoint | network | request | resource | policy | forbidden | permitted | denied | allowed | balance | credit | quota |
    limit | billing | payment | locked | unavailable | suspicious | unusual | abuse | security | blocked | unsupported |
    not available | eligible | consent
  `),
  outcome: "refused",
  source: "a 403 that names another reason than the key",
};

/** Phrases of the same that cannot be about anything else, with a status about the request or without one. */
export const REFUSED_WORDS_OF_400: Rule = {
  phrase: words(`
    is not allowed to use | has not activated the model | not activated |
    referer restrictions | referrer restrictions |
    location is not supported | unsupported countr | not available in your region | not available in your country |
    not authorized to use this api | must grant your api key | api project is not authorized | referer校验 | 访问被限制 |
    your organization must be verified | does not have permission | do not have permission
  `),
  outcome: "refused",
  source: "Google Maps, Deepgram, Bedrock and others: with 200 and 400",
};
