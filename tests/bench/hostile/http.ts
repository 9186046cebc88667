import { readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functionEnvironment } from "../../../packages/local/src/environment.ts";
import { startFunctions, startStack } from "../../../packages/local/src/index.ts";
import { readOrMakeSecrets } from "../../../packages/local/src/secrets.ts";
import { randomFrom } from "../../corpus/redact/generate.ts";
import { SENT } from "./entries.ts";
import { TARGETS } from "./targets.ts";

export interface HttpRow {
  function: string;
  inputs: number;
  "worst CPU s": number;
  "worst MB": number;
  "another waits s": number;
  faults: string[];
  shape: string;
}

const SEED = 2;

/**
 * Each function on the real stack, in a Deno process of its own: bodies one at a time, each beside an ordinary request of
 * somebody else that has to wait for it.
 */
export async function measureFunctions(inputs: number, only: string): Promise<HttpRow[]> {
  const names = Object.keys(SENT).filter((name) => name.includes(only));
  if (names.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), "keyhub-hostile-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  const stack = await startStack({ dataDir });
  const pids: Record<string, number> = {};
  const env = functionEnvironment(stack.url, await readOrMakeSecrets(dataDir));
  const functions = await startFunctions({
    env,
    onPid: (name, pid) => {
      pids[name] = pid;
    },
  });
  try {
    const token = await signUp(stack.url, stack.env.SUPABASE_PUBLISHABLE_KEY ?? "");
    const rows: HttpRow[] = [];
    for (const name of names) {
      const agent = `Bearer ${stack.env.KEYHUB_AGENT_TOKEN}`;
      const credential = name === "hub-import" ? null : name === "hub-publish" ? `Bearer ${token}` : agent;
      const send = async (body: string) => {
        const started = performance.now();
        const response = await fetch(`http://127.0.0.1:${functions.ports[name]}/${name}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...(credential && { Authorization: credential }) },
          body,
        }).catch(() => null);
        await response?.arrayBuffer().catch(() => null);
        return { status: response?.status ?? 0, seconds: (performance.now() - started) / 1000 };
      };
      rows.push(await measureFunction(name, inputs, send, () => pids[name] ?? 0));
    }
    return rows;
  } finally {
    await functions.stop();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureFunction(
  name: string,
  inputs: number,
  send: (body: string) => Promise<{ status: number; seconds: number }>,
  pid: () => number,
): Promise<HttpRow> {
  const { bytes, shapes } = SENT[name] as (typeof SENT)[string];
  const row: HttpRow = {
    function: name,
    inputs,
    "worst CPU s": 0,
    "worst MB": 0,
    "another waits s": 0,
    faults: [],
    shape: "",
  };
  const random = randomFrom(SEED);
  const idle = Math.max(
    ...(await Promise.all([1, 2, 3].map(() => send("{}")))).map(({ seconds }) => seconds),
  );
  for (const shape of shapes(SEED, inputs)) {
    // A quarter as large as allowed, the others smaller.
    const body = shape.make(random() < 0.25 ? bytes - 200 : Math.floor(bytes * random() ** 2));
    if (Buffer.byteLength(body) > bytes) continue;
    resetPeak(pid());
    const before = usage(pid());
    const hostile = send(body);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const other = await send("{}");
    const { status } = await hostile;
    const after = usage(pid());
    const cpu = after.cpu - before.cpu;
    const megabytes = Math.round((after.peak - before.peak) / 1e6);
    const waits = Math.max(0, other.seconds - idle);
    const faults = [
      ...(cpu > TARGETS.cpu ? [`${cpu.toFixed(2)} s`] : []),
      ...(megabytes > TARGETS.megabytes ? [`${megabytes} MB`] : []),
      ...(waits > TARGETS.delay ? [`another waits ${waits.toFixed(2)} s`] : []),
      ...(status === 0 || status === 500 || status === 503 ? [`status ${status}`] : []),
    ];
    row.faults.push(...faults.map((fault) => `${fault}: ${shape.name}, ${body.length} characters`));
    if (cpu > row["worst CPU s"]) row.shape = shape.name;
    row["worst CPU s"] = Math.max(row["worst CPU s"], Number(cpu.toFixed(2)));
    row["worst MB"] = Math.max(row["worst MB"], megabytes);
    row["another waits s"] = Math.max(row["another waits s"], Number(waits.toFixed(2)));
  }
  process.stderr.write(
    `${row.faults.length === 0 ? "ok  " : "MISS"} ${name}: ${row["worst CPU s"]} s, ${row["worst MB"]} MB, another waits ${row["another waits s"]} s\n`,
  );
  return row;
}

async function signUp(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: key, "Content-Type": "application/json" },
    body: JSON.stringify({ email: "hostile@example.test", password: "a long enough password" }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Of another process, by what Linux tells of it: processor seconds so far, and the most memory since the last reset. */
function usage(pid: number): { cpu: number; peak: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    cpu: (Number(stat[11]) + Number(stat[12])) / 100,
    peak: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024,
  };
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
