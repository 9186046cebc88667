/**
 * The words that providers use for the same things, as lists of phrases (entry.ts) for text in lower case:
 * first English, then stems in Chinese, Japanese, Korean, Russian, German, French, Spanish and Portuguese.
 */
export const VOCABULARY: Readonly<Record<string, string>> = {
  /** Names of a credential, for answers that are only about a credential (401, 403). */
  credential: String.raw`
    keys? | (?<!\b(?:max|min|input|output|prompt|completion|total|stop|new|thinking|cached|special|many) )\btokens?\b |
    credentials? | secrets?(?: ids?)? | secretids? | apikeys? | appkeys? | jwt | access key ids? | ak | auth_?tokens? |
    accesstokens? | client ids? | authorization grant | 密钥 | 秘钥 | 令牌 | 凭证 | キー | トークン | 인증 ?키 | api ?키 | 토큰 | ключ | токен |
    schlüssel | \bclé | jeton | \bclave | llave | chave
  `,
  /** Names that can mean only a credential, for answers that may also mention other keys and tokens of the request. */
  "api key": `
    api[ -]?keys? | apikeys? |
    (?:access|auth|api|server|bearer|oauth|security|session|subscription|authentication|authorization) tokens? |
    (?:secret|access|subscription|service|license|virtual|x-api|app) ?keys?(?: ids?)? | api ?密钥 | 密钥 | 令牌 | api ?キー | api ?키 |
    api[ -]?ключ | api[ -]?schlüssel | clé (?:d')?api | clave (?:de )?(?:la )?api | chave (?:de |da )?api
  `,
  /** Faults of a dead credential. */
  wrong: `
    invalid | invalidated | incorrect | wrong | bad | illegal | expired? | revoked | unknown | unrecogni[sz]ed | disabled |
    deactivated | inactive | deleted | non-?existent | not valid | no longer valid | not active | doesn't exist |
    (?:does |do |did )?not exists? | (?:is |was )?not found(?! in\\b) | could not be found | not recogni[sz]ed | not registered |
    suspended | terminated | banned | blocked | no such | leaked | blacklisted | compromised | lapsed |
    no longer (?:accepted|active|exists) | 无效 | 错误 | 有误 | 不正确 | 不存在 | 失效 | 过期 | 禁用 | 停用 | 已删除 | 非法 | 吊销 | 注销 | 無効 | 正しく | 不正 |
    期限切れ | 失効 | 誤り | 存在しません | 유효하지 | 올바르지 | 잘못 | 만료 | 폐기 | 존재하지 | недействит | неверн | некоррект | истек | истёк | отозван |
    не найден | заблокирован | ungültig | abgelaufen | widerrufen | falsch | deaktiviert | gesperrt | invalide | non valide |
    pas valide | expirée? | révoqué | incorrecte | désactivé | inválid | no válid | caducad\\w* | expirad\\w* | revocad\\w* |
    revogad\\w* | desactivad\\w* | desativad\\w*
  `,
  /** The owner of the credential. */
  holder: `
    account | user | consumer | customer | subscriber | 账号 | 账户 | 应用 | app被 | 帐号 | 帐户 | アカウント | 계정 | аккаунт | уч[её]тная запись |
    benutzerkonto | compte | cuenta
  `,
  /** States of an owner whose credential is dead. States that can end ("locked", "frozen") and "not found" are left out. */
  ended: `
    deactivated | suspended | terminated | banned | deleted | closed | disabled | blacklisted | state invalid | 封禁 | 被封 | 停用 | 禁用 |
    注销 | 已删除 | 削除 | 정지 | 삭제 | заблокирован | удал[её]н | gesperrt | gelöscht | désactivé | supprimé | suspendid\\w* | eliminad\\w*
  `,
  /** Money, credits and other funds. */
  funds: `
    credits? | balance | funds? | wallet | prepaid | prepayment | spend(?:ing)? | resource pack(?:age)?s? | pkg | coins |
    (?:credit |project |team |key |api )?budget(?! tokens) | 余额 | 餘額 | 推理点 | 计费资源 | 算力点 | 余量 | 额度 | 額度 | 资源包 | 資源包 | 点数 | 积分 |
    可用时长 | クレジット | 残高 | ポイント | 잔액 | 크레딧 | 포인트 | средств | баланс | guthaben | crédits? | \\bsolde\\b | saldo | créditos? | fondos |
    fundos
  `,
  /** Words which say that funds are used up. */
  spent: `
    not enough | no longer enough | no more | (?:\\w+n't|not) have (?:any|enough|sufficient) | insufficient | exceed(?:s|ed|ing)? |
    exhausted | out of | ran out | run out | used up | used all | all used | (?:have|has) been used | deplet(?:ed|ion) | no | zero |
    negative | too low | below (?:the )?(?:minimum|zero) | lacks? | lacking | reached | consumed | empty | expired | maximum |
    n't have (?:any|enough|sufficient) | \\bkeine?n?\\b | \\bsin\\b | \\bsem\\b | \\baucun | \\bplus de\\b | 不足 | 用尽 | 用完 | 耗尽 |
    为负 | 透支 | 到期 | 过期 | 不够 | 超限 | なくな | ありません | 부족 | 소진 | 초과 | 없습니다 | недостаточно | закончил | исчерпан | нулев | aufgebraucht |
    erschöpft | nicht ausreichend | reicht nicht | épuisé | insuffisant\\w* | insuficient\\w* | agotad\\w* | esgotad\\w*
  `,
  /** Names of a counted allowance, such as a quota, and of a subscription that includes one. */
  allowance: `
    quotas? | allowance | allotment | characters | minutes | free tier | free usage | usage | units | searches | pages | package |
    plan | subscription | trial | membership | allocation | 次数 | 试用 | 配额 | 套餐 | 订阅 | 字符 | 时长 | 流量 | 用量 | プラン | 무료 | подписк | квот |
    kontingent | abonnement | forfait | suscripción | assinatura | cuota | cota
  `,
  /** Words which say that an allowance is used up, so that a short wait does not help. */
  "used up": `
    exhausted | used up | used all | all used | deplet(?:ed|ion) | ran out | run out | out of | not enough | insufficient |
    expired | ended | (?:is|are|has become) inactive | lapsed | cancell?ed | frozen | no valid | no remaining | 0 remaining |
    no more | (?:has|have) been used | 用尽 | 用完 | 耗尽 | 不足 | 到期 | 过期 | 期限切れ | 使い切 | 소진 | 부족 | 만료 | исчерпан | закончил | истекл |
    aufgebraucht | erschöpft | abgelaufen | épuisé | expiré | agotad\\w* | esgotad\\w* | caducad\\w* | expirad\\w*
  `,
  /** The things that a rate limit counts. */
  calls: `
    requests? | calls? | quer(?:y|ies) | messages? | usage | api | quotas? | connections? | sessions? | jobs | tokens? | attempts |
    tasks? | lookups | searches | operations | 配额 | 利用 | 使用量 | квот | kontingent | cuota | 한도 | 请求 | 調用 | 调用 | 次数 | 并发量 | リクエスト |
    呼び出し | 요청 | 호출 | 사용량 | запрос | anfragen? | requêtes? | solicitudes | peticiones | solicitações | requisições
  `,
  /** Phrases which say that there were too many calls. */
  "too many": `
    too many | exceed(?:s|ed|ing)? (?:\\w{1,24} ){0,4}limits? | 过多 | 太多 | 超过 | 超出 | 超限 | 限制 | 限额 | 上限 | 多すぎ | 超え | 너무 많 | 초과 | 한도 |
    제한 | слишком много | превышен | лимит | zu viele | überschritten | trop de | dépassé | demasiad\\w* | muitas | límite | limite
  `,
  /** Funds and words for "used up", side by side. */
  "no funds": "{funds} <~24> {spent}",
  /** An unpaid bill, or a used-up allowance of money. */
  unpaid: String.raw`
    overdue | arrears | arrearage | unpaid | past due | delinquent | not paid | payment required | payment failed |
    billing hard limit | billing limit | billing cap | spend(?:ing)? (?:limit|cap) | credit limit (?:exceeded|reached) |
    insufficient tokens | requires? more credits | payment instrument | billing not active | billing disabled | billing error |
    insufficient quotas? | out of quota | requires billing | cannot afford | can only afford | never purchased |
    usage not included | credits ?error | need quota | allowance (?:exceeded|reached) |
    exceeded (?:your |the )?(?:[\w-]+ ){0,3}allowance | reason: top up | paid[ -]only | (?:latest|open|past) invoices? |
    no payment method | not enough (?:api )?tokens | enable billing | under balance | low balance | over budget | balance too low |
    storage (?:quota|limit) | storagequota | non-?payment | (?:usage|hard|budget) cap | (?:have|has|got) no quota | key exhausted |
    (?:monthly|yearly|annual|lifetime) (?:\w+ ){0,2}(?:limit|quota|cap|allowance|usage)s? (?:\w+ ){0,3}(?:exceeded|reached|hit|exhausted) |
    credit card (?:is )?required | (?:add|enter|need) (?:a |your )?(?:valid )?credit card | valid credit card |
    free credits? (?:\w{1,24} ){0,4}(?:restricted|unavailable|not available) | 次数.{0,4}(?:不足|用完|用尽|耗尽) |
    (?:服务|套餐|订阅|资源包).{0,4}(?:到期|过期) | 欠费 | 请购买 | 请续费 | 预扣费 | 预扣除 | 请充值 | 支払い | 결제 | 충전 | пополните | не оплачен |
    zahlung erforderlich | paiement requis | pago requerido
  `,
  /** The provider's own overload. */
  busy: String.raw`
    .?overload\w* | saturated | at capacity | over capacity | no capacity | out of capacity | capacity (?:\w+ )?exceeded |
    insufficient capacity | high demand | high traffic | server load | experiencing (?:a |very )?(?:high|heavy) |
    (?:server|servers|system|service|engine|model)(?: is| are)?(?: too| currently)? busy |
    (?:is |are |still |currently )(?:loading|warming up|starting up|being loaded)\b | cold start | maintenance (?:mode|window) |
    not ready for inference | temporarily unavailable | (?:service|endpoint) (?:is )?(?:currently )?unavailable | no slot |
    no (?:idle |free |available )*(?:workers?|slots?|instances?|servers?|gpus?|nodes?)\b | 队列已满 | 排队 | 维护 | メンテナンス | 점검 | 服务器繁忙 |
    繁忙 | 访问量过大 | 过载 | 负载 | 拥挤 | 混み合って | 混雑 | 과부하 | 혼잡 | перегруж | überlastet | ausgelastet | surchargé | sobrecargad\w* | 算力资源不足
  `,
  /** Phrases that are used only for a rate limit. */
  pace: String.raw`
    .?rate[ -]?limit\w* | .?throttl\w* | request limit | over ?query limit | rate exceeded | frequency limit | excessive requests |
    exceeding of requests | slow down | too (?:fast|quickly|frequent(?:ly)?|often)\b |
    frequent (?:operation|requests?|calls?|access)\b | call frequency | flood ?wait | burst ?rate | qps | qpm | \b[rt]p[smd]\b |
    频繁 | 频率 | 限流 | 限速 | 流控 | 限频 | 速率 | 过快 | 请求过多 | リクエストが多すぎ | レート制限 | 요청이 너무 많 | 너무 많은 요청 | слишком много запросов |
    слишком часто | zu viele anfragen | trop de requêtes
  `,
  /** Periods of a week or less, and limits of simultaneous calls. */
  period: String.raw`
    concurren\w* | simultaneous\w* | per[ -]?(?:second|sec|minute|min|hour|day)\b | / ?(?:sec|second|min|minute|hour|day)\b |
    a (?:second|minute|day)\b | free-models-per- | free models per | query limit |
    (?:weekly|daily|hourly|today|day's|[0-9]-hour|session|minute|rpd|tpd)\b <~24> (?:limits?|quota|allowance|requests|cap|usage|calls|(?:\w{1,24} )?allocation)\b |
    并发 | 每分钟 | 每秒 | 每天 | 当日 | 今日 | 天配额 | 日配额 | 日调用 | 同時 | 동시 | 분당 | 일일 | одновременн | в минуту | в сутки | pro minute |
    par minute | por minuto
  `,
  /** Phrases which say that a limit was reached; words such as its unit may be in between. */
  "limit reached": String.raw`
    limits? (?:\w{1,24} ){0,8}(?:exceeded|reached|hit)\b | (?:quotas?|count) (?:\w{1,24} ){0,5}(?:exceeded|reached)\b |
    limit(?:ed)? exceeded | max(?:imum)? (?:api )?(?:calls?|requests?) (?:has been |was )?(?:exceeded|reached|hit)\b |
    maximum (?:\w+ ){1,4}(?:has been |have been )?exceeded |
    (?:exceed(?:s|ed|ing)?|reached|hit) (?:your|the|its|an?) (?:\w{1,24} ){0,4}limits? |
    exceed(?:s|ed|ing)? (?:(?!retr)\w{1,24} ){0,2}(?:quotas?|limits?)\b | over limit | overlimit
  `,
  /** A refusal of an organization, project, address, region, model or permission. */
  "not allowed": String.raw`
    (?:no|missing|insufficient|lacks?|without|requires?|required) (?:the )?(?:\w{1,24} )?(?:permissions?|scopes?|privileges?)\b |
    (?:\w+n't|not) have (?:the |sufficient |enough |any )?(?:\w{1,24} ){0,3}(?:permissions?|access|privileges?|rights)\b |
    gated (?:model|repo)\w* | is gated | need to agree | not licensed |
    (?:not|unsupported) (?:currently |yet )?(?:allowed|authori[sz]ed|permitted|entitled|eligible|subscribed)\b |
    un ?authori[sz]ed (?:operation|to access|domain|ip|referr?er|origin|region|country|client|application|model)\b |
    ip (?:limit|restriction)\b | invalid (?:\w+ )?ip | no (?:access|ownership)\b | not (?:opened|activated|enabled)\b |
    allow ?list | white ?list | black ?list | referr?ers?(?: blocked)? | your ip | client ip | ip address |
    unsupported (?:country|region)\b | region not supported | disallowed | your (?:region|country)\b | must be a member |
    accept the terms | agree to the terms | (?:terms|consent) required | verify your organi[sz]ation | real name |
    sign ?up required | has not been used in project | virtual network | firewall rules | requires? (?:a )?captcha |
    unusual activity | only available (?:to|for|in|on)\b | available only (?:to|for)\b | not available to you |
    access to (?:this )?model | does not open | denied | policy violated | blocked by policy | 未被.{0,6}授权 | 分组已?被?禁用 | 权限 | 无权 |
    未授权 | 未开通 | 未订阅 | 未激活 | 不允许 | 白名单 | 黑名单 | 实名 | 被限制 | 的ip | ip校验 | referer校验 | 権限 | 許可されて | アクセスできません | 권한 | 허용되지 | 접근 |
    нет доступа | доступ.{0,40}запрещ | permiso | permissão | no autorizado | não autorizado | недостаточно прав | не разреш |
    keine berechtigung | nicht berechtigt | zugriff verweigert | accès refusé | non autorisé | acceso denegado | sin permiso |
    acesso negado | sem permiss
  `,
  /** `month`: a period longer than a week (in Chinese also a week). `monthly`: the things that a provider limits for such a period. */
  month: `
    month(?:ly)? | billing (?:cycle|period)\\b | annual | yearly | lifetime | permanent | per month | this month | 本月 | 每月 | 月度 |
    每周 | 永久 | 总量 | 今月 | 월간 | месячн | monatlich | mensuel | mensual | mensal
  `,
  monthly: `
    quotas? | limits? | usage | cap | allowance | credits? | tokens | characters | requests | searches | minutes | calls | 用量 | 配额 |
    额度 | 限额 | 上限 | 超限 | 制限 | 한도 | лимит | límite | limite
  `,
  /** States that can end without a new key: an account that is locked, flagged or not verified yet. */
  liftable: String.raw`
    (?:is |been |was )(?:locked|frozen|restricted|on hold|under review|flagged)\b | account (?:locked|frozen|restricted|on hold)\b |
    user (?:is )?locked | terms of (?:service|use)\b | violat(?:ed|es|ing|ion|ions)\b | abus(?:e|ed|ive)\b | suspicious |
    fraud(?:ulent)? | appeal | locked (?:for|out|until)\b | too many failed | not (?:yet )?verified | verification required |
    barred |
    (?:account|user|customer|profile|application|app|client) (?:is )?(?:\w+ ){0,1}(?:not (?:yet )?(?:active|activated|approved|enabled)|inactive|pending|awaiting|paused|rejected)\b |
    (?:inactive|pending) (?:account|user)\b | (?:pending|awaiting) (?:approval|activation|review)\b | 未激活 | 审核中 |
    (?:账号|账户|帐号|帐户|用户).{0,8}违规 | 违规.{0,8}(?:封|冻结|锁) | pendiente de | 锁定 | 冻结 | 申诉 | 解封 | ロック | 잠긴 | 잠겨 | заморожен
  `,
  /** A credential and its fault, side by side in a sentence about nothing else. */
  "dead credential": "{wrong}{before}{credential} | {credential}{link}{wrong}",
  "dead api key": "{wrong}{before}{api key} | {api key}{link}{wrong}",
  "dead api key plain": "{wrong}[ :-]{1,3}(?:the |your )?{api key} | {api key}{link}{wrong}",
  link: String.raw`[ :-]{1,3}(?:(?:de |d')?api )?(?:you (?:have )?provided |provided |supplied |used |given |specified |format )?(?:in (?:the |your )?[\w-]{1,40} (?:header |field |parameter )?)?(?:is |was |are |has been |have been |has |had |seems |appears to be |: ?|ist |est |n'est |es |no es |é |não é )?(?:either |currently |now |already |an? )?`,
  /** One or two words that may stand in front of a credential: "invalid Gemini API key". */
  before: String.raw`(?:,? (?:or|and) (?:expired|revoked|invalid|disabled|inactive|malformed))?[ :-]{1,3}(?:the |your |this |a |an |provided |request |请求)?(?:(?!for |from |to |in |of |on |by |with |as |or )[\w-]{1,20} ){0,2}?`,
  /** Subjects of a 403 other than the key, such as a region or a model. A 403 about one of them does not disable the key. */
  subject: String.raw`(?<![\w./:@-])(?:requests?|endpoints?|urls?|paths?|methods?|routes?|resources?|operations?|actions?|features?|services?|apis?|regions?|countr(?:y|ies)|locations?|territor(?:y|ies)|models?|projects?|organi[sz]ations?|workspaces?|teams?|groups?|ips?|address(?:es)?|domains?|origins?|networks?|vpn|permissions?|permitted|access|allow(?:ed|s)?|authori[sz]ed|authori[sz]ation|privileges?|roles?|scopes?|polic(?:y|ies)|plans?|tiers?|eligible|available|support(?:ed|s)?|restrict(?:ed|s|ions?)?|permits?|modes?|tariffs?|upgrade|subscri(?:bed?|ptions?|bers?)|licen[sc]es?|billing|payments?|security|senders?|emails?|versions?|read[ -]only|cors|browsers?|sessions?|captcha|bots?|automated|verif(?:y|ied|ication)|clients?|user[ -]?agent|content|prompts?|parameters?)(?!-?\w|\.\w)`,
};
