import type { Rule } from "../types.ts";
import { words } from "../words.ts";

// The provider's own overload, also where it comes as 429.

/** Identifiers. */
export const OVERLOADED: Rule = {
  code: words(`
    overloaded_error | overloaded | engine_overloaded | engine_overloaded_error | server_overloaded |
    model_overloaded | serveroverloaded | system_busy | capacity_exceeded | server_busy
  `),
  outcome: "server_error",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases. */
export const OVERLOADED_WORDS: Rule = {
  phrase: words(`
    error occurred while processing your request | encountered an unexpected error | internal server error | unexpected error during processing | internal error |
    server overload | overload, please | saturated |
    overloaded | server is busy | servers are busy | system is busy | system is too busy |
    service is busy | engine is busy | high demand | currently experiencing high |
    experiencing heavy | model busy | model is busy | temporarily unavailable | service unavailable |
    server load | at capacity | over capacity | no capacity | out of capacity | 服务器繁忙 | 访问量过大 | 系统繁忙 |
    过载 | 负载 | 拥挤 | 繁忙 | 混み合って
  `),
  outcome: "server_error",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Identifiers of a failure of the provider's own, where nothing else is said. */
export const FAILED: Rule = {
  code: words(`
    api_error | apierror | internalservererror | internal_server_error | server_error | internal | internal_error |
    internalserverexception | internalfailure | modelerrorexception | modelstreamerrorexception | data_loss
  `),
  outcome: "server_error",
  source: "names of SDKs and gRPC",
};
