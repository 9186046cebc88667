import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { createKeyhub } from "../../../packages/client/src/index.ts";
import { sealKey } from "../../../packages/core/src/keys/seal.ts";
import { createRateWindow, type RatePlan } from "../../../packages/local/src/demo/rate-window.ts";
import { type Stack, startStack, withDatabase } from "../../../packages/local/src/index.ts";
import { progress } from "./settings.ts";

const WORKERS = 20;
const TASKS = 30;
const PROVIDER = "openai-soak";
/** The number of keys; the last two are dead from the start. */
const KEYS = 7;
const DEAD = 2;
/** The models. Each key has a limit for each model, and the limit of `pro` is lower. */
const MODELS = ["flash", "pro"];
const PLANS: Record<string, RatePlan> = {
  flash: { calls: 30, windowMs: 3_000 },
  pro: { calls: 10, windowMs: 3_000 },
};
/** For each kind of failure, one call in this number fails: 2 %, 1 % and 0.5 % of the calls. */
const EVERY = { fault: 50, reset: 100, hang: 200 };

/**
 * Runs 20 workers with 30 tasks each, half by keyhub.fetch and half through the gateway. The provider has faults, resets connections,
 * hangs, limits the rate of two models, and refuses two dead keys. The OpenAI SDK makes the retries that Keyhub leaves to the caller.
 * Returns the tasks that were not served, and the broken rules about leases without a report and about disabled keys.
 */
export async function soakAgents(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-agents-"));
  await chmod(folder, 0o755);
  const keys = Array.from({ length: KEYS }, () => `sk-${randomUUID()}`);
  const provider = await startProvider(keys);
  const stack = await startStack({
    dataDir: join(folder, "stack"),
    functionEnv: {
      KEYHUB_UPSTREAMS: JSON.stringify({ [PROVIDER]: provider.origin }),
      KEYHUB_FIRST_BYTE_SECONDS: "5",
    },
  });
  try {
    const token = await makePool(stack, keys);
    const started = performance.now();
    const broken: string[] = [];
    const keyhub = createKeyhub({ url: stack.url, token, firstByteTimeout: "5s" });
    const common = { maxRetries: 6, timeout: 120_000 };
    const byFetch = new OpenAI({
      ...common,
      apiKey: "keyhub",
      baseURL: `${provider.origin}/v1`,
      fetch: keyhub.fetch(PROVIDER, { hosts: [provider.origin] }),
    });
    const baseURL = `${stack.url}/functions/v1/keyhub-gateway/${PROVIDER}/v1`;
    const byGateway = new OpenAI({ ...common, apiKey: token, baseURL });
    const work = async (worker: number): Promise<void> => {
      const client = worker % 2 === 0 ? byFetch : byGateway;
      for (let task = 0; task < TASKS; task += 1) {
        const content = `${worker}/${task}`;
        const name = `${worker % 2 === 0 ? "fetch" : "gateway"} ${content}`;
        try {
          const messages = [{ role: "user" as const, content }];
          const { choices } = await client.chat.completions.create({
            model: MODELS[task % 2] ?? "",
            messages,
          });
          if (choices[0]?.message.content !== content) broken.push(`${name}: another task's answer`);
        } catch (error) {
          const { name: kind, status, message } = error as Error & { status?: number };
          broken.push(`${name}: ${kind} ${status ?? ""} ${message.slice(0, 80)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, i) => work(i)));
    await keyhub.flush();
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    progress(
      `agents: ${WORKERS * TASKS} tasks in ${seconds} s, ${broken.length} not served; ${provider.summary()}`,
    );
    return [...broken, ...(await wrongBooks(stack))];
  } finally {
    await stack.stop();
    await provider.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks that every lease is reported, and that exactly the dead keys are disabled. */
async function wrongBooks(stack: Stack): Promise<string[]> {
  return withDatabase(stack.databaseUrl, async (sql) => {
    const open = sql`
      select from user_api_keys k join api_key_usage_log l on l.user_api_key_id = k.id
      where k.provider = ${PROVIDER} and l.reported_at is null`;
    for (let left = 100; left > 0 && (await open).length > 0; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const unreported = (await open).length;
    const states = await sql<{ key_name: string; state: string }[]>`
      select key_name, state from api_key_states s
      where key_name like 'soak %' order by key_name`;
    const disabled = states.filter(({ state }) => state === "disabled").map(({ key_name }) => key_name);
    const dead = Array.from({ length: DEAD }, (_, i) => `soak ${KEYS - DEAD + i}`);
    return [
      ...(unreported > 0 ? [`${unreported} leases without a report`] : []),
      ...(disabled.join() === dead.join() ? [] : [`disabled: ${disabled.join()}, dead: ${dead.join()}`]),
    ];
  });
}

async function makePool(stack: Stack, keys: string[]): Promise<string> {
  const userId = stack.env.KEYHUB_DEMO_USER_ID ?? "";
  const seal = stack.env.KEYHUB_SEAL_KEY ?? "";
  await withDatabase(stack.databaseUrl, async (sql) => {
    for (const [i, key] of keys.entries()) {
      await sql`
        insert into user_api_keys (user_id, key_name, api_key_encrypted, provider)
        values (${userId}, ${`soak ${i}`}, ${await sealKey(seal, userId, key)}, ${PROVIDER})`;
    }
  });
  return stack.env.KEYHUB_AGENT_TOKEN ?? "";
}

async function startProvider(keys: string[]) {
  const windows = new Map(
    keys
      .slice(0, -DEAD)
      .flatMap((key) =>
        Object.entries(PLANS).map(([model, plan]) => [`${key} ${model}`, createRateWindow(plan)] as const),
      ),
  );
  const counts: Record<string, number> = {};
  let calls = 0;
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const answer = (status: number, body: unknown, headers = {}) => {
      count(String(status));
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    };
    const { model, messages } = JSON.parse(text);
    const window = windows.get(`${request.headers.authorization?.replace("Bearer ", "")} ${model}`);
    if (window === undefined)
      return answer(401, { error: { message: "Incorrect API key provided.", code: "invalid_api_key" } });
    const wait = window(performance.now());
    const limited = {
      error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
    };
    if (wait !== null) return answer(429, limited, { "retry-after": String(wait) });
    calls += 1;
    if (calls % EVERY.hang === 0) return count("hang");
    if (calls % EVERY.reset === 0) {
      count("reset");
      return request.socket.destroy();
    }
    if (calls % EVERY.fault === 0) return answer(500, { error: { message: "The server had an error." } });
    const { content } = messages[0];
    answer(200, { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    summary: () =>
      Object.entries(counts)
        .map(([kind, number]) => `${number} × ${kind}`)
        .join(", "),
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
