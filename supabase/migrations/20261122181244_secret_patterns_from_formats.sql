SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.secret_patterns()
  RETURNS TABLE (
    rule    text,
    pattern text
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Written by `npm run generate` from the formats of the core package (redact/formats).
  values
    ('openai', '(sk-proj-|sk-svcacct-|sk-admin-|sk-None-)[A-Za-z0-9_-]{20,}'),
    ('anthropic', 'sk-ant-[A-Za-z0-9_-]{20,}'),
    ('openrouter', '(^|[^A-Za-z0-9])sk-or-[A-Za-z0-9_-]{20,}'),
    ('sk-key', 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(^|[^A-Za-z0-9])sk-[0-9a-f]{32}'),
    ('google-api-key', 'AIza[A-Za-z0-9_-]{33,}'),
    ('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
    ('huggingface', '(^|[^A-Za-z0-9])(hf_|api_org_)[A-Za-z0-9]{30,}'),
    ('replicate', '(^|[^A-Za-z0-9])r8_[A-Za-z0-9]{30,}'),
    ('groq', 'gsk_[A-Za-z0-9]{40,}'),
    ('aws-access-key-id', '(^|[^A-Za-z0-9])(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}([^A-Za-z0-9]|$)'),
    ('supabase', 'sb_secret_[A-Za-z0-9_-]{16,}|sbp_(oauth_|v[0-9]_)?[a-f0-9]{32,}'),
    ('keyhub', '(kh_agent_|kh_scan_)[A-Za-z0-9_-]{16,}'),
    ('github', 'github_pat_[A-Za-z0-9_]{22,}|(ghp_|gho_|ghu_)[A-Za-z0-9]{30,}|ghs_[A-Za-z0-9_.-]{30,}|ghr_[A-Za-z0-9]{30,}'),
    ('gitlab', 'glpat-[A-Za-z0-9_-]{20,}(\.[a-z0-9]{2}\.?[a-z0-9]{7})?'),
    ('npm', '(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{32,}'),
    ('slack', '(xoxb-|xoxp-)[A-Za-z0-9-]{16,}|(xoxa-|xoxr-|xoxs-|xoxo-|xoxc-)[A-Za-z0-9-]{10,}'),
    ('stripe', '(^|[^A-Za-z0-9])(sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_)[A-Za-z0-9]{10,}'),
    ('webhook-secret', '(^|[^A-Za-z0-9])whsec_[A-Za-z0-9+/=_-]{16,}'),
    ('sendgrid', 'SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}'),
    ('jwt', 'eyJ[A-Za-z0-9_-]{10,255}\.eyJ[A-Za-z0-9_-]{10,}'),
    ('telegram', '(^|[^0-9A-Za-z])[0-9]{6,12}:A[A-Za-z][A-Za-z0-9_-]{31,}'),
    ('slack-webhook', 'hooks\.slack\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}'),
    ('discord-webhook', 'discord(app)?\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}'),
    ('private-key', '-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\ \n\r]{40,}'),
    ('url-password', '[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]'),
    ('sk', '(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}'),
    ('bearer', '[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}'),
    ('url-user-info', '[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]'),
    ('url-token', '[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}')
$function$;

COMMENT ON FUNCTION "private"."secret_patterns"() IS 'The portable patterns of what looks like a secret, one a row.';
