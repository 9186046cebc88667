import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withDatabase } from "../../packages/local/src/index.ts";
import { portIsFree } from "../../packages/local/src/ports.ts";
import {
  children,
  isRunning,
  occupy,
  type Place,
  place,
  type Run,
  readEnv,
  scratchFolder,
  start,
  until,
} from "./scratch.ts";

let folder: { path: string; remove(): void };
let here: Place;
let runs: Run[] = [];

beforeEach(async () => {
  folder = scratchFolder();
  here = await place(folder.path);
  runs = [];
});

afterEach(async () => {
  for (const run of runs) if (isRunning(run.pid)) run.signal("SIGTERM");
  await Promise.all(runs.map((run) => run.exit));
  folder.remove();
});

function begin(args: string[] = [], where = here): Run {
  const run = start(where, args);
  runs.push(run);
  return run;
}

async function lease(where = here): Promise<Response> {
  const env = readEnv(where);
  return fetch(`${env.SUPABASE_URL}/functions/v1/get-active-key`, {
    method: "POST",
    headers: { authorization: `Bearer ${env.KEYHUB_AGENT_TOKEN}` },
  });
}

/** Ended with one line on stderr, exit code 1, and nothing left running or listening. */
async function expectOneLine(run: Run, words: RegExp): Promise<void> {
  expect(await run.exit).toBe(1);
  const lines = run.err().trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(words);
  expect(lines[0]).toMatch(/^Keyhub: /);
}

describe("a whole life", { timeout: 60_000 }, () => {
  test("first start, restart, --fresh", async () => {
    const first = begin();
    await first.ready;
    expect(statSync(here.envFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(here.dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
    // The curl of the welcome works as pasted.
    const pasted = /^ +(curl .*get-active-key.*)$/m.exec(first.out())?.[1] ?? "";
    const answer = JSON.parse(execFileSync("sh", ["-c", `${pasted} -s`], { encoding: "utf8" }));
    expect(answer.api_key).toMatch(/^sk-demo-openai-/);
    const report = /^ +(curl .*set-key-state.*)$/m.exec(first.out())?.[1] ?? "";
    const told = execFileSync("sh", ["-c", `${report.replace("<lease_id>", answer.lease_id)} -s`], {
      encoding: "utf8",
    });
    expect(JSON.parse(told)).toMatchObject({ outcome: "rate_limited", effect: "cooled" });
    const env = readEnv(here);
    const pids = Object.values(children(here));
    expect(pids.length).toBeGreaterThan(1);

    // Ctrl-C reaches the whole group of a terminal's job.
    first.signal("SIGINT");
    expect(await first.exit).toBe(0);
    expect(first.err()).toBe("");
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(here.envFile)).toBe(false);
    expect(await portIsFree(here.port)).toBe(true);
    expect(await portIsFree(here.dbPort)).toBe(true);

    const second = begin();
    await second.ready;
    expect(readEnv(here)).toEqual(env);
    const states = await withDatabase(
      env.SUPABASE_DB_URL ?? "",
      (sql) => sql`select from public.api_key_usage_log`,
    );
    expect(states).toHaveLength(1);
    second.signal("SIGTERM");
    expect(await second.exit).toBe(0);

    // --fresh begins anew and leaves what is not ours.
    writeFileSync(join(here.dataDir, "my-notes.txt"), "keep me");
    const third = begin(["--fresh"]);
    await third.ready;
    expect(readEnv(here).KEYHUB_AGENT_TOKEN).not.toBe(env.KEYHUB_AGENT_TOKEN);
    expect(readFileSync(join(here.dataDir, "my-notes.txt"), "utf8")).toBe("keep me");
    expect((await lease()).status).toBe(200);
    third.signal("SIGHUP");
    expect(await third.exit).toBe(0);
  });

  test("kill -9 of the parent: the next start clears what it left", async () => {
    const first = begin();
    await first.ready;
    const left = children(here);
    process.kill(first.pid, "SIGKILL");
    await first.exit;
    expect(Object.values(left).filter(isRunning)).toEqual(Object.values(left));

    // A pid that went to somebody else's process meanwhile is not touched.
    const bystander = spawn("sleep", ["60"]);
    const file = join(here.dataDir, "running.json");
    const record = JSON.parse(readFileSync(file, "utf8"));
    record.children.push({ name: "reused", pid: bystander.pid, fingerprint: "another time" });
    writeFileSync(file, JSON.stringify(record));

    const second = begin();
    await second.ready;
    expect(Object.values(left).filter(isRunning)).toEqual([]);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
    bystander.kill();
    expect((await lease()).status).toBe(200);
  });

  test("kill -9 in the middle of a start", async () => {
    for (const ms of [250, 450, 700, 1000, 1300]) {
      const run = begin();
      await sleep(ms);
      process.kill(run.pid, "SIGKILL");
      await run.exit;
    }
    const last = begin();
    await last.ready;
    const pids = Object.values(children(here));
    expect((await lease()).status).toBe(200);
    last.signal("SIGINT");
    expect(await last.exit).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
    const stray = execFileSync("ps", ["-axww", "-o", "command="], { encoding: "utf8" }).split("\n");
    expect(stray.filter((line) => line.includes(here.dataDir))).toEqual([]);
  });

  test("Postgres and Deno killed: one line each, and they are back", async () => {
    const run = begin();
    await run.ready;
    const { postgres = 0, "get-active-key": deno = 0 } = children(here);
    process.kill(postgres, "SIGKILL");
    const statuses = new Set<number>();
    await until(async () => {
      const env = readEnv(here);
      const response = await fetch(`${env.SUPABASE_URL}/rest/v1/api_key_states?select=id&limit=1`, {
        headers: { apikey: env.SUPABASE_SECRET_KEY ?? "" },
      });
      if (response.status === 503) expect(response.headers.get("retry-after")).toBe("1");
      statuses.add(response.status);
      return response.status < 500 && children(here).postgres !== postgres;
    });
    expect([...statuses].filter((status) => status === 500)).toEqual([]);
    await until(async () => (await lease()).status === 200);

    process.kill(deno, "SIGKILL");
    await until(() => children(here)["get-active-key"] !== deno);
    await until(async () => {
      const response = await lease();
      if (response.status === 503) expect(await response.json()).toMatchObject({ code: "unavailable" });
      return response.status === 200;
    });
    const lines = run
      .out()
      .trim()
      .split("\n")
      .filter((line) => line.includes("died"));
    expect(lines).toEqual([
      "Postgres died (SIGKILL); restarting it.",
      "function get-active-key died (SIGKILL); restarting it.",
    ]);
    run.signal("SIGINT");
    expect(await run.exit).toBe(0);
    expect(run.err()).toBe("");
  });

  test("Postgres that cannot come back takes the stack with it", async () => {
    const run = begin();
    await run.ready;
    const pids = children(here);
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "12\n");
    process.kill(pids.postgres ?? 0, "SIGKILL");
    await expectOneLine(run, /cannot be restarted: .*PostgreSQL 12/);
    expect(Object.values(pids).filter(isRunning)).toEqual([]);
    expect(existsSync(here.envFile)).toBe(false);
  });

  test("a start that is told to stop stops", async () => {
    const run = begin();
    await sleep(700);
    run.signal("SIGINT");
    expect(await run.exit).toBe(0);
    expect(run.err()).toBe("");
    const rest = readdirSync(here.dataDir).filter((name) => name === "running.json");
    expect(rest).toEqual([]);
  });
});

describe("what is in the way is said in one line", { timeout: 30_000 }, () => {
  test("a second start on the same data folder, and busy ports", async () => {
    const first = begin();
    await first.ready;
    await expectOneLine(begin(), /already runs on .*data \(process \d+, http/);
    expect((await lease()).status).toBe(200);
    const other = await place(join(folder.path, "other"));
    mkdirSync(join(folder.path, "other"));
    const samePort = { ...other, env: { ...other.env, KEYHUB_PORT: String(here.port) } };
    await expectOneLine(begin([], samePort), /port \d+ is in use.*KEYHUB_PORT/);
    const server = await occupy(other.dbPort);
    await expectOneLine(begin([], other), /port \d+ is in use.*KEYHUB_DB_PORT/);
    server.close();
  });

  test("data folders that cannot be used", async () => {
    // Not a folder; somebody else's folder, also with --fresh.
    writeFileSync(here.dataDir, "a file");
    await expectOneLine(begin(), /is not a folder/);
    rmSync(here.dataDir);
    mkdirSync(here.dataDir);
    writeFileSync(join(here.dataDir, "thesis.txt"), "years of work");
    await expectOneLine(begin(["--fresh"]), /holds other files/);
    expect(readdirSync(here.dataDir)).toEqual(["thesis.txt"]);
    rmSync(join(here.dataDir, "thesis.txt"));

    // Ours, but damaged.
    writeFileSync(join(here.dataDir, "keyhub.json"), '{ "keyhub": "data folder" }');
    writeFileSync(join(here.dataDir, "secrets.json"), '{"jwtSecret": ');
    await expectOneLine(begin(), /secrets\.json is damaged.*--fresh/);
    rmSync(join(here.dataDir, "secrets.json"));
    mkdirSync(join(here.dataDir, "postgres"));
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "16\n");
    await expectOneLine(begin(), /no secrets\.json/);
    rmSync(join(here.dataDir, "postgres"), { recursive: true });
    const made = begin();
    await made.ready;
    made.signal("SIGINT");
    await made.exit;
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "16\n");
    await expectOneLine(begin(), /made by PostgreSQL 16, this is PostgreSQL 17/);
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "17\n");
    rmSync(join(here.dataDir, "postgres", "global", "pg_control"));
    await expectOneLine(begin(), /Postgres does not start/);
    const anew = begin(["--fresh"]);
    await anew.ready;
  });

  test("options, ports and files that are no use", async () => {
    await expectOneLine(begin(["--frehs"]), /unknown option --frehs/);
    const badPort = { ...here, env: { ...here.env, KEYHUB_PORT: "http" } };
    await expectOneLine(begin([], badPort), /KEYHUB_PORT is no port number/);
    writeFileSync(here.envFile, "MY_OWN=1\n");
    await expectOneLine(begin(), /was not written by npm start/);
    expect(readFileSync(here.envFile, "utf8")).toBe("MY_OWN=1\n");
    rmSync(here.envFile);
    if (process.getuid?.() !== 0) return;
    const closed = join(folder.path, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const behind = { ...here, env: { ...here.env, KEYHUB_DATA_DIR: join(closed, "data") } };
    await expectOneLine(begin([], behind), /started as root.*may not enter/);
  });
});
