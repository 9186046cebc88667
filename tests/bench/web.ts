import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtSite, startStack } from "../../packages/local/src/index.ts";
import { median } from "./cluster.ts";

const ROUNDS = 100;

/**
 * Measures on the demo data how long the server takes for the landing page, in turns with the RPCs that this page calls, and for pages of
 * single listings. There are no caches: each page calls the API again over HTTP.
 */
export async function benchWeb(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keyhub-bench-web-"));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  const stack = await startStack({ dataDir: join(folder, "data") });
  try {
    const { createSite } = await import(join(await builtSite(), "server", "server.js"));
    const supabaseUrl = stack.url;
    const publishableKey = stack.env.SUPABASE_PUBLISHABLE_KEY;
    const calls: [RequestInfo | URL, RequestInit | undefined][] = [];
    let record = true;
    const site: (request: Request) => Promise<Response> = createSite({
      supabaseUrl,
      publishableKey,
      fetch: (input: RequestInfo | URL, init?: RequestInit) => {
        if (record) calls.push([input, { ...init, signal: null }]);
        return fetch(input, init);
      },
    });
    const page = async (path: string) => (await site(new Request(`${stack.url}${path}`))).text();
    await page("/hub");
    record = false;
    const data = () =>
      Promise.all(
        calls.map(async ([input, init]) => {
          const response = await fetch(input, init);
          if (!response.ok) throw new Error(`RPC ${response.status}`);
          return response.json();
        }),
      );
    const timed = async (what: () => Promise<unknown>): Promise<number> => {
      const started = performance.now();
      await what();
      return performance.now() - started;
    };
    const times: Record<string, number[]> = {};
    const runs: [string, () => Promise<unknown>][] = [
      ["data of /hub alone", data],
      ["/hub", () => page("/hub")],
      ...["templates/clear-meeting-minutes", "components/json-tree", "ai-presets/strict-json"].map(
        (path): [string, () => Promise<unknown>] => [`/hub/${path}`, () => page(`/hub/${path}`)],
      ),
    ];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, run] of runs) {
        times[name] ??= [];
        times[name].push(await timed(run));
      }
    }
    for (const [name] of runs) console.log(`${name}: p50 ${median(times[name] ?? []).toFixed(1)} ms`);
    const ratio = median(times["/hub"] ?? []) / median(times["data of /hub alone"] ?? []);
    console.log(`/hub takes ${ratio.toFixed(2)} times its ${calls.length} RPCs alone`);
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
