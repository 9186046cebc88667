import { randomBytes, randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { CommandFailure } from "../cli/command.ts";
import type { IssuedKey } from "./provider.ts";
import type { DemoSettings } from "./settings.ts";

/** A key that the provider issued, and its row. */
export interface PoolKey extends IssuedKey {
  id: string;
  /** The value of `provider` in the key's row of user_api_keys. */
  poolProvider: string;
  /** usage_count minus skipped_count before the first lease. */
  startCount: number;
}

/** The account of all keys of OpenAI: they share its limits. */
const ACCOUNT = "shore";

/** The keys of the demo. Their plans (rate limits) differ, so that the keys do not all reach their limits at the same moment. */
const OFFERS: [name: string, priority: number, provider: IssuedKey["provider"], plan: IssuedKey["plan"]][] = [
  ["amber", 10, "openai", { calls: 20, windowMs: 3_000 }],
  ["birch", 10, "anthropic", { calls: 8, windowMs: 2_000 }],
  ["cedar", 10, "gemini", { calls: 15, windowMs: 3_000 }],
  ["dune", 0, "gemini", { calls: 6, windowMs: 2_500 }],
  ["ember", 0, "openai", { calls: 20, windowMs: 3_000 }],
  ["fjord", 0, "anthropic", { calls: 12, windowMs: 3_000 }],
  ["grove", 0, "openai", { calls: 20, windowMs: 3_000 }],
];

export type DemoPool = Awaited<ReturnType<typeof makePool>>;

/**
 * Makes a user for the demo, with keys and a token for each agent, in the steps that a person would take: sign-up, then INSERT of sealed
 * keys. `remove` deletes them.
 */
export async function makePool(settings: DemoSettings, sql: postgres.Sql) {
  // Remove the users of killed runs. The longest run takes an hour, so no user of a current run is older than two hours.
  await sql`delete from auth.users where email like 'demo-run-%@keyhub.local' and created_at < now() - interval '2 hours'`;
  const userId = await signUp(settings);
  // Everything else is deleted with the user.
  const remove = async () => void (await sql`delete from auth.users where id = ${userId}`);
  try {
    const keys: PoolKey[] = [];
    for (const [name, priority, provider, plan] of OFFERS) {
      const value = `sk-demo-${randomBytes(24).toString("base64url")}`;
      const poolProvider = `${provider}-demo`;
      const account = provider === "openai" ? ACCOUNT : null;
      const sealed = await settings.sealer.seal(userId, value);
      const [row] = await sql<{ id: string; startCount: number }[]>`
        insert into public.user_api_keys (user_id, key_name, api_key_encrypted, priority, provider, account)
        values (${userId}, ${name}, ${sealed}, ${priority}, ${poolProvider}, ${account})
        returning id, (usage_count - skipped_count)::int as "startCount"`;
      if (row) keys.push({ ...row, name, value, plan, provider, account, poolProvider });
    }
    const issued = await sql<{ token: string }[]>`
      select public.issue_agent_token(${userId}, 'demo agent ' || n) as token
      from generate_series(1, ${settings.agents}::int) n`;
    const [token] = await sql<
      { token: string }[]
    >`select public.issue_agent_token(${userId}, 'lying agent') as token`;
    const [agent] = await sql<{ id: string }[]>`
      select id from public.api_key_agents where user_id = ${userId} and name = 'lying agent'`;
    const liar = { id: agent?.id ?? "", token: token?.token ?? "" };
    return { userId, keys, tokens: issued.map(({ token }) => token), liar, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function signUp({ url, publishableKey }: DemoSettings): Promise<string> {
  const { auth } = createClient(url, publishableKey, { auth: { persistSession: false } });
  const email = `demo-run-${randomUUID()}@keyhub.local`;
  const { data, error } = await auth.signUp({ email, password: randomBytes(18).toString("base64url") });
  if (data.user !== null) return data.user.id;
  throw new CommandFailure(
    error?.name === "AuthRetryableFetchError"
      ? `no Keyhub answers at ${url}; start the stack in another terminal first (npm start)`
      : `the demo's user could not be signed up: ${error?.status ?? ""} ${error?.code ?? "no user"}`,
  );
}
