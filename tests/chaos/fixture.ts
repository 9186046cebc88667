import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { sealKey } from "../../packages/core/src/keys/seal.ts";
import {
  children,
  isRunning,
  type Place,
  place,
  type Run,
  readEnv,
  scratchFolder,
  start,
} from "../stack/scratch.ts";
import { makeUser } from "../support/keys.ts";

/** The application_name of the test's own connections, so that killing a connection of the stack does not hit them. */
export const WATCHER = "watcher";

/** A whole stack as `npm start` runs it, with its durable Postgres settings, and a pool of keys. */
export interface Fixture {
  url: string;
  /** The settings that the stack has written. */
  env: Record<string, string>;
  /** A connection as the operator. It reconnects after a crash of the server. */
  sql: postgres.Sql;
  userId: string;
  /** The token of an agent of that user. */
  token: string;
  /** The access token of a signed-in user without keys. */
  userToken: string;
  /** The ids of the agent's keys. */
  keys: string[];
  /** The pids of the stack's children by name: `postgres`, `get-active-key`, `set-key-state`. */
  pids(): Record<string, number>;
  /** Returns the output of the stack. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a fixture. `prepare` may fill the data folder, which saves the time of a first start. */
export async function startFixture(
  keyCount: number,
  prepare: (dataDir: string) => Promise<void> = async () => {},
): Promise<Fixture> {
  const folder = scratchFolder();
  const here = await place(folder.path);
  await prepare(here.dataDir);
  const run = start(here);
  await run.ready;
  const env = readEnv(here);
  const sql = postgres(env.SUPABASE_DB_URL ?? "", {
    max: 4,
    onnotice: () => {},
    backoff: () => 0.05,
    connection: { application_name: WATCHER },
  });
  const userId = await makeUser(sql);
  const [agent] = await sql<
    { token: string }[]
  >`select public.issue_agent_token(${userId}, 'agent') as token`;
  return {
    url: env.SUPABASE_URL ?? "",
    env,
    sql,
    userId,
    token: agent?.token ?? "",
    userToken: await signUp(env),
    keys: await addKeys(sql, userId, env.KEYHUB_SEAL_KEY ?? "", keyCount),
    pids: () => children(here),
    output: () => run.out() + run.err(),
    stop: async () => {
      await sql.end({ timeout: 1 });
      await end(run, here);
      folder.remove();
    },
  };
}

async function addKeys(sql: postgres.Sql, userId: string, seal: string, count: number): Promise<string[]> {
  const rows = await Promise.all(
    Array.from({ length: count }, async (_, i) => ({
      user_id: userId,
      key_name: `key ${i}`,
      api_key_encrypted: await sealKey(seal, userId, `sk-${i}`),
    })),
  );
  const made = await sql<{ id: string }[]>`insert into public.user_api_keys ${sql(rows)} returning id`;
  return made.map(({ id }) => id);
}

async function signUp(env: Record<string, string>): Promise<string> {
  const client = createClient(env.SUPABASE_URL ?? "", env.SUPABASE_PUBLISHABLE_KEY ?? "", {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data } = await client.auth.signUp({ email: "user@example.test", password: randomUUID() });
  return data.session?.access_token ?? "";
}

/** Stops the stack with SIGTERM. If it still runs after 20 s, kills it and its recorded children. */
async function end(run: Run, here: Place): Promise<void> {
  if (isRunning(run.pid)) run.signal("SIGTERM");
  const deadline = setTimeout(() => {
    for (const pid of [run.pid, ...Object.values(children(here))]) {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    }
  }, 20_000);
  await run.exit;
  clearTimeout(deadline);
}
