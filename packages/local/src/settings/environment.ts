import { readUpstreams } from "@keyhub/core/upstream";
import { oneLine, StartFailure } from "../failure.ts";
import { setVariables } from "../processes/children.ts";
import type { Secrets } from "./secrets.ts";

/** The e-mail address of the demo hub's admin, who signs in with the demo user's password. */
export const adminEmail = "hub-admin@keyhub.local";

/** The names of the demo's simulated provider, one for each format of a real provider. `npm run demo` starts the provider at `port`. */
const demoProviders = ["openai-demo", "anthropic-demo", "gemini-demo"];
export const demoProviderUrl = (port: number) => `http://127.0.0.1:${port}`;

/** Returns the settings of keyhub-gateway: the operator's own settings, with the demo's provider added. */
export function upstreamEnvironment(
  demoPort: number,
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const demo = Object.fromEntries(demoProviders.map((name) => [name, demoProviderUrl(demoPort)]));
  return {
    KEYHUB_UPSTREAMS: JSON.stringify({ ...demo, ...parseSetting(env.KEYHUB_UPSTREAMS) }),
    KEYHUB_LOOPBACK_UPSTREAMS: "allow",
    ...setVariables(["KEYHUB_FIRST_BYTE_SECONDS"], env),
  };
}

function parseSetting(setting: string | undefined): object {
  if (!setting?.trim()) return {};
  try {
    const value: unknown = JSON.parse(setting);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {}
  throw new StartFailure("KEYHUB_UPSTREAMS is not a JSON object");
}

/** Returns the hosts of the upstreams, which the process of keyhub-gateway may reach. */
export function upstreamHosts(env: Record<string, string>): string[] {
  try {
    const upstreams = readUpstreams(env.KEYHUB_UPSTREAMS, { allowLoopback: true });
    return [...new Set([...upstreams.values()].map(({ base }) => base.host))];
  } catch (error) {
    throw new StartFailure(oneLine(error));
  }
}

/** Returns the settings of the payment provider: the operator's own, or else those of the simulated provider on loopback. */
export function paymentEnvironment(
  loopback: { url: string; secret: string },
  env: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const { KEYHUB_STRIPE_KEY, KEYHUB_STRIPE_WEBHOOK_SECRET = "", KEYHUB_HUB_URL = "" } = env;
  return KEYHUB_STRIPE_KEY
    ? { KEYHUB_STRIPE_KEY, KEYHUB_STRIPE_WEBHOOK_SECRET, KEYHUB_HUB_URL }
    : {
        ...{ KEYHUB_STRIPE_KEY: "sk_test_loopback", KEYHUB_STRIPE_WEBHOOK_SECRET: loopback.secret },
        KEYHUB_STRIPE_API: loopback.url,
      };
}

/** The hosts that the functions for sales may reach besides this machine. */
export const PAYMENT_HOSTS = ["api.stripe.com"];

/** Returns the hosts that the process of keyhub-alerts may reach besides this machine. */
export function alertHosts({ KEYHUB_ALERT_URL }: Record<string, string>): string[] {
  return [URL.parse(KEYHUB_ALERT_URL ?? "")?.host ?? []].flat();
}

/** Returns the environment of a function, under the same names as in a hosted project. */
export function functionEnvironment(url: string, secrets: Secrets): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secrets.secretKey }),
    KEYHUB_UNSEAL_KEYS: JSON.stringify(secrets.unsealKeys),
  };
}

/** Returns the content of the env file, for tools, tests and people. */
export function clientEnvironment(
  url: string,
  databaseUrl: string,
  secrets: Secrets,
  demoPort: number,
  paymentsUrl: string,
): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: secrets.publishableKey,
    SUPABASE_SECRET_KEY: secrets.secretKey,
    SUPABASE_DB_URL: databaseUrl,
    KEYHUB_AGENT_TOKEN: secrets.agentToken,
    KEYHUB_SEAL_KEY: secrets.sealKey,
    KEYHUB_UNSEAL_KEYS: JSON.stringify(secrets.unsealKeys),
    KEYHUB_DEMO_PROVIDER: demoProviderUrl(demoPort),
    KEYHUB_PAYMENTS: paymentsUrl,
    KEYHUB_DEMO_USER_ID: secrets.demoUserId,
    KEYHUB_DEMO_EMAIL: secrets.demoEmail,
    KEYHUB_ADMIN_EMAIL: adminEmail,
    KEYHUB_DEMO_PASSWORD: secrets.demoPassword,
  };
}
