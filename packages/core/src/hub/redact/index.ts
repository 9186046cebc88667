export { type CoarsePattern, secretPatterns } from "./formats/portable.ts";
export { REDACTED } from "./evidence/credential-value.ts";
export { type Redacted, type Redaction, redact } from "./redact.ts";
export { redactionRules } from "./rules.ts";
export { lookAgain, stillSecret } from "./verify.ts";
export { Work } from "./work.ts";
