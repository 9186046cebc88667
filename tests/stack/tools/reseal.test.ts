import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  generateSealPair,
  type Keyring,
  readKeyring,
  sealedKid,
} from "../../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, pair as oldPair, report } from "../../support/keys.ts";
import { runTool } from "./run-tool.ts";

const newPair = await generateSealPair();
let database: Clone;
let both: Keyring;
beforeAll(async () => {
  database = await cloneDatabase();
  both = await readKeyring(JSON.stringify([newPair.unsealKey, oldPair.unsealKey]));
});
afterAll(() => database.drop());
beforeEach(() => database.sql`truncate user_api_keys cascade`);

function reseal(env: Record<string, string> = {}, args: string[] = []) {
  return runTool("reseal", {
    args,
    env: {
      SUPABASE_DB_URL: database.url,
      KEYHUB_SEAL_KEY: newPair.sealKey,
      KEYHUB_UNSEAL_KEYS: JSON.stringify([newPair.unsealKey, oldPair.unsealKey]),
      ...env,
    },
  });
}

async function stored(): Promise<{ kid: string | null; key: string | null; name: string }[]> {
  const rows =
    await database.sql`select user_id, key_name, api_key_encrypted from user_api_keys order by key_name`;
  return Promise.all(
    rows.map(async (row) => ({
      name: row.key_name,
      kid: sealedKid(row.api_key_encrypted),
      key: await both.open(row.api_key_encrypted, row.user_id),
    })),
  );
}

describe("reseal", () => {
  test("moves every row of every user over, and a second run finds nothing to do", async () => {
    const names = Array.from({ length: 250 }, (_, index) => `key-${String(index).padStart(3, "0")}`);
    const users = [await makeUser(database.sql), await makeUser(database.sql)];
    for (const [index, name] of names.entries()) {
      await addKey(database.sql, users[index % 2] ?? "", { name, plaintext: `sk-${name}` });
    }
    expect(await reseal()).toEqual({
      code: 0,
      stderr: "",
      stdout: "250 re-sealed, 0 already newest, 0 cannot be opened\n",
    });
    expect(await stored()).toEqual(names.map((name) => ({ name, kid: newPair.kid, key: `sk-${name}` })));
    const before = await database.sql`select id, api_key_encrypted from user_api_keys order by id`;
    const again = await reseal();
    expect(again).toMatchObject({ code: 0, stdout: "0 re-sealed, 250 already newest, 0 cannot be opened\n" });
    expect(await database.sql`select id, api_key_encrypted from user_api_keys order by id`).toEqual(before);
  });

  test("is no news about a key: block, count of failures, generation and open leases stand", async () => {
    const user = await makeUser(database.sql);
    const key = await addKey(database.sql, user, { plaintext: "sk-blocked" });
    const [first, second] = [await lease(database.sql, user), await lease(database.sql, user)];
    await report(database.sql, user, { leaseId: first.lease_id, code: 429 });
    const before = await health(database.sql, key);
    expect((await reseal()).code).toBe(0);
    const after = await health(database.sql, key);
    expect({ ...after, seconds: 0 }).toEqual({ ...before, seconds: 0 });
    expect(after).toMatchObject({ state: "cooling_down", consecutive_failures: 1, generation: 1 });
    // A lease from before the reseal is not stale.
    const late = await report(database.sql, user, { leaseId: second.lease_id, code: 403 });
    expect(late).toMatchObject({ effect: "disabled" });
  });

  test("lists what cannot be opened by id and name, moves the rest, exits 1", async () => {
    const user = await makeUser(database.sql);
    await addKey(database.sql, user, { name: "good", plaintext: "sk-good" });
    const lost = await addKey(database.sql, user, { name: 'lost "\u001b[31m', kid: "gone" });
    const swapped = await addKey(database.sql, user, { name: "swapped", plaintext: "sk-swapped" });
    await database.sql`update user_api_keys set user_id = ${await makeUser(database.sql)} where id = ${swapped}`;
    const run = await reseal();
    expect(run).toMatchObject({ code: 1, stderr: "" });
    const [counts, ...listed] = run.stdout.trim().split("\n");
    expect(counts).toBe("1 re-sealed, 0 already newest, 2 cannot be opened");
    expect(listed.sort()).toEqual(
      [
        `  cannot be opened: ${lost} "lost \\"\\u001b[31m"`,
        `  cannot be opened: ${swapped} "swapped"`,
      ].sort(),
    );
    expect(run.stdout).not.toContain("hpke.");
    expect((await stored()).map(({ kid }) => kid)).toEqual([newPair.kid, "gone", oldPair.kid]);
  });

  test("goes along with an operator who pastes new texts meanwhile: none is lost", async () => {
    const user = await makeUser(database.sql);
    const ids: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      ids.push(await addKey(database.sql, user, { name: `key-${index}`, plaintext: `sk-first-${index}` }));
    }
    // A lock on the first row stops the tool after it has opened the old text.
    const [first = ""] = [...ids].sort();
    const other = await addKey(database.sql, user, { name: "other", plaintext: "sk-second" });
    const [spare] = await database.sql`select api_key_encrypted from user_api_keys where id = ${other}`;
    let run: ReturnType<typeof reseal> | undefined;
    await database.sql.begin(async (tx) => {
      await tx`update user_api_keys set api_key_encrypted = ${spare?.api_key_encrypted} where id = ${first}`;
      run = reseal();
      for (let waiting = 0; waiting === 0; ) {
        const [row] = await database.sql`
          select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        waiting = row?.n ?? 0;
      }
    });
    expect(await run).toMatchObject({
      code: 0,
      stdout: "41 re-sealed, 0 already newest, 0 cannot be opened\n",
    });
    const rows = await database.sql`select id, api_key_encrypted from user_api_keys where id = ${first}`;
    expect(await both.open(rows[0]?.api_key_encrypted, user)).toBe("sk-second");
    expect((await stored()).every(({ kid }) => kid === newPair.kid)).toBe(true);
  });
});
