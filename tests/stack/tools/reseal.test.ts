import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  fingerprintOf,
  generateSealPair,
  type Keyring,
  readKeyring,
  sealedKid,
  sealKey,
} from "../../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, pair as oldPair, report } from "../../support/keys.ts";
import { until } from "../../support/until.ts";
import { runToolHere } from "./run-here.ts";

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
  return runToolHere("reseal", {
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
    const names = Array.from({ length: 120 }, (_, index) => `key-${String(index).padStart(3, "0")}`);
    const users = [await makeUser(database.sql), await makeUser(database.sql)];
    for (const [index, name] of names.entries()) {
      await addKey(database.sql, users[index % 2] ?? "", { name, plaintext: `sk-${name}` });
    }
    expect(await reseal()).toEqual({
      code: 0,
      stderr: "",
      stdout: "120 re-sealed, 0 already newest, 0 cannot be opened\n",
    });
    expect(await stored()).toEqual(names.map((name) => ({ name, kid: newPair.kid, key: `sk-${name}` })));
    const before = await database.sql`select id, api_key_encrypted from user_api_keys order by id`;
    const again = await reseal();
    expect(again).toMatchObject({ code: 0, stdout: "0 re-sealed, 120 already newest, 0 cannot be opened\n" });
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

  test("fills fingerprint and hint of rows from before, also of those sealed to the newest pair; a key that is there twice is named", async () => {
    const user = await makeUser(database.sql);
    const bare = async (name: string, sealKeyText: string, key: string) => {
      const [text = ""] = (await sealKey(sealKeyText, user, key)).split("#");
      const [row] = await database.sql`
        insert into user_api_keys (user_id, key_name, api_key_encrypted) values (${user}, ${name}, ${text}) returning id`;
      return row?.id as string;
    };
    const keys = { old: "sk-0123456789-old", new: "sk-0123456789-new" };
    await bare("old", oldPair.sealKey, keys.old);
    await bare("new", newPair.sealKey, keys.new);
    await addKey(database.sql, user, { name: "first", plaintext: "sk-twice" });
    const second = await bare("second", oldPair.sealKey, "sk-twice");
    const twice = `  the pool has this key a second time: ${second} "second"; delete one of the two\n`;
    const run = await reseal();
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^4 re-sealed, 0 already newest, 0 cannot be opened\n/);
    const rows =
      await database.sql`select key_name, fingerprint, key_hint from user_api_keys order by key_name`;
    expect(rows).toEqual([
      { key_name: "first", fingerprint: await fingerprintOf(user, "sk-twice"), key_hint: null },
      { key_name: "new", fingerprint: await fingerprintOf(user, keys.new), key_hint: "-new" },
      { key_name: "old", fingerprint: await fingerprintOf(user, keys.old), key_hint: "-old" },
      { key_name: "second", fingerprint: null, key_hint: null },
    ]);
    expect((await stored()).map(({ kid, key }) => [kid, key])).toEqual(
      ["sk-twice", keys.new, keys.old, "sk-twice"].map((key) => [newPair.kid, key]),
    );
    expect(await reseal()).toEqual({
      code: 0,
      stderr: "",
      stdout: `0 re-sealed, 3 already newest, 0 cannot be opened\n${twice}`,
    });
  });

  test.each([1, 40])(
    "goes along with an operator who pastes a new text meanwhile, in a pool of %i: none is lost",
    async (keys) => {
      const user = await makeUser(database.sql);
      const ids: string[] = [];
      for (let index = 0; index < keys; index += 1) {
        ids.push(await addKey(database.sql, user, { name: `key-${index}`, plaintext: `sk-first-${index}` }));
      }
      // A lock on the first row stops the tool after it has opened the old text.
      const [first = ""] = [...ids].sort();
      const second = await sealKey(oldPair.sealKey, user, "sk-second");
      let run: ReturnType<typeof reseal> | undefined;
      let hasEnded = false;
      await database.sql.begin(async (tx) => {
        await tx`update user_api_keys set api_key_encrypted = ${second} where id = ${first}`;
        run = reseal().finally(() => {
          hasEnded = true;
        });
        await until(async () => {
          const waiting = await database.sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          return waiting.length > 0 || hasEnded;
        });
      });
      expect(await run).toMatchObject({
        code: 0,
        stdout: `${keys} re-sealed, 0 already newest, 0 cannot be opened\n`,
      });
      const rows = await database.sql`select id, api_key_encrypted from user_api_keys where id = ${first}`;
      expect(await both.open(rows[0]?.api_key_encrypted, user)).toBe("sk-second");
      expect((await stored()).every(({ kid }) => kid === newPair.kid)).toBe(true);
    },
  );
});
