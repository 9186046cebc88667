import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { any, whole } from "./vocabulary.ts";

const SEEN = "answers of several providers; tests/fixtures/answers names each";

// The provider's own overload and failures, also where they are sent as 429.

const BUSY = any(
  "overload|saturated",
  whole(`
    at capacity | over capacity | no capacity | out of capacity | capacity (?:\\w+ )?exceeded | insufficient capacity | high demand | high traffic |
    server load | experiencing (?:a |very )?(?:high|heavy) | (?:server|servers|system|service|engine|model)(?: is| are)?(?: too| currently)? busy |
    (?:is |are |still |currently )(?:loading|warming up|starting up|being loaded) | cold start | (?:under|for|scheduled) maintenance | maintenance (?:mode|window) | not ready for inference |
    (?:queue|pool|cluster|servers?|nodes?) (?:is |are )?(?:currently )?full | too many (?:\\w+ )?(?:in|on) the queue | temporarily unavailable | (?:service|endpoint) (?:is )?(?:currently )?unavailable | no slot |
    no (?:idle |free |available )*(?:workers?|slots?|instances?|servers?|gpus?|nodes?)
  `),
  `队列已满 | 排队 | 维护 | メンテナンス | 점검 | 服务器繁忙 | 繁忙 | 访问量过大 | 过载 | 负载 | 拥挤 | 混み合って | 混雑 | 과부하 | 혼잡 | перегруж | überlastet | ausgelastet | surchargé | sobrecargad |
  算力资源不足`,
);

/** Identifiers. */
export const OVERLOADED: ReaderRule = {
  identifierWords: new RegExp(any(BUSY, "\\bmaintenance\\b")),
  outcome: "server_error",
  source: SEEN,
};

/** Phrases of the same. */
export const BUSY_WORDS: ReaderRule = {
  pattern: new RegExp(BUSY),
  outcome: "server_error",
  source: SEEN,
};

/** Phrases of overload and of failures. */
export const OVERLOADED_WORDS: ReaderRule = {
  pattern: new RegExp(
    any(
      BUSY,
      "error occurred while processing your request|encountered an unexpected error|(?:internal|system|server) (?:server )?error|unexpected error during processing|unable to process your request",
      "系统错误 | 内部错误 | 内部系统错误 | 服务异常 | 服务器错误 | 内部エラー | 내부 오류 | внутренняя ошибка",
    ),
  ),
  outcome: "server_error",
  source: SEEN,
};

/** Identifiers of the provider's own failure, where nothing else is stated. */
export const FAILED: ReaderRule = {
  code: words(`
    api_error | apierror | internalservererror | internal_server_error | server_error | internal | internal_error | internalerror |
    backend_error | upstream_error | service_error | processing_error | internalserverexception | internalfailure | modelerrorexception | modelstreamerrorexception | data_loss
  `),
  outcome: "server_error",
  source: "names of SDKs and gRPC",
};
