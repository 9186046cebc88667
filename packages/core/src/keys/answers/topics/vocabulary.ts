/**
 * The words that providers use for the same things, as parts of patterns over lower-case text: the subject, and its
 * state. English first, then Chinese, Japanese, Korean, Russian, German, French, Spanish and Portuguese stems.
 * A topic joins two groups with `near`.
 */

/**
 * Alternatives with " | " between them, on any number of lines. Those that begin with a letter of another script are tried
 * only at such a letter: most texts have none, and are read in half the time.
 */
export function any(...groups: string[]): string {
  const all = groups.flatMap((group) => group.trim().replace(/\s+/g, " ").split(" | "));
  const foreign = all.filter((one) => /^[^ -~]/.test(one));
  const own = all.filter((one) => !foreign.includes(one));
  return [...own, ...(foreign.length === 0 ? [] : [`(?=[^ -~])(?:${foreign.join("|")})`])].join("|");
}

/** Alternatives that are whole words. */
export const whole = (group: string) => `\\b(?:${any(group)})\\b`;

/** Two groups of words in one sentence, in either order. Time is linear in the text: the gap is bounded. */
export function near(one: string, other: string, gap = 40): string {
  return `${inOrder(one, other, gap)}|${inOrder(other, one, gap)}`;
}

/** The same in this order only. */
export function inOrder(one: string, other: string, gap = 40): string {
  return `(?:${one})[^.!?;|。！？；，]{0,${gap}}?(?:${other})`;
}

/** A credential, where a text is about nothing else (401, 403). */
export const CREDENTIAL = any(
  whole(`
    keys? | (?<!\\b(?:max|min|input|output|prompt|completion|total|stop|new|thinking|cached|special|many) )tokens? | credentials? | secrets?(?: ids?)? | secretids? | apikeys? | appkeys? | jwt | access key ids? | ak | auth_?tokens? | accesstokens? | client ids? |
    authorization grant
  `),
  "密钥 | 秘钥 | 令牌 | 凭证 | キー | トークン | 인증 ?키 | api ?키 | 토큰 | ключ | токен | schlüssel | \\bclé | jeton | \\bclave | llave | chave",
);

/** An unambiguous credential: requests mention other keys and tokens, too. */
export const API_CREDENTIAL = any(
  whole(`
    api[ -]?keys? | apikeys? | (?:access|auth|api|server|bearer|oauth|security|session|subscription|authentication|authorization) tokens? |
    (?:secret|access|subscription|service|license|virtual|x-api|app) ?keys?(?: ids?)?
  `),
  "api ?密钥 | 密钥 | 令牌 | api ?キー | api ?키 | api[ -]?ключ | api[ -]?schlüssel | clé (?:d')?api | clave (?:de )?(?:la )?api | chave (?:de |da )?api",
);

/** Faults of a dead credential. */
export const WRONG = any(
  whole(`
    invalid | invalidated | incorrect | wrong | bad | illegal | expired? | revoked | unknown | unrecogni[sz]ed | disabled |
    deactivated | inactive | deleted | non-?existent | not valid | no longer valid | not active | doesn't exist |
    (?:does |do |did )?not exists? | (?:is |was )?not found(?! in\\b) | could not be found | not recogni[sz]ed | not registered |
    suspended | terminated | banned | blocked | no such | leaked | blacklisted | compromised | lapsed | no longer (?:accepted|active|exists)
  `),
  `无效 | 错误 | 有误 | 不正确 | 不存在 | 失效 | 过期 | 禁用 | 停用 | 已删除 | 非法 | 吊销 | 注销 | 無効 | 正しく | 不正 | 期限切れ | 失効 | 誤り | 存在しません |
  유효하지 | 올바르지 | 잘못 | 만료 | 폐기 | 존재하지 | недействит | неверн | некоррект | истек | истёк | отозван | не найден | заблокирован |
  ungültig | abgelaufen | widerrufen | falsch | deaktiviert | gesperrt | invalide | non valide | pas valide | expirée? | révoqué | incorrecte |
  désactivé | inválid | no válid | caducad | expirad | revocad | revogad | desactivad | desativad`,
);

/** Who holds the credential. */
export const HOLDER = any(
  whole("account | user | consumer | customer | subscriber"),
  "账号 | 账户 | 应用 | app被 | 帐号 | 帐户 | アカウント | 계정 | аккаунт | уч[её]тная запись | benutzerkonto | compte | cuenta",
);

/** The end of the holder, and with it of the credential. A state that can end again (locked, frozen) is no such
 * end, nor is a holder that was not found: a failure of the provider's own look-up has the same words. */
export const ENDED = any(
  whole(`
    deactivated | suspended | terminated | banned | deleted | closed | disabled | blacklisted | state invalid
  `),
  "封禁 | 被封 | 停用 | 禁用 | 注销 | 已删除 | 削除 | 정지 | 삭제 | заблокирован | удал[её]н | gesperrt | gelöscht | désactivé | supprimé | suspendid | eliminad",
);

/** Money, credits and other funds. */
export const FUNDS = any(
  whole(`
    credits? | balance | funds? | wallet | prepaid | prepayment | spend(?:ing)? | resource pack(?:age)?s? | pkg | coins |
    (?:credit |project |team |key |api )?budget(?! tokens)
  `),
  `余额 | 餘額 | 推理点 | 计费资源 | 算力点 | 余量 | 额度 | 額度 | 资源包 | 資源包 | 点数 | 积分 | 可用时长 | クレジット | 残高 | ポイント | 잔액 | 크레딧 | 포인트 | средств | баланс | guthaben |
  crédits? | \\bsolde\\b | saldo | créditos? | fondos | fundos`,
);

/** Words for funds that are used up. */
export const SPENT = any(
  whole(`
    not enough | no longer enough | no more | (?:\\w+n't|not) have (?:any|enough|sufficient) | insufficient | exceed(?:s|ed|ing)? | exhausted | out of |
    ran out | run out | used up | used all | all used | (?:have|has) been used | deplet(?:ed|ion) | no | zero | negative | too low |
    below (?:the )?(?:minimum|zero) | lacks? | lacking | reached | consumed | empty | expired | maximum
  `),
  `n't have (?:any|enough|sufficient)\\b | \\bkeine?n?\\b | \\bsin\\b | \\bsem\\b | \\baucun | \\bplus de\\b | 不足 | 用尽 | 用完 | 耗尽 | 为负 | 透支 | 到期 | 过期 | 不够 | 超限 | なくな | ありません | 부족 | 소진 | 초과 | 없습니다 |
  недостаточно | закончил | исчерпан | нулев | aufgebraucht | erschöpft | nicht ausreichend | reicht nicht | épuisé | insuffisant |
  insuficient | agotad | esgotad`,
);

/** A counted allowance, which a plan includes. */
export const ALLOWANCE = any(
  whole(`
    quotas? | allowance | allotment | characters | minutes | free tier | free usage | usage | units | searches | pages | package |
    plan | subscription | trial | membership | allocation
  `),
  "次数 | 试用 | 配额 | 套餐 | 订阅 | 字符 | 时长 | 流量 | 用量 | プラン | 무료 | подписк | квот | kontingent | abonnement | forfait | suscripción | assinatura | cuota | cota",
);

/** The end of an allowance, so that no short wait helps. */
export const USED_UP = any(
  whole(`
    exhausted | used up | used all | all used | deplet(?:ed|ion) | ran out | run out | out of | not enough | insufficient | expired | ended |
    (?:is|are|has become) inactive | lapsed | cancell?ed | frozen | no valid | no remaining | 0 remaining | no more | (?:has|have) been used
  `),
  `用尽 | 用完 | 耗尽 | 不足 | 到期 | 过期 | 期限切れ | 使い切 | 소진 | 부족 | 만료 | исчерпан | закончил | истекл | aufgebraucht | erschöpft |
  abgelaufen | épuisé | expiré | agotad | esgotad | caducad | expirad`,
);

/** Units that are counted by the second or the day. */
export const CALLS = any(
  whole(
    "requests? | calls? | quer(?:y|ies) | messages? | usage | api | quotas? | connections? | sessions? | jobs | tokens? | attempts | tasks? | lookups | searches | operations",
  ),
  "配额 | 利用 | 使用量 | квот | kontingent | cuota | quota | 한도 | 请求 | 調用 | 调用 | 次数 | 并发量 | リクエスト | 呼び出し | 요청 | 호출 | 사용량 | запрос | anfragen? | requêtes? | solicitudes | peticiones | solicitações | requisições",
);

/** Too many of them, in words that name the unit themselves. */
export const LIMIT_REACHED = whole(`
  limits? (?:\\w{1,24} ){0,8}(?:exceeded|reached|hit) | (?:quotas?|count) (?:\\w{1,24} ){0,5}(?:exceeded|reached) | limit(?:ed)? exceeded | max(?:imum)? (?:api )?(?:calls?|requests?) (?:has been |was )?(?:exceeded|reached|hit) | maximum (?:\\w+ ){1,4}(?:has been |have been )?exceeded | (?:exceed(?:s|ed|ing)?|reached|hit) (?:your|the|its|an?) (?:\\w{1,24} ){0,4}limits? | exceed(?:s|ed|ing)? (?:(?!retr)\\w{1,24} ){0,2}(?:quotas?|limits?) | over limit | overlimit
`);

/** Too many of them. */
export const TOO_MANY = any(
  "\\btoo many\\b|\\bexceed(?:s|ed|ing)? (?:\\w{1,24} ){0,4}limits?\\b",
  `过多 | 太多 | 超过 | 超出 | 超限 | 限制 | 限额 | 上限 | 多すぎ | 超え | 너무 많 | 초과 | 한도 | 제한 | слишком много | превышен | лимит | zu viele |
  überschritten | trop de | dépassé | demasiad | muitas | límite | limite`,
);
