import type { Secrets } from "./secrets.ts";

/** The demo hub's admin; signs in with the demo user's password. */
export const adminEmail = "hub-admin@keyhub.local";

/** The environment of a function, as on the platform. */
export function functionEnvironment(url: string, secrets: Secrets): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secrets.secretKey }),
    KEYHUB_UNSEAL_KEYS: JSON.stringify(secrets.unsealKeys),
  };
}

/** The content of the env file, for tools, tests and people. */
export function clientEnvironment(
  url: string,
  databaseUrl: string,
  secrets: Secrets,
): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEY: secrets.publishableKey,
    SUPABASE_SECRET_KEY: secrets.secretKey,
    SUPABASE_DB_URL: databaseUrl,
    KEYHUB_AGENT_TOKEN: secrets.agentToken,
    KEYHUB_SEAL_KEY: secrets.sealKey,
    KEYHUB_UNSEAL_KEYS: JSON.stringify(secrets.unsealKeys),
    KEYHUB_DEMO_USER_ID: secrets.demoUserId,
    KEYHUB_DEMO_EMAIL: secrets.demoEmail,
    KEYHUB_ADMIN_EMAIL: adminEmail,
    KEYHUB_DEMO_PASSWORD: secrets.demoPassword,
  };
}
