import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKeyring, sealKey } from "../../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addAgent, addKey, lease, makeUser, pair, report } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { overHttp, secretKey } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { runKeyhubHere } from "./run-here.ts";
import { keyhubPath, runKeyhub, type ToolOptions, toolEnvironment } from "./run-tool.ts";

/* Tests the command `keyhub` with the database's address and with the project's API. Most commands run in the process of the tests. */

const PLANTED = "sk-proj-PLANTED0123456789";
const keyring = await readKeyring(JSON.stringify([pair.unsealKey]));
let db: Clone;
let project: Awaited<ReturnType<typeof overHttp>>;
let folder: string;
beforeAll(async () => {
  db = await cloneDatabase();
  project = await overHttp(db);
  folder = await mkdtemp(join(tmpdir(), "keyhub-cli-"));
});
afterAll(async () => {
  await project?.stop();
  await db?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The two ways to reach a project. Long tests try most commands with both, others with the second. By default `run` uses the first. */
const ways: [string, () => Record<string, string>][] = [
  ["by SUPABASE_DB_URL", () => ({ SUPABASE_DB_URL: db.url })],
  ["by URL and secret key", () => ({ SUPABASE_URL: project.url, SUPABASE_SECRET_KEY: secretKey })],
];

/** Runs the command, and searches its whole output for keys. */
async function run(
  args: string[],
  { env = {}, ...options }: ToolOptions = {},
  start: typeof runKeyhub = runKeyhubHere,
) {
  const bySql = ways[0]?.[1]();
  const ran = await start({
    args: ["keys", ...args],
    env: { KEYHUB_SEAL_KEY: pair.sealKey, ...(env.SUPABASE_URL ? {} : bySql), ...env },
    ...options,
  });
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/PLANTED|hpke\./);
  // There are no colours without a terminal.
  expect(`${ran.stdout}${ran.stderr}`).not.toContain("\u001b");
  return ran;
}

async function pool(user: string) {
  const rows = await db.sql`
    select key_name, provider, priority, account, key_hint, api_key_encrypted from user_api_keys where user_id = ${user} order by key_name`;
  return Promise.all(
    rows.map(async ({ api_key_encrypted, ...row }) => ({
      ...row,
      key: await keyring.open(api_key_encrypted, user),
    })),
  );
}

describe.each(LONG_TESTS ? ways : ways.slice(1))("keys add %s", (_way, settings) => {
  test("a CSV, an env file and a LiteLLM config: what is new is added, what is there is skipped", async () => {
    const user = await makeUser(db.sql);
    const env = { ...settings(), OPENAI_API_KEY: PLANTED };
    const csv = join(folder, "keys.csv");
    await writeFile(
      csv,
      `name,key,provider,priority,account\r\nmain,${PLANTED},OpenAI,10,org\r\ntwo,gsk-PLANTED,groq,,\r\n`,
    );
    const added = await run(["add", csv, "--user", user, "--json"], { env });
    expect(added).toMatchObject({ code: 0 });
    expect(added.stderr).toContain("2 added, 0 skipped");
    expect(added.stderr).toContain(`sealed to the pair ${pair.kid}`);
    expect(JSON.parse(added.stdout)).toMatchObject({
      added: [{ key_name: "main", hint: "6789" }, { key_name: "two" }],
    });
    expect(await pool(user)).toEqual([
      { key_name: "main", provider: "openai", priority: 10, account: "org", key_hint: "6789", key: PLANTED },
      { key_name: "two", provider: "groq", priority: 0, account: null, key_hint: null, key: "gsk-PLANTED" },
    ]);

    const dotenv = join(folder, ".env.production");
    await writeFile(
      dotenv,
      `OPENAI_API_KEY=${PLANTED}\nOPENAI_API_KEY_2=sk-PLANTED-2\nSMTP_PASSWORD=PLANTED\n`,
    );
    const more = await run(["add", "--from", dotenv, "--user", user], { env });
    expect(more).toMatchObject({ code: 0, stdout: expect.stringMatching(/OPENAI_API_KEY_2 .*openai/) });
    expect(more.stderr).toContain("1 added, 1 skipped");
    expect(more.stderr).toContain("left out, because they are not keys of a known provider: SMTP_PASSWORD");

    const config = join(folder, "config.yaml");
    await writeFile(
      config,
      "model_list:\n  - litellm_params: {model: openai/gpt, api_key: os.environ/OPENAI_API_KEY}\n" +
        "  - litellm_params: {model: azure/gpt, api_key: sk-PLANTED-azure, api_base: 'https://eu.example.com'}\n",
    );
    const again = await run(["add", "--from", "litellm", config, "--user", user], { env });
    expect(again, again.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("https://eu.example.com"),
    });
    expect(again.stderr).toContain("1 added, 1 skipped");
    expect(await pool(user)).toHaveLength(4);
    const [{ settings: stored } = {}] = await db.sql`
      select settings from user_api_keys where user_id = ${user} and provider = 'azure'`;
    expect(stored).toEqual({ base_url: "https://eu.example.com" });
  });

  test("lines of standard input; a dry run writes nothing", async () => {
    const user = await makeUser(db.sql);
    const args = ["add", "--user", user, "--provider", "groq", "--priority", "3", "--account", "a"];
    const input = `\uFEFF${PLANTED}\r\nsecond = sk-PLANTED-two\n\n${PLANTED}\n`;
    const dry = await run([...args, "--dry-run"], { env: settings(), input });
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("groq 6789") });
    expect(dry.stderr).toContain("2 would be added, 1 skipped");
    expect(await pool(user)).toEqual([]);
    expect(await run(args, { env: settings(), input })).toMatchObject({ code: 0 });
    const common = { provider: "groq", priority: 3, account: "a" };
    expect(await pool(user)).toMatchObject([
      { key_name: "groq 6789", key: PLANTED, ...common },
      { key_name: "second", key: "sk-PLANTED-two", ...common },
    ]);
  });

  test("all or nothing: an account of 101 keys, a line that is bad", async () => {
    const user = await makeUser(db.sql);
    const env = settings();
    const many = Array.from({ length: 101 }, (_, index) => `sk-PLANTED-${index}`).join("\n");
    const full = await run(["add", "--user", user, "--account", "org"], { env, input: many });
    expect(full).toMatchObject({ code: 1, stdout: "" });
    expect(full.stderr).toContain("an account has at most 100 keys");
    const bad = await run(["add", "--user", user], { env, input: 'sk-PLANTED\n"sk-PLANTED"\n' });
    expect(bad).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("line 2 has a key that holds"),
    });
    expect(await pool(user)).toEqual([]);
  });

  test("two operators at once add the same keys: each key is there once, and both succeed", async () => {
    const user = await makeUser(db.sql);
    const keys = Array.from({ length: 40 }, (_, index) => `sk-PLANTED-${index}`);
    const runs = await Promise.all(
      [keys, keys.toReversed()].map((input) =>
        run(["add", "--user", user, "--json"], { env: settings(), input: input.join("\n") }, runKeyhub),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(runs.reduce((all, { stdout }) => all + JSON.parse(stdout).added.length, 0)).toBe(40);
    expect(await pool(user)).toHaveLength(40);
  });
});

describe.each(LONG_TESTS ? ways : ways.slice(1))("the other commands %s", (_way, settings) => {
  test("list, pools, agents and why show the states, in tables and as JSON", async () => {
    const user = await makeUser(db.sql);
    const agent = await addAgent(db.sql, user);
    const keyId = await addKey(db.sql, user, {
      name: "tired\u001b[31m",
      provider: "openai",
      plaintext: PLANTED,
    });
    const { lease_id: leaseId } = await lease(db.as("service_role"), user, {
      tokenHash: agent.tokenHash,
    } as never);
    await report(db.as("service_role"), user, { leaseId, code: 429 });
    await addKey(db.sql, user, { name: "fresh", provider: "openai", priority: -1 });
    const env = settings();
    const list = await run(["list", "--user", user], { env });
    expect(list.stdout).toMatch(/tired\\u001b\[31m +6789 +openai +cooling_down .*rate_limited 429/);
    expect(list.stdout).toMatch(/fresh .*available/);
    const json = JSON.parse((await run(["list", "--user", user, "--json"], { env })).stdout);
    expect(json).toMatchObject([
      { key_name: "tired\u001b[31m", state: "cooling_down" },
      { key_name: "fresh", usage_count: 0 },
    ]);
    const pools = JSON.parse((await run(["pools", "--user", user, "--json"], { env })).stdout);
    expect(pools).toMatchObject([
      {
        provider: "openai",
        available: 1,
        limited: 0,
        cooling_down: 1,
        disabled: 0,
        leases_last_hour: 1,
        failures_last_hour: 1,
      },
    ]);
    expect((await run(["agents", "--user", user], { env })).stdout).toMatch(
      new RegExp(`agent +live .*${agent.id}`),
    );
    const why = await run(["why", keyId], { env });
    expect(why.stdout).toMatch(/The report that caused it\n.*\n.*rate_limited +429/);
    expect(why.stdout).toContain("The last leases");
    expect(await run(["why", "no such key"], { env })).toMatchObject({ code: 1, stdout: "" });
  });

  test("find: a leaked key by itself and by its end, in every pool, also after it was deleted; who had it; disabled at once", async () => {
    const [user, other] = [await makeUser(db.sql), await makeUser(db.sql)];
    const leaked = `${PLANTED}-${user.slice(0, 4)}`;
    const keyId = await addKey(db.sql, user, { name: "leaked", plaintext: leaked });
    const copy = await addKey(db.sql, other, { name: "copy", plaintext: leaked });
    for (let i = 0; i < 3; i += 1) await lease(db.as("service_role"), user);
    await db.sql`delete from user_api_keys where id = ${copy}`;
    const env = settings();
    const found = await run(["find", "--json"], { env, input: `${leaked}\n` });
    const keys = [
      { id: keyId, user_id: user, key_name: "leaked", state: "available" },
      { id: copy, user_id: other, key_name: "copy", state: "deleted" },
    ];
    expect(JSON.parse(found.stdout)).toMatchObject({
      keys,
      used_by: [{ key_id: keyId, agent: "the owner", leases: 3 }],
    });
    expect((await run(["find", leaked.slice(-4)], { env })).stdout).toMatch(
      /leaked[\s\S]*copy[\s\S]*Who has leased it[\s\S]*the owner +3/,
    );
    expect(await run(["find", "--disable"], { env, input: leaked })).toMatchObject({ code: 0 });
    expect(await db.sql`select is_active from user_api_keys where id = ${keyId}`).toEqual([
      { is_active: false },
    ]);
    expect(await run(["find"], { env, input: `${leaked}x` })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("no pool has this key"),
    });
  });

  test("undo: of one agent, and of a provider", async () => {
    const user = await makeUser(db.sql);
    const agent = await addAgent(db.sql, user);
    const keyId = await addKey(db.sql, user, { name: "accused", provider: "openai" });
    const accuse = async () => {
      const service = db.as("service_role");
      const [leased] = await service`
        select lease_api_key(token_hash => ${agent.tokenHash}, live_kids => ${[pair.kid]}) -> 'lease_id' as id`;
      await report(service, user, { leaseId: leased?.id, code: 403 });
      expect(await db.sql`select state from api_key_states where user_api_key_id = ${keyId}`).toEqual([
        { state: "disabled" },
      ]);
    };
    for (const args of [
      ["--agent", "agent"],
      ["--provider", "OpenAI"],
    ]) {
      await accuse();
      const undone = await run(["undo", "--user", user, "--since", "1h", ...args], { env: settings() });
      expect(undone).toMatchObject({
        code: 0,
        stderr: "1 key is back\n",
        stdout: expect.stringContaining("accused"),
      });
      expect(await db.sql`select is_active from user_api_keys where id = ${keyId}`).toEqual([
        { is_active: true },
      ]);
    }
  });
});

test("many lines of a file: ten thousand in the long form", async () => {
  const many = LONG_TESTS ? 10_000 : 200;
  const user = await makeUser(db.sql);
  const file = join(folder, "many.csv");
  const lines = Array.from({ length: many }, (_, index) => `key ${index},sk-PLANTED-${index},openai`);
  await writeFile(file, `name,key,provider\n${lines.join("\n")}\n`);
  const added = await run(["add", file, "--user", user, "--json"]);
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining(`${many} added, 0 skipped`) });
  const [row] = await db.sql`select count(*)::int as n from user_api_keys where user_id = ${user}`;
  expect(row?.n).toBe(many);
});

test("a user by e-mail address, by the database alone", async () => {
  const user = await makeUser(db.sql);
  const args = ["add", "--user", `${user.toUpperCase()}@example.test`];
  expect(await run(args, { input: PLANTED })).toMatchObject({ code: 0 });
  expect(await pool(user)).toHaveLength(1);
  const refused = await run(args, { input: PLANTED, env: ways[1]?.[1]() ?? {} });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("an e-mail address needs SUPABASE_DB_URL"),
  });
});

test("a pool with keys from before says that they have no fingerprint", async () => {
  const user = await makeUser(db.sql);
  await addKey(db.sql, user);
  const added = await run(["add", "--user", user], { input: PLANTED });
  expect(added.stderr).toContain(
    "have no fingerprint, so duplicates of them are not detected: npm run reseal",
  );
  expect(await sealKey(pair.sealKey, user, PLANTED)).toContain("#");
});

describe("refused", () => {
  test.each([
    ["no command", []],
    ["an unknown command", ["PLANTED"]],
    ["no --user", ["add"]],
    ["an unknown option", ["list", "--PLANTED"]],
    ["a key as an argument too many", ["list", "PLANTED"]],
    ["a whole key to find as an argument", ["find", PLANTED]],
    ["a priority that is none", ["add", "--user", "x", "--priority", "PLANTED"]],
    ["a key as the provider", ["add", "--user", "x", "--provider", "sk-proj-abcdefghij0123456789klmnopqrst"]],
    ["a time to come", ["undo", "--user", "x", "--since", "2999-01-01"]],
    ["a time that is none", ["undo", "--user", "x", "--since", "PLANTED"]],
    ["agent and provider", ["undo", "--user", "x", "--since", "1h", "--agent", "a", "--provider", "p"]],
  ])("%s: exit 2, one line, and no argument is repeated", async (_what, args) => {
    const ran = await run(args, { input: "sk-PLANTED" });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
  });

  test.each([
    [
      "a user that is not there",
      { args: ["add", "--user", "PLANTED@example.test"] },
      /no user of this project/,
    ],
    [
      "a file that is not there",
      { args: ["add", "PLANTED", "--user", "x"] },
      /the file cannot be read: ENOENT/,
    ],
    ["nothing on standard input", { args: ["add", "--user", "x"], input: "\n" }, /nothing was read/],
    ["no project", { args: ["list"], env: { SUPABASE_DB_URL: "" } }, /no project is named/],
    [
      "a wrong secret key",
      { args: ["list"], env: { SUPABASE_URL: "", SUPABASE_SECRET_KEY: "sb_secret_PLANTED" } },
      /refuses SUPABASE_SECRET_KEY/,
    ],
    [
      "a project that is not there",
      { args: ["list"], env: { SUPABASE_URL: "http://127.0.0.1:1", SUPABASE_SECRET_KEY: "PLANTED" } },
      /cannot be reached/,
    ],
    [
      "no database",
      { args: ["list"], env: { SUPABASE_DB_URL: "postgres://PLANTED:PLANTED@127.0.0.1:1/x" } },
      /ECONNREFUSED/,
    ],
    [
      "a seal key that is none",
      { args: ["add", "--user", "x"], env: { KEYHUB_SEAL_KEY: "PLANTED" } },
      /KEYHUB_SEAL_KEY is not a seal key/,
    ],
  ])(
    "%s: exit 1 and one line",
    async (_what, { args, env, input = "sk-PLANTED" }: ToolOptions & { args: string[] }, message) => {
      const own = env?.SUPABASE_URL === "" ? { ...env, SUPABASE_URL: project.url } : env;
      const ran = await run(args, { ...(own && { env: own }), input });
      expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
      expect(ran.stderr.trim().split("\n")).toHaveLength(1);
    },
  );

  test("a file that KEYHUB_ENV_FILE names is not completed by another project of the shell", async () => {
    const file = join(folder, "project.env");
    await writeFile(file, `SUPABASE_URL=${project.url}\nSUPABASE_SECRET_KEY=${secretKey}\n`);
    const env = { KEYHUB_ENV_FILE: file, SUPABASE_DB_URL: "postgres://nobody@127.0.0.1:1/x" };
    expect(await run(["pools", "--json"], { env })).toMatchObject({ code: 0 });
  });
});

test("a process of its own: help goes to standard output, with the settings and the exit codes, which are the process's", async () => {
  expect(await run(["PLANTED"], {}, runKeyhub)).toMatchObject({ code: 2, stdout: "" });
  const help = await run(["--help"], {}, runKeyhub);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const word of [
    "add",
    "list",
    "why",
    "find",
    "pools",
    "agents",
    "undo",
    "SUPABASE_DB_URL",
    "Exit codes",
  ])
    expect(help.stdout).toContain(word);
});

// util-linux's script(1) gives a process a terminal of its own.
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");

test.runIf(hasScript)(
  "a terminal has colours and a line of progress, and does not show a key that is typed",
  async () => {
    const user = await makeUser(db.sql);
    const inTerminal = async (command: string, typed: string) => {
      const env = {
        SUPABASE_DB_URL: db.url,
        KEYHUB_SEAL_KEY: pair.sealKey,
        TERM: "xterm-256color",
        SHELL: "/bin/sh",
      };
      const line = `'${process.execPath}' '${keyhubPath}' keys ${command}`;
      const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
        env: toolEnvironment(env),
      });
      let screen = "";
      child.stdout.setEncoding("utf8").on("data", (more) => {
        screen += more;
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      if (typed !== "") {
        await until(() => screen.includes("end with Ctrl-D"));
        child.stdin.write(`${typed}\r\u0004`);
      }
      expect(await ended).toBe(0);
      expect(screen).not.toContain("PLANTED");
      return screen;
    };
    expect(await inTerminal(`add --user ${user}`, "sk-PLANTED-typed-key")).toContain("1 added");
    expect(await inTerminal("find", "sk-PLANTED-typed-key")).toContain("Nobody has leased it.");
    expect(await inTerminal(`list --user ${user}`, "")).toContain("\u001b[32mavailable");
    const file = join(folder, "some.txt");
    await writeFile(
      file,
      Array.from({ length: 210 }, (_, index) => `sk-PLANTED-of-file-${index}`).join("\n"),
    );
    expect(await inTerminal(`add '${file}' --user ${user} --json`, "")).toContain("sealing 64 of 210");
  },
);
