import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../packages/local/src/index.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { until } from "../support/until.ts";
import { begin, beginPrepared, expectOneLine, here, lease } from "./fixture.ts";
import { children, isRunning, occupy, type Run, readEnv } from "./scratch.ts";

describe("a whole life", () => {
  test("start, restart, a damaged database, --fresh, kill -9 in the middle of a first start, a start that finds the remains", async () => {
    const first = await beginPrepared();
    await first.ready;
    // The curl commands that the start prints work as they are.
    const pasted = /^ +(curl .*get-active-key.*)$/m.exec(first.out())?.[1] ?? "";
    const answer = JSON.parse(execFileSync("sh", ["-c", `${pasted} -s`], { encoding: "utf8" }));
    expect(answer.api_key).toMatch(/^sk-demo-openai-/);
    const report = /^ +(curl .*set-key-state.*)$/m.exec(first.out())?.[1] ?? "";
    const reported = execFileSync("sh", ["-c", `${report.replace("<lease_id>", answer.lease_id)} -s`], {
      encoding: "utf8",
    });
    expect(JSON.parse(reported)).toMatchObject({ outcome: "rate_limited", effect: "cooled" });
    const env = readEnv(here);
    const pids = Object.values(children(here));
    expect(pids.length).toBeGreaterThan(1);

    // Ctrl-C in a terminal signals the whole process group of the job.
    first.signal("SIGINT");
    expect(await first.exit).toBe(0);
    expect(first.err()).toBe("");
    expect(pids.filter(isRunning)).toEqual([]);
    const stray = execFileSync("ps", ["-axww", "-o", "command="], { encoding: "utf8" }).split("\n");
    expect(stray.filter((line) => line.includes(here.dataDir))).toEqual([]);
    expect(existsSync(here.envFile)).toBe(false);
    // Both ports are free.
    for (const port of [here.port, here.dbPort]) (await occupy(port)).close();

    const second = begin();
    await second.ready;
    // The demo's provider has a free port of its own each time.
    expect(readEnv(here)).toEqual({
      ...env,
      KEYHUB_DEMO_PROVIDER: expect.stringMatching(/^http:/),
      KEYHUB_PAYMENTS: expect.stringMatching(/^http:/),
    });
    const states = await withDatabase(
      env.SUPABASE_DB_URL ?? "",
      (sql) => sql`select from public.api_key_usage_log`,
    );
    expect(states).toHaveLength(1);
    second.signal("SIGTERM");
    expect(await second.exit).toBe(0);

    // --fresh starts from scratch when nothing starts any more, and leaves files that are not Keyhub's.
    rmSync(join(here.dataDir, "postgres", "global", "pg_control"));
    await expectOneLine(begin(), /Postgres does not start/);
    writeFileSync(join(here.dataDir, "my-notes.txt"), "keep me");
    for (const ms of LONG_TESTS ? [250, 450, 1000, 1300] : []) {
      const run = begin(["--fresh"]);
      await sleep(ms);
      process.kill(run.pid, "SIGKILL");
      await run.exit;
    }
    const killed = begin(["--fresh"]);
    await until(() => readdirSync(here.dataDir).some((name) => name.startsWith(".initdb-")));
    process.kill(killed.pid, "SIGKILL");
    await killed.exit;
    const third = begin();
    await third.ready;
    expect(third.err()).toBe("");
    expect(statSync(here.envFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(here.dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(readEnv(here).KEYHUB_AGENT_TOKEN).not.toBe(env.KEYHUB_AGENT_TOKEN);
    expect(readFileSync(join(here.dataDir, "my-notes.txt"), "utf8")).toBe("keep me");
    expect((await lease()).status).toBe(200);
    third.signal("SIGHUP");
    expect(await third.exit).toBe(0);
  });

  test("kill -9 of the parent: the next start clears what it left; of its Postgres and its Deno: they are back", async () => {
    const first = await beginPrepared();
    await first.ready;
    expect((await lease()).status).toBe(200);
    const left = children(here);
    expect(Object.keys(left).sort()).toEqual(["get-active-key", "postgres"]);
    process.kill(first.pid, "SIGKILL");
    await first.exit;
    expect(Object.values(left).filter(isRunning)).toEqual(Object.values(left));

    // `own` has the id of the killed run, so the next start ends it. `foreign` has the id of another run, and survives.
    const file = join(here.dataDir, "running.json");
    const { id, url, ...owner } = JSON.parse(readFileSync(file, "utf8"));
    // Version 0.1.0 wrote running.json in this form.
    writeFileSync(file, JSON.stringify({ id, url, owner, children: [] }));
    const [own, foreign] = [id, randomUUID()].map((run) =>
      spawn("sleep", ["3600"], { env: { PATH: process.env.PATH, KEYHUB_RUN: run }, stdio: "ignore" }),
    );
    expect(isRunning(own?.pid ?? 0)).toBe(true);

    const second = begin();
    await second.ready;
    expect(Object.values(left).filter(isRunning)).toEqual([]);
    expect(isRunning(own?.pid ?? 0)).toBe(false);
    expect(isRunning(foreign?.pid ?? 0)).toBe(true);
    foreign?.kill();
    expect((await lease()).status).toBe(200);
    await killChildren(second);
  });

  test("the record of a killed start is lost, or is none: the next start ends its Postgres", async () => {
    const first = await beginPrepared();
    await first.ready;
    expect((await lease()).status).toBe(200);
    const { postgres = Number.NaN, ...functions } = children(here);
    process.kill(first.pid, "SIGKILL");
    await first.exit;
    writeFileSync(join(here.dataDir, "running.json"), '{"id":""}');
    try {
      const second = begin();
      await second.ready;
      expect(isRunning(postgres)).toBe(false);
      expect((await lease()).status).toBe(200);
    } finally {
      for (const pid of Object.values(functions)) process.kill(pid, "SIGKILL");
    }
  });

  /** Kills Postgres and Deno of a stack that is ready. The stack prints one line for each of them, and restarts it. */
  async function killChildren(run: Run): Promise<void> {
    // A child that is not found must fail the test, as NaN does. The pid 0 would kill the process group of the test itself.
    const { postgres = Number.NaN, "get-active-key": deno = Number.NaN } = children(here);
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
  }

  test("Postgres that cannot come back takes the stack with it", async () => {
    const run = await beginPrepared();
    await run.ready;
    const pids = children(here);
    writeFileSync(join(here.dataDir, "postgres", "PG_VERSION"), "12\n");
    process.kill(pids.postgres ?? Number.NaN, "SIGKILL");
    await expectOneLine(run, /Postgres died 10 times within a minute .*incompatible with server/);
    expect(Object.values(pids).filter(isRunning)).toEqual([]);
    expect(existsSync(here.envFile)).toBe(false);
  });

  test("a start that gets a signal stops", async () => {
    const run = await beginPrepared();
    await until(
      () => existsSync(join(here.dataDir, "running.json")) && Object.keys(children(here)).length > 0,
    );
    run.signal("SIGINT");
    expect(await run.exit).toBe(0);
    expect(run.err()).toBe("");
    const rest = readdirSync(here.dataDir).filter((name) => name === "running.json");
    expect(rest).toEqual([]);
  });
});
