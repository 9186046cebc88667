import { UUID } from "./format.ts";

/** An address with a secret in its path. Group 1 of `path` is the secret. `host` matches the lower-case host without user information. */
interface Webhook {
  rule: string;
  host: RegExp;
  path: RegExp;
  /** A pattern of the whole address for the database, which refuses texts with such an address. */
  portable?: string;
}

/** Everything up to the end of a path. */
const REST = "([^\\s?#]{6,})";

const webhook = (rule: string, host: RegExp, path: string, portable?: string): Webhook => ({
  rule,
  host,
  path: new RegExp(path),
  ...(portable && { portable }),
});

/** Hosts of MCP servers (Model Context Protocol). Anybody with such an address acts with its owner's accounts. */
const MCP_HOST = /(?:^|\.)mcp\.(?:zapier\.com|composio\.dev|pipedream\.net)$/;

/** Services whose addresses contain the credential in the path. */
export const WEBHOOKS: readonly Webhook[] = [
  webhook(
    "slack-webhook",
    /(?:^|\.)hooks\.slack(?:-gov)?\.com$/,
    `^/(?:services|workflows|triggers|commands|actions)/${REST}`,
    "hooks\\.slack\\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}",
  ),
  webhook(
    "discord-webhook",
    /(?:^|\.)discord(?:app)?\.com$/,
    "/webhooks/\\d{5,25}/([\\w-]{10,})",
    "discord(app)?\\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}",
  ),
  webhook("telegram", /^api\.telegram\.org$/, "^/(?:file/)?bot(\\d{3,}:[\\w-]{10,})"),
  webhook(
    "teams-webhook",
    /(?:webhook\.office\.com|outlook\.office(?:365)?\.com)$/,
    `^/webhook(?:b2)?/${REST}`,
  ),
  webhook("zapier-webhook", /^hooks\.zapier\.com$/, `^/hooks/(?:catch|standard)/${REST}`),
  webhook(
    "make-webhook",
    /^hooks?\.(?:[a-z0-9-]+\.)?(?:make\.com|integromat\.com|make\.celonis\.com)$/,
    `^/${REST}`,
  ),
  webhook("ifttt-webhook", /^maker\.ifttt\.com$/, "/with/key/([\\w-]{6,})"),
  webhook("airtable-webhook", /^hooks\.airtable\.com$/, `^/workflows/${REST}`),
  webhook("pabbly-webhook", /^connect\.pabbly\.com$/, `^/workflow/sendwebhookdata/${REST}`),
  webhook("workato-webhook", /(?:^|\.)workato\.com$/, `^/webhooks/${REST}`),
  webhook("integrately-webhook", /^webhooks\.integrately\.com$/, `^/a/webhooks/${REST}`),
  webhook("feishu-webhook", /^open\.(?:feishu\.cn|larksuite\.com)$/, `^/open-apis/bot/(?:v2/)?hook/${REST}`),
  webhook("pagerduty", /^events\.(?:eu\.)?pagerduty\.com$/, "^/integration/([\\w-]{10,})"),
  webhook("opsgenie", /opsgenie\.com$/, "apiKey/([\\w-]{10,})"),
  webhook(
    "jira-automation",
    /^(?:automation\.atlassian\.com|api-private\.atlassian\.com)$/,
    `hooks?/${REST}`,
  ),
  webhook("mcp-address", MCP_HOST, "/(?:s|a|v|u)/([\\w+/=%.-]{16,})"),
  webhook("mcp-address", MCP_HOST, `/(${UUID})(?:/|$)`),
  webhook("healthchecks", /^hc-ping\.com$/, `^/${REST}`),
  webhook(
    "webhook",
    /^(?:webhook\.site|eo[a-z0-9]+\.pipedream\.net|requestbin\.[a-z]+|hookdeck\.com|smee\.io)$/,
    `^/${REST}`,
  ),
  webhook("vercel-deploy-hook", /^api\.vercel\.com$/, `^/v\\d/integrations/deploy/${REST}`),
  webhook("netlify-build-hook", /^api\.netlify\.com$/, `^/build_hooks/${REST}`),
  webhook("cloudflare-deploy-hook", /^api\.cloudflare\.com$/, "/deploy_hooks/([\\w-]{16,})"),
  webhook(
    "google-apps-script",
    /^script\.google\.com$/,
    "^/(?:a/)?(?:macros|[\\w.-]+/macros)/s/([\\w-]{20,})",
  ),
  webhook("infura", /(?:^|\.)infura\.io$/, "/v3/([0-9a-f]{16,})"),
  webhook("alchemy", /(?:^|\.)(?:alchemy\.com|alchemyapi\.io)$/, "/v2/([\\w-]{16,})"),
  webhook(
    "rpc-key",
    /(?:^|\.)(?:quiknode\.pro|ankr\.com|chainstack\.com|getblock\.io|moralis[\w-]*\.com)$/,
    "/([0-9a-f]{30,64})",
  ),
  webhook("splunk", /signalfx\.com$/, "/v1/(?:[\\w-]+)/([\\w-]{16,})"),
  webhook("datadog-webhook", /webhook-intake\.datadoghq\.(?:com|eu)$/, "/webhook/([\\w-]{16,})"),
  webhook("ntfy", /ntfy\.sh$/, "^/([\\w-]{16,})$"),
  webhook("mattermost-webhook", /./, "/hooks/([a-z0-9]{26}|[A-Za-z0-9]{17,24}/[A-Za-z0-9]{30,})$"),
  webhook("logic-app", /logic\.azure\.com(?::\d+)?$/, "/workflows/([0-9a-f]{32})"),
];

/** Matches the hosts of all WEBHOOKS in one test, except the hosts of Mattermost, because any host can have a Mattermost server. */
export const WEBHOOK_HOSTS = new RegExp(
  WEBHOOKS.filter(({ host }) => host.source !== ".")
    .map(({ host }) => `(?:${host.source})`)
    .join("|"),
);
