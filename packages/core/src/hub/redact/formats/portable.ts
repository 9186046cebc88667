/** A pattern that JavaScript and PostgreSQL (`~`) read alike: no look-around, no `\b`, no lazy quantifier. */
export interface CoarsePattern {
  rule: string;
  pattern: string;
}

/**
 * Beginnings of tokens that hardly stand for anything else: the second look after redaction. Finer rules need more than
 * a pattern.
 */
export const surePatterns: readonly CoarsePattern[] = [
  { rule: "openai", pattern: "sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{20,}" },
  { rule: "openai-legacy", pattern: "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}" },
  { rule: "sk-hex", pattern: "(^|[^A-Za-z0-9])sk-[0-9a-f]{32}" },
  { rule: "anthropic", pattern: "sk-ant-[A-Za-z0-9_-]{20,}" },
  { rule: "openrouter", pattern: "sk-or-v1-[0-9a-f]{32,}" },
  { rule: "google-api-key", pattern: "AIza[A-Za-z0-9_-]{33,}" },
  { rule: "google-oauth-secret", pattern: "GOCSPX-[A-Za-z0-9_-]{20,}" },
  { rule: "aws-access-key-id", pattern: "(^|[^A-Za-z0-9])(AKIA|ASIA)[A-Z2-7]{16}([^A-Za-z0-9]|$)" },
  { rule: "github", pattern: "(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}" },
  { rule: "gitlab", pattern: "glpat-[A-Za-z0-9_-]{20,}" },
  {
    rule: "slack",
    pattern:
      "xox[abprs]-[A-Za-z0-9-]{16,}|hooks\\.slack\\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}",
  },
  {
    rule: "discord-webhook",
    pattern: "discord(app)?\\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}",
  },
  { rule: "telegram", pattern: "(^|[^0-9A-Za-z])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}" },
  { rule: "stripe", pattern: "(sk|rk)_(live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}" },
  { rule: "huggingface", pattern: "(^|[^A-Za-z0-9])hf_[A-Za-z0-9]{30,}" },
  { rule: "groq", pattern: "gsk_[A-Za-z0-9]{40,}" },
  { rule: "replicate", pattern: "(^|[^A-Za-z0-9])r8_[A-Za-z0-9]{30,}" },
  { rule: "sendgrid", pattern: "SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{30,}" },
  { rule: "supabase", pattern: "sb_secret_[A-Za-z0-9_-]{16,}|sbp_[0-9a-f]{40}" },
  { rule: "keyhub", pattern: "kh_(agent|scan)_[A-Za-z0-9_-]{16,}" },
  { rule: "jwt", pattern: "eyJ[A-Za-z0-9_-]{10,255}\\.eyJ[A-Za-z0-9_-]{10,}" },
  {
    rule: "private-key",
    pattern: "-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\\\ \\n\\r]{40,}",
  },
  { rule: "npm", pattern: "(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{36}" },
  {
    rule: "url-password",
    pattern: "[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]",
  },
];

/**
 * The coarse list: what the database refuses in a title, a description, a tag or an address that somebody edits, where
 * nothing is stripped beforehand. Beside what is sure it has forms that a placeholder or an address may have as well.
 */
export const secretPatterns: readonly CoarsePattern[] = [
  ...surePatterns,
  { rule: "sk", pattern: "(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}" },
  { rule: "bearer", pattern: "[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}" },
  { rule: "url-user-info", pattern: "[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]" },
  {
    rule: "url-token",
    pattern:
      "[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}",
  },
];
