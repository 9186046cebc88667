import { expect, test } from "vitest";
import { withDatabase } from "../../packages/local/src/index.ts";
import { copyDataFolder } from "../support/data-folder.ts";
import { begin, here, lease } from "./fixture.ts";
import { readEnv } from "./scratch.ts";
import { runTool } from "./tools/run-tool.ts";

/** Returns the ids of the pair that seals, of the pairs that open, and of the pairs to which the rows are sealed. */
async function pairs(): Promise<{ seals: string; open: string[]; rows: string[] }> {
  const env = readEnv(here);
  const rows = await withDatabase(
    env.SUPABASE_DB_URL ?? "",
    (sql) => sql<{ kid: string }[]>`select distinct sealed_kid as kid from public.user_api_keys`,
  );
  const open = JSON.parse(env.KEYHUB_UNSEAL_KEYS ?? "") as { kid: string }[];
  return {
    seals: env.KEYHUB_SEAL_KEY?.split(".")[0] ?? "",
    open: open.map(({ kid }) => kid),
    rows: rows.map(({ kid }) => kid),
  };
}

async function servedKey(): Promise<string> {
  // Gemini has only one key here, so that each lease gives the same key.
  const { api_key } = await (await lease("gemini")).json();
  return api_key;
}

test("--new-seal-pair: old rows are served, reseal moves them, and they are served", async () => {
  // The copied folder is that of a stack that has started once: that start sealed the rows with the old pair.
  await copyDataFolder(here.dataDir);
  const second = begin(["--new-seal-pair"]);
  await second.ready;
  const { seals, open, rows } = await pairs();
  const [old] = rows;
  expect(old).not.toBe(seals);
  expect({ open, rows }).toEqual({ open: [seals, old], rows: [old] });
  const said = second.out().match(/^.*seal pair.*$/gim);
  expect(said).toEqual([expect.stringMatching(new RegExp(`^Seal pair ${seals} is new.*npm run reseal$`))]);
  const key = await servedKey();
  expect(key).toMatch(/^sk-demo-gemini/);

  const moved = await runTool("reseal", { env: { KEYHUB_ENV_FILE: here.envFile } });
  expect(moved).toEqual({
    code: 0,
    stderr: "",
    stdout: "4 re-sealed, 0 already newest, 0 cannot be opened\n",
  });
  expect(await servedKey()).toBe(key);
  expect(await pairs()).toEqual({ seals, open: [seals, old], rows: [seals] });
  second.signal("SIGINT");
  await second.exit;

  // A start without --new-seal-pair does not change the pair.
  const third = begin();
  await third.ready;
  expect(await servedKey()).toBe(key);
  expect(await pairs()).toEqual({ seals, open: [seals, old], rows: [seals] });
});
