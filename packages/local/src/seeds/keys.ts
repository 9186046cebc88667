// seeds/: makes the demo content of a fresh local stack.

import { randomBytes } from "node:crypto";
import { sealKey } from "@keyhub/core/seal";
import { oneLine, StartFailure } from "../failure.ts";
import { withDatabase } from "../postgres/connection.ts";
import type { Secrets } from "../settings/secrets.ts";
import type { Supabase } from "../supabase/api.ts";
import { signUp } from "./sign-up.ts";

const demoKeys = [
  { name: "openai-main", priority: 10, provider: "openai" },
  { name: "openai-backup", priority: 10, provider: "openai" },
  { name: "openai-spare", priority: 0, provider: "openai" },
  { name: "gemini-main", priority: 0, provider: "gemini" },
];

/**
 * Seeds a user with four keys and an agent, so that the commands of the banner work at once. Does nothing when they exist, and completes an
 * interrupted seed. Returns the secrets with the user's id and the agent's token.
 */
export async function seedDemo(databaseUrl: string, supabase: Supabase, secrets: Secrets): Promise<Secrets> {
  try {
    return await withDatabase(databaseUrl, async (sql) => {
      const [user] = await sql<
        { id: string }[]
      >`select id from auth.users where email = ${secrets.demoEmail}`;
      if (user && user.id === secrets.demoUserId && secrets.agentToken) return secrets;
      const userId = user?.id ?? (await signUp(supabase, secrets, secrets.demoEmail));
      const rows = await Promise.all(demoKeys.map((key) => demoRow(key, userId, secrets.sealKey)));
      const agentToken = await sql.begin(async (tx) => {
        const [owned] = await tx`select from public.user_api_keys where user_id = ${userId} limit 1`;
        if (!owned) await tx`insert into public.user_api_keys ${tx(rows)}`;
        const [issued] = await tx<{ token: string }[]>`
          select public.issue_agent_token(${userId}, 'demo-agent') as token
        `;
        return issued?.token ?? "";
      });
      return { ...secrets, demoUserId: userId, agentToken };
    });
  } catch (error) {
    throw new StartFailure(`the demo content could not be created: ${oneLine(error)}`);
  }
}

async function demoRow(key: (typeof demoKeys)[number], userId: string, sealKeyText: string) {
  const plaintext = `sk-demo-${key.name}-${randomBytes(12).toString("hex")}`;
  return {
    user_id: userId,
    key_name: key.name,
    api_key_encrypted: await sealKey(sealKeyText, userId, plaintext),
    priority: key.priority,
    provider: key.provider,
  };
}
