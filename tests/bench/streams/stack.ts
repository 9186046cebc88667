import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFunctions, startStack } from "../../../packages/local/src/index.ts";
import { repository } from "../../support/cli.ts";
import { startStreams } from "./provider.ts";

/** Starts a stack with the gateway, and a bare proxy. Both run in Deno as under `npm start`, and call the same provider. */
export async function startStreamStack() {
  const provider = await startStreams();
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-"));
  await chmod(folder, 0o755);
  const stack = await startStack({ dataDir: join(folder, "stack") });
  const pids: Record<string, number> = {};
  let lost = 0;
  const serve = async (functionsDir: string, name: string) => {
    const running = await startFunctions({
      functionsDir,
      names: [name],
      env: {
        SUPABASE_URL: stack.url,
        SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.env.SUPABASE_SECRET_KEY }),
        KEYHUB_UNSEAL_KEYS: stack.env.KEYHUB_UNSEAL_KEYS ?? "",
        KEYHUB_UPSTREAMS: JSON.stringify({ openai: provider.origin }),
        KEYHUB_LOOPBACK_UPSTREAMS: "allow",
        BENCH_UPSTREAM: provider.origin,
      },
      onPid: (_, pid) => {
        pids[name] = pid;
      },
      onLog: (line) => {
        if (/the report of lease \S+ is lost/.test(line)) lost += 1;
        console.error(line);
      },
    });
    return { ...running, origin: `http://127.0.0.1:${await running.port(name)}` };
  };
  const gateway = await serve(join(repository, "supabase", "functions"), "keyhub-gateway");
  const bare = await serve(join(repository, "tests", "bench"), "bare-proxy");
  return {
    provider,
    databaseUrl: stack.databaseUrl,
    /** Returns the number of reports that the gateway has given up: the key service did not answer in five tries. */
    lost: () => lost,
    token: stack.env.KEYHUB_AGENT_TOKEN ?? "",
    bare: { url: bare.origin, pid: pids["bare-proxy"] ?? 0 },
    gateway: {
      url: `${gateway.origin}/keyhub-gateway/openai`,
      pid: pids["keyhub-gateway"] ?? 0,
    },
    async stop() {
      await gateway.stop();
      await bare.stop();
      await stack.stop();
      provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
