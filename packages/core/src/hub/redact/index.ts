export { type CoarsePattern, secretPatterns } from "./coarse.ts";
export { REDACTED } from "./named-value.ts";
export { type Redacted, type Redaction, redact } from "./redact.ts";
export { redactionRules } from "./rules.ts";
export { lookAgain, stillSecret } from "./second-look.ts";
export { Work } from "./work.ts";
