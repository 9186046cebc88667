import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** ElevenLabs: spent credits are a 401. */
export const ELEVENLABS: Reader = {
  providers: words("elevenlabs | eleven-labs"),
  rules: [
    {
      code: ["quota_exceeded"],
      status: [0, 400, 401, 403],
      outcome: "quota_exhausted",
      source: "elevenlabs.io/docs: 401 quota_exceeded means the month's credits",
    },
    {
      phrase: words(`
        this request exceeds your quota. you have … characters remaining |
        this request exceeds your quota. you have … credits remaining | 401 - quota_exceeded
      `),
      outcome: "quota_exhausted",
      source: "elevenlabs issues: message of quota_exceeded",
    },
    {
      code: words("subscription_required | payment_required | invalid_subscription | payment_issue"),
      outcome: "quota_exhausted",
      source: "elevenlabs.io/docs: 401 quota_exceeded means the month's credits",
    },
    {
      code: words("too_many_concurrent_requests | concurrent_limit_exceeded"),
      outcome: "rate_limited",
      source: "elevenlabs.io/docs: 429",
    },
    {
      code: ["system_busy"],
      outcome: "server_error",
      source: "elevenlabs.io/docs: 429 system_busy",
    },
    {
      code: words(`
        detected_unusual_activity | missing_permissions | only_for_creator+ | free_users_not_allowed |
        voice_access_denied | terms_not_accepted | feature_unavailable | workspace_access_denied
      `),
      outcome: "refused",
      source: "elevenlabs.io/docs: 401 and 403",
    },
    {
      phrase: ["unusual activity detected"],
      outcome: "refused",
      source: "elevenlabs-python issues: the words of detected_unusual_activity",
    },
    {
      code: words("voice_not_found | max_character_limit_exceeded | invalid_uid"),
      outcome: "caller_fault",
      source: "elevenlabs.io/docs: 400",
    },
    {
      code: ["needs_authorization"],
      outcome: "invalid_key",
      source: "elevenlabs.io/docs: no key was sent",
    },
  ],
};

/** Deepgram. */
export const DEEPGRAM: Reader = {
  providers: ["deepgram"],
  onlyThisProvider: [
    {
      phrase: ["invalid credentials."],
      status: [400, 401],
      outcome: "invalid_key",
      dead: true,
      source: "developers.deepgram.com/docs/errors: a 400 of a dead key",
    },
  ],
  rules: [
    {
      code: ["invalid_auth"],
      outcome: "invalid_key",
      dead: true,
      source: "developers.deepgram.com/docs/errors: INVALID_AUTH",
    },
    {
      code: words("asr_payment_required | project_balance_insufficient"),
      outcome: "quota_exhausted",
      source: "developers.deepgram.com/docs/errors: 402",
    },
    {
      code: ["insufficient_permissions"],
      outcome: "refused",
      source: "developers.deepgram.com/docs/errors: 403",
    },
  ],
};
