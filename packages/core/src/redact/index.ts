export { Budget } from "./budget.ts";
export { REDACTED } from "./evidence/credential-value.ts";
export { type PortablePattern, secretPatterns } from "./formats/portable.ts";
export { type Hint, hintsOf } from "./hints.ts";
export { pathOf } from "./path.ts";
export { redact, redactor } from "./redact.ts";
export { redactionRules } from "./rules.ts";
export type { Redacted, Redaction } from "./types.ts";
export { residualSecrets, verify } from "./verify.ts";
