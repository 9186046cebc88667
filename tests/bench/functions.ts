/**
 * Measures the cost of the key functions beyond a bare function: the size of the minified bundle, and the time from the start of Deno to
 * the first answer on a real stack. It measures the sources, as `npm start` runs them, and the bundle, which is closer to what a deployment
 * runs. Run it without other benches: BENCH_ROUNDS=20 node tests/bench/functions.ts
 */
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Stack, startFunctions, startStack, withDatabase } from "../../packages/local/src/index.ts";
import { repository } from "../support/cli.ts";
import { bundle } from "./bundle.ts";

/** The largest ratio of a function's size, and of its time, to those of the bare function. */
const TARGET = 1.3;
/** The number of rounds that only fill Deno's caches. */
const WARM_UP = 2;
const rounds = Math.max(15, Number(process.env.BENCH_ROUNDS ?? 20));

interface Candidate {
  name: string;
  /** The folder that holds the function's folder. */
  folder: string;
  body: unknown;
}

interface Figures {
  bundle: number;
  gzip: number;
  /** Milliseconds from the start of Deno to the first answer, one number per round: with the sources, and with the bundle. */
  sources: number[];
  bundled: number[];
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "keyhub-bench-"));
  await chmod(dataDir, 0o755);
  const stack = await startStack({ dataDir: join(dataDir, "stack") });
  try {
    const candidates = await listCandidates(stack);
    const bundles = join(dataDir, "bundles");
    const figures = await Promise.all(
      candidates.map(async (candidate): Promise<Figures> => {
        const text = await bundle(join(candidate.folder, candidate.name));
        await mkdir(join(bundles, candidate.name), { recursive: true });
        await writeFile(join(bundles, candidate.name, "index.ts"), text);
        return { bundle: text.byteLength, gzip: gzipSync(text).byteLength, sources: [], bundled: [] };
      }),
    );
    for (let round = -WARM_UP; round < rounds; round++) {
      // The candidates take turns, and each round begins with another candidate.
      for (let turn = 0; turn < candidates.length; turn++) {
        const index = (turn + round + WARM_UP) % candidates.length;
        const candidate = candidates[index] as Candidate;
        const sources = await firstAnswer(candidate, stack);
        const bundled = await firstAnswer({ ...candidate, folder: bundles }, stack);
        if (round < 0) continue;
        figures[index]?.sources.push(sources);
        figures[index]?.bundled.push(bundled);
      }
    }
    process.exitCode = print(candidates, figures) ? 0 : 1;
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function listCandidates(stack: Stack): Promise<Candidate[]> {
  const tokenHash = createHash("sha256")
    .update(stack.env.KEYHUB_AGENT_TOKEN ?? "")
    .digest("hex");
  const { kid } = JSON.parse(stack.env.KEYHUB_UNSEAL_KEYS ?? "[]")[0];
  const [key] = await withDatabase(
    stack.databaseUrl,
    (sql) => sql`select id from public.user_api_keys limit 1`,
  );
  const functions = join(repository, "supabase", "functions");
  return [
    {
      name: "bare-function",
      folder: join(repository, "tests", "bench"),
      body: { token_hash: tokenHash, live_kids: [kid] },
    },
    { name: "get-active-key", folder: functions, body: {} },
    { name: "set-key-state", folder: functions, body: { key_id: key?.id, status: "success" } },
  ];
}

async function firstAnswer({ folder, name, body }: Candidate, { env, url }: Stack): Promise<number> {
  const started = performance.now();
  const running = await startFunctions({
    functionsDir: folder,
    names: [name],
    env: {
      SUPABASE_URL: url,
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: env.SUPABASE_SECRET_KEY }),
      KEYHUB_UNSEAL_KEYS: env.KEYHUB_UNSEAL_KEYS ?? "",
    },
  });
  try {
    const response = await fetch(`http://127.0.0.1:${await running.port(name)}/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${env.KEYHUB_AGENT_TOKEN}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const took = performance.now() - started;
    if (response.status !== 200) throw new Error(`${name} answered ${response.status}: ${text}`);
    return took;
  } finally {
    await running.stop();
  }
}

/** Prints the table with ratios to the bare function; returns whether every ratio is within the target. */
function print(candidates: Candidate[], figures: Figures[]): boolean {
  const measures: Record<string, (own: Figures) => number> = {
    "bundle kB": (own) => own.bundle / 1000,
    "gzip kB": (own) => own.gzip / 1000,
    "sources ms": (own) => median(own.sources),
    "bundled ms": (own) => median(own.bundled),
  };
  const above: string[] = [];
  const table: Record<string, Record<string, string>> = {};
  for (const [index, { name }] of candidates.entries()) {
    const row: Record<string, string> = {};
    for (const [measure, of] of Object.entries(measures)) {
      const ratio = of(figures[index] as Figures) / of(figures[0] as Figures);
      row[measure] = of(figures[index] as Figures).toFixed(0);
      row[`× ${measure}`] = ratio.toFixed(2);
      if (ratio > TARGET) above.push(`${name} in ${measure}: ${ratio.toFixed(2)}`);
    }
    table[name] = row;
  }
  console.table(table);
  console.log(
    `ms: start of Deno to first answer, from the sources and from the bundle; medians of ${rounds} rounds.`,
  );
  console.log(
    `Target: at most ${TARGET} × bare-function. ${above.length > 0 ? `Above it: ${above.join("; ")}.` : "Met."}`,
  );
  return above.length === 0;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

await main();
