import { randomBytes, randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { CommandFailure } from "../cli/command.ts";
import type { Provider } from "./provider-errors.ts";
import type { RatePlan } from "./rate-window.ts";
import type { DemoSettings } from "./settings.ts";

export interface PoolKey {
  id: string;
  name: string;
  /** The value that the provider knows, and the plan of the key. */
  value: string;
  plan: RatePlan;
  /** The provider whose error format it answers with, and its name in user_api_keys.provider. */
  provider: Provider;
  pool: string;
  /** usage_count before the first lease. */
  startCount: number;
}

/** A user of the demo's own, with keys and agents. */
export interface Pool {
  userId: string;
  keys: PoolKey[];
  tokens: string[];
  remove(): Promise<void>;
}

/** Different plans, so that the keys do not all reach their limits at the same moment. */
const offers: [name: string, priority: number, provider: Provider, plan: RatePlan][] = [
  ["amber", 10, "openai", { calls: 12, windowMs: 3_000 }],
  ["birch", 10, "anthropic", { calls: 8, windowMs: 2_000 }],
  ["cedar", 10, "gemini", { calls: 15, windowMs: 3_000 }],
  ["dune", 0, "gemini", { calls: 6, windowMs: 2_500 }],
  ["ember", 0, "openai", { calls: 8, windowMs: 1_500 }],
  ["fjord", 0, "anthropic", { calls: 12, windowMs: 3_000 }],
];

/** Creates the pool with the steps that a person would take: sign-up, sealed keys by INSERT, a token for each agent. */
export async function makePool(settings: DemoSettings, sql: postgres.Sql): Promise<Pool> {
  // Removes what killed runs left; the longest run takes an hour.
  await sql`delete from auth.users where email like 'demo-run-%@keyhub.local' and created_at < now() - interval '2 hours'`;
  const userId = await signUp(settings);
  // Everything else is deleted with the user.
  const remove = async () => void (await sql`delete from auth.users where id = ${userId}`);
  try {
    const keys: PoolKey[] = [];
    for (const [name, priority, provider, plan] of offers) {
      const value = `sk-demo-${randomBytes(24).toString("base64url")}`;
      const pool = `${provider}-demo`;
      const [row] = await sql<{ id: string; usage_count: string }[]>`
        insert into public.user_api_keys (user_id, key_name, api_key_encrypted, priority, provider)
        values (${userId}, ${name}, ${await settings.sealer.seal(userId, value)}, ${priority}, ${pool})
        returning id, usage_count`;
      if (row !== undefined)
        keys.push({ id: row.id, name, value, plan, provider, pool, startCount: Number(row.usage_count) });
    }
    const issued = await sql<{ token: string }[]>`
      select public.issue_agent_token(${userId}, 'demo agent ' || n) as token
      from generate_series(1, ${settings.agents}::int) n`;
    return { userId, keys, tokens: issued.map(({ token }) => token), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function signUp({ url, publishableKey }: DemoSettings): Promise<string> {
  const { auth } = createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const email = `demo-run-${randomUUID()}@keyhub.local`;
  const { data, error } = await auth.signUp({ email, password: randomBytes(18).toString("base64url") });
  if (data.user !== null) return data.user.id;
  const why = [error?.status, error?.code ?? error?.name].filter((part) => part !== undefined).join(" ");
  throw new CommandFailure(`the demo's user could not be signed up: ${why || "no user"}`);
}
