import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../packages/local/src/index.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { passTime } from "../support/keys.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url).pathname;

/** Blocks that set a machine up or speak to a hosted project: run by people, and by other tests. */
const NOT_RUN_HERE = [/^npm ci/, /^npm run demo/, /^npx supabase link/];

interface Block {
  language: string;
  text: string;
}

let folder: string;
let stack: Stack;
let sql: postgres.Sql;
let blocks: Block[];
const values: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyhub-readme-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "data");
  await copyDataFolder(dataDir);
  stack = await startStack({ dataDir });
  sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  values.user_id = stack.env.KEYHUB_DEMO_USER_ID ?? "";
  const [hidden] = await sql`select id, creator_id from hub_assets where is_hidden`;
  values.asset_id = hidden?.id;
  values.creator_id = hidden?.creator_id;
  const readme = await readFile(join(root, "README.md"), "utf8");
  blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
});
afterAll(async () => {
  await sql?.end();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const filled = (text: string) =>
  text.replace(/<(\w+)>/g, (whole, name: string) => {
    if (values[name] === undefined) throw new Error(`nothing to put for ${whole}`);
    return values[name];
  });

/** The shape of a JSON value: its keys and the types below them. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .sort()
        .map(([key, below]) => [key, shape(below)]),
    );
  }
  return typeof value;
}

/** A block of JavaScript after the first one, which signs in; gives what it prints. */
async function runScript(first: string, text: string): Promise<string> {
  // Beside the packages, as in a project of one's own.
  const file = join(root, "node_modules", `.readme-${process.pid}.mjs`);
  await writeFile(file, `${first}\n${text}`);
  try {
    const { stdout } = await run(process.execPath, [file], { env: { ...process.env, ...stack.env } });
    return stdout;
  } finally {
    await rm(file);
  }
}

test("every command, answer and statement of the README works as it is written, in its order", async () => {
  // What a block sets is there for the next, as in one terminal.
  const kept = join(folder, "variables");
  const keepVariables = `'${process.execPath}' -p 'JSON.stringify(process.env)' > '${kept}'`;
  let variables: Record<string, string> = {};
  const ran = { curl: 0, sh: 0, sql: 0, js: 0 };
  const signIn = blocks.find(({ language }) => language === "js")?.text ?? "";
  for (const [index, { language, text }] of blocks.entries()) {
    if (language === "sql") {
      const rows = await sql.unsafe(filled(text));
      expect(rows.count, text).toBeGreaterThan(0);
      ran.sql += 1;
    }
    if (language === "js" && text !== signIn) {
      const answer = JSON.parse(await runScript(signIn, text));
      expect(answer, text).toEqual(JSON.parse(blocks[index + 1]?.text ?? ""));
      ran.js += 1;
    }
    if (language !== "sh" || NOT_RUN_HERE.some((pattern) => pattern.test(text))) continue;
    const { stdout } = await run("sh", ["-c", `set -a\n${filled(text)}\n${keepVariables}`], {
      cwd: root,
      env: {
        ...process.env,
        ...stack.env,
        KEYHUB_ENV_FILE: join(folder, "none"),
        PROVIDER_KEY: "sk-from-the-readme",
        ...variables,
      },
    });
    variables = JSON.parse(await readFile(kept, "utf8"));
    const next = blocks[index + 1];
    if (next?.language === "json") {
      const answer = JSON.parse(stdout);
      expect(shape(answer), text).toEqual(shape(JSON.parse(next.text)));
      for (const name of ["lease_id", "key_id", "scan_token"])
        if (typeof answer[name] === "string") values[name] = answer[name];
      // What is said of the block of half a minute comes later, after more than that on a slow machine.
      if (answer.effect === "cooled") await passTime(sql, answer.key_id, -3600);
      ran.curl += 1;
    } else {
      const sealed = /hpke\.v1\.\S+/.exec(stdout)?.[0];
      if (sealed !== undefined) values.sealed = sealed;
      expect(stdout).not.toContain("sk-from-the-readme");
      if (text.startsWith("curl")) expect(JSON.parse(stdout), text).toHaveProperty("permalink");
      ran.sh += 1;
    }
  }
  expect(ran).toEqual({ curl: 10, sh: 6, sql: 24, js: 6 });
});
