import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sealKey } from "../../packages/core/src/keys/seal.ts";
import { startFunctions, startGateway, startStack, withDatabase } from "../../packages/local/src/index.ts";
import { functionEnvironment } from "../../packages/local/src/settings/environment.ts";
import { readOrMakeSecrets } from "../../packages/local/src/settings/secrets.ts";
import { repository } from "../support/cli.ts";
import { keysOf } from "./cluster.ts";
import { REFERENCE } from "./leases.ts";
import type { Urls } from "./load-worker.ts";

/** The stack of `npm start`, and the bare functions, which use the same REST API and the same database as its own functions. */
export interface LoadStack {
  urls: Urls;
  /** The tokens of the agents of one pool. */
  tokens: string[];
  databaseUrl: string;
  stop(): Promise<void>;
}

const KEYS = 100;

/** The cheapest call that REST can forward. */
const TRIVIAL = `
  create function public.bench_trivial() returns jsonb language sql stable set search_path = ''
  as $$ select '{"ok": true}'::jsonb $$;
  grant execute on function public.bench_trivial to service_role;`;

/** The smallest durable work with the result of a lease (the reference of the bench `keys`), on a random key. */
const DURABLE = `
  create function public.bench_durable() returns jsonb language plpgsql set search_path = ''
  as $$
  declare
    keys constant uuid[] := $KEYS;
  begin
    return jsonb_build_object('lease', public.bench_reference(keys[1 + floor(random() * cardinality(keys))], $USER));
  end $$;
  grant execute on function public.bench_durable, public.bench_reference to service_role;`;

export async function startLoadStack(agents: number): Promise<LoadStack> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-load-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  const stack = await startStack({ dataDir });
  const environment = functionEnvironment(stack.url, await readOrMakeSecrets(dataDir));
  const startBare = async (rpc: string) => {
    const functions = await startFunctions({
      functionsDir: join(repository, "tests", "bench"),
      names: ["bare-function"],
      env: { ...environment, BENCH_RPC: rpc },
    });
    const gateway = await startGateway({ port: 0, supabase: stack.supabase, functions });
    return {
      url: `${gateway.url}/functions/v1/bare-function`,
      stop: async () => {
        await gateway.stop();
        await functions.stop();
      },
    };
  };
  const bare = await startBare("bench_trivial");
  const second = await startBare("bench_trivial");
  const durable = await startBare("bench_durable");
  const tokens = await makePool(stack.databaseUrl, stack.env.KEYHUB_SEAL_KEY ?? "", agents);
  return {
    urls: {
      "bare-function": bare.url,
      "second-bare-function": second.url,
      "durable-function": durable.url,
      "get-active-key": `${stack.url}/functions/v1/get-active-key`,
      "set-key-state": `${stack.url}/functions/v1/set-key-state`,
    },
    tokens,
    databaseUrl: stack.databaseUrl,
    stop: async () => {
      await durable.stop();
      await second.stop();
      await bare.stop();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a user with keys that the functions can open. Returns the tokens of the user's agents. */
async function makePool(databaseUrl: string, seal: string, agents: number): Promise<string[]> {
  return withDatabase(databaseUrl, async (sql) => {
    await sql.unsafe(TRIVIAL);
    const [user] = await sql<{ id: string }[]>`
      insert into auth.users (id, email) values (gen_random_uuid(), 'load@example.test') returning id`;
    const userId = user?.id ?? "";
    const rows = await Promise.all(
      Array.from({ length: KEYS }, async (_, i) => ({
        user_id: userId,
        key_name: `key ${i}`,
        api_key_encrypted: await sealKey(seal, userId, `sk-load-${i}`),
      })),
    );
    await sql`insert into public.user_api_keys ${sql(rows)}`;
    await sql.unsafe(REFERENCE);
    const keys = `'{${(await keysOf(sql, userId)).join()}}'`;
    await sql.unsafe(DURABLE.replace("$KEYS", keys).replace("$USER", `'${userId}'`));
    const issued = await sql<{ token: string }[]>`
      select public.issue_agent_token(${userId}, 'load ' || i) as token from generate_series(1, ${agents}::integer) i`;
    return issued.map(({ token }) => token);
  });
}
