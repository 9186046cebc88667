import { readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFunctions, startStack, withDatabase } from "../../../packages/local/src/index.ts";
import { functionEnvironment } from "../../../packages/local/src/settings/environment.ts";
import { readOrMakeSecrets } from "../../../packages/local/src/settings/secrets.ts";
import { randomFrom } from "../../fixtures/redact/generate.ts";
import { IN_WORKSPACE, SENT } from "./entries.ts";
import { TARGETS } from "./targets.ts";
import { userOf, workspaceOf } from "./workspace.ts";

export interface HttpRow {
  function: string;
  inputs: number;
  /** The percentage of bodies whose content was read. All other bodies were refused for their form alone. */
  "% read": number;
  "worst CPU s": number;
  "worst MB": number;
  "another waits s": number;
  faults: string[];
  shape: string;
}

const SEED = 2;
/** The ratio of the limit to the size of the smallest bodies. */
const SMALLEST = 1_000;
/** Matches answers that show that the content of the body was read, whether it was valid or not. */
const READ =
  /"(?:redactions|findings|stored|leased|scan_token)"|secret_detected|too_much_to_read|too_many_secrets|too_many_leases/;

/** Prepares the request for one shape: stores the data that the request needs, and returns its body; null when the shape does not fit. */
type Prepare = (text: string) => Promise<string | null>;
type Send = (body: string) => Promise<{ status: number; seconds: number; text: string }>;

/**
 * Measures each function on the real stack, in its own Deno process. Hostile bodies are sent one at a time. Beside each of them, ordinary
 * requests of another user are sent, which have to wait.
 */
export async function measureFunctions(inputs: number, only: string): Promise<HttpRow[]> {
  const names = Object.keys(SENT).filter((name) => name.includes(only) && name !== IN_WORKSPACE);
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
        const response = await fetch(`http://127.0.0.1:${await functions.port(name)}/${name}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...(credential && { Authorization: credential }) },
          body,
        }).catch(() => null);
        const text = (await response?.text().catch(() => "")) ?? "";
        return { status: response?.status ?? 0, seconds: (performance.now() - started) / 1000, text };
      };
      const pid = () => pids[name] ?? 0;
      const { bytes } = SENT[name] as (typeof SENT)[string];
      const asIs = async (text: string) => (Buffer.byteLength(text) > bytes ? null : text);
      rows.push(await measureFunction(name, inputs, send, pid, asIs));
      if (name !== "hub-publish") continue;
      rows.push(
        await withDatabase(stack.databaseUrl, async (sql) =>
          measureFunction(IN_WORKSPACE, inputs, send, pid, workspaceOf(sql, await userOf(sql))),
        ),
      );
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
  send: Send,
  pid: () => number,
  prepare: Prepare,
): Promise<HttpRow> {
  const { bytes, shapes } = SENT[name] as (typeof SENT)[string];
  const row: HttpRow = {
    function: name,
    inputs: 0,
    "% read": 0,
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
  let read = 0;
  for (const shape of shapes(SEED, inputs)) {
    // Shapes that are written by hand are measured at the limit. The others get a smaller size, random on a logarithmic scale.
    const size = shape.always ? bytes - 200 : Math.floor(bytes / SMALLEST ** random());
    const body = await prepare(shape.make(size));
    if (body === null) continue;
    row.inputs += 1;
    resetPeak(pid());
    const before = usage(pid());
    let running = true;
    const hostile = send(body).finally(() => {
      running = false;
    });
    // Ordinary requests are sent until the hostile request ends, because it is not known when the work on its content begins.
    let longest = 0;
    while (running) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      longest = Math.max(longest, (await send("{}")).seconds);
    }
    const { status, text } = await hostile;
    if (READ.test(text)) read += 1;
    const after = usage(pid());
    const cpu = after.cpu - before.cpu;
    const megabytes = Math.round((after.peak - before.peak) / 1e6);
    const waits = Math.max(0, longest - idle);
    const faults = [
      ...(cpu > TARGETS.cpu ? [`${cpu.toFixed(2)} s`] : []),
      ...(megabytes > TARGETS.megabytes ? [`${megabytes} MB`] : []),
      ...(waits > TARGETS.delay ? [`another waits ${waits.toFixed(2)} s`] : []),
      ...(status === 0 || status === 500 || status === 503 ? [`status ${status}`] : []),
    ];
    row.faults.push(...faults.map((fault) => `${fault}: ${shape.name}, ${size} bytes`));
    if (cpu > row["worst CPU s"]) row.shape = shape.name;
    row["worst CPU s"] = Math.max(row["worst CPU s"], Number(cpu.toFixed(2)));
    row["worst MB"] = Math.max(row["worst MB"], megabytes);
    row["another waits s"] = Math.max(row["another waits s"], Number(waits.toFixed(2)));
  }
  row["% read"] = Math.round((100 * read) / row.inputs);
  process.stderr.write(
    `${row.faults.length === 0 ? "ok  " : "MISS"} ${name}: ${row["worst CPU s"]} s, ${row["worst MB"]} MB, another waits ${row["another waits s"]} s, ${row["% read"]} % of ${row.inputs} read (${row.shape})\n`,
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

/** Returns what Linux reports about another process: the processor seconds so far, and the peak memory since the last reset. */
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
