import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { any, whole } from "./vocabulary.ts";

// About this one request: every key would get the same answer.

/** Identifiers of a request above a limit: no wait helps. */
export const TOO_LARGE: ReaderRule = {
  identifierWords: /context (?:length|window)|too (?:large|long|big)\b|string above max|max tokens exceeded/,
  outcome: "caller_fault",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases of the same. */
export const TOO_LARGE_WORDS: ReaderRule = {
  phrase: words(`
    request too large | must be reduced in order to run | maximum context length |
    prompt is too long | please reduce the length of | please reduce your message size |
    context length exceeded | exceeds the maximum number of tokens |
    input is too long for requested model | exceed context limit | reduce your prompt |
    request entity too large | payload too large | exceeds the context window |
    send message larger than max | received message larger than max | too many tokens in the request | maximum tokens you requested | exceed the model limit |
    exceeds the model limit
  `),
  outcome: "caller_fault",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Input that is too large: no limit of the key. */
export const INPUT_TOO_LARGE: ReaderRule = {
  pattern:
    /\b(?:input|prompt|context (?:length|window|size)|content|file|payload|text|image|audio|document|request size)(?: \w+){0,3} (?:exceeds?|exceeded|(?:has )?reached the|(?:is )?too (?:large|long|big))\b|(?:文本|内容|输入|图片|文件|音频|提示词).{0,4}(?:过长|过大|超长|太长)/,
  outcome: "caller_fault",
  source: "answers of several providers; tests/fixtures/answers names each",
};

/** Identifiers of content that the provider serves to nobody. */
export const MODERATION: ReaderRule = {
  identifierWords:
    /content (?:policy|filter|moderation|safety|blocked)|moderation|sensitive|\bsafety\b|prohibited content|\bnsfw\b|image generation user error|data inspection|guardrail|unsafe/,
  outcome: "caller_fault",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases of the same. */
export const MODERATION_WORDS: ReaderRule = {
  phrase: words(`
    violates usage | usage guidelines | safety_check | safety check |
    flagged | moderation | content policy | content management policy | usage policy |
    usage policies | safety system | content filter | violates our | violation of |
    is sensitive | sensitive content | sensitive word | content rejected | safety settings | blocked due to safety | prompt was blocked | potentially violat | content exists risk | inappropriate content | 敏感 | 不安全 | 违规 | unsafe content | harmful
  `),
  outcome: "caller_fault",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Content, not a holder, that violates a policy. */
export const CONTENT: ReaderRule = {
  pattern:
    /\bcontent (?:policy|filter|moderation|violation)|\bcontent (?:\w+ )?violat|内容.{0,4}(?:违规|敏感|审核|不合规)/,
  outcome: "caller_fault",
  source: "answers of several providers; tests/fixtures/answers names each",
};

/** A refusal by a server that the provider was asked to fetch or to call. */
export const ELSEWHERE: ReaderRule = {
  phrase: words(`
    failed to download | cannot fetch | could not fetch | unable to download | failed to fetch | upstream returned |
    error while downloading | tool call failed | mcp server
  `),
  outcome: "caller_fault",
  source: "OpenAI and Gemini: addresses of images and tools in a request",
};

/** A file of the caller's own machine, which no provider mentions. */
export const OF_FILES: ReaderRule = {
  pattern: /\[errno (?:1|2|13|17|20|21|28)\]|\b(?:eacces|enoent|eperm)\b/,
  outcome: "unknown",
  source: "Python, Node",
};

/** The requested thing does not exist or is not possible, where no status is known. */
export const NOT_POSSIBLE: ReaderRule = {
  pattern: new RegExp(
    any(
      whole(`
        (?:deployment|voice|endpoint|resource|engine|file|page|url|route|path) (?:\\w+ ){0,5}(?:not found|does not exist|doesn't exist) | deployment ?not ?found | does not work with |
        (?:unsupported|unknown|unrecognized|missing required|invalid) (?:parameter|argument|value|request|url|format|input|field)s? | validation error | bad request |
        (?:parameters?|params?|arguments?) (?:is |are |value )?(?:missing|required|invalid|empty|error|wrong|illegal) | choose (?:a )?different model | (?:no longer (?:available|supported|maintained)|deprecated|decommissioned|retired|sunset|end of life|been removed) |
        (?:is|are) not (?:an? )?valid (?:json|string|number|integer|url|format|value|date|email|image|file)s? | not specified properly | malformed (?:request|json|body) | requires? (?:get|post|put) method | inaccessible | dimensions? (?:mismatch|do not match|don't match) |
        (?:is|are) (?:not valid|invalid) | (?:should|must) alternate | (?:could not|couldn't) (?:find|locate) (?:the |an? |any )?(?:\\w+ )?(?:with|for|by|named|page|block|database|file|voice|resource) | cannot be performed | no spoken audio | unsupported (?:file|media|mime|audio|image|language|country code|content)(?: \\w+)? | (?:file|format|type|language) (?:is )?not supported
      `),
      "参数错误 | 请求参数 | 参数不合法 | 参数有误 | 已下线",
    ),
  ),
  outcome: "caller_fault",
  source: "Azure, ElevenLabs and others",
};

/** A model that the provider does not have. */
export const NO_SUCH_MODEL: ReaderRule = {
  pattern: new RegExp(
    any(
      "\\bmodels? .{0,60}(?:does not exist|not (?:found|available|supported|accessible)|no longer (?:available|supported))",
      whole(`
        no such model | unknown model | invalid model(?: name)? | not a valid model | unsupported model | does not support | not supported (?:for|by) this model |
        permitted models | model not (?:found|supported|available|exist)
      `),
      "模型(?:不存在|未找到|已下线|不支持) | 不支持的模型 | モデルが(?:見つかり|存在し)",
    ),
  ),
  outcome: "caller_fault",
  source: "SambaNova, OpenRouter, OpenAI and others",
};
