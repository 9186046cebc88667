import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateSealPair, readKeyring, sealedKid } from "../../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser, pair as oldPair } from "../../support/keys.ts";
import { runToolHere } from "./run-here.ts";

const newPair = await generateSealPair();
let database: Clone;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

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

describe("reseal refuses", () => {
  test("when the functions could not open the result, unless forced", async () => {
    const user = await makeUser(database.sql);
    await addKey(database.sql, user, { name: "key", plaintext: "sk-key" });
    const without = { KEYHUB_UNSEAL_KEYS: JSON.stringify([oldPair.unsealKey]) };
    const namesake = {
      KEYHUB_UNSEAL_KEYS: JSON.stringify([{ ...oldPair.unsealKey, kid: newPair.kid }, oldPair.unsealKey]),
    };
    for (const env of [without, namesake]) {
      const refused = await reseal(env);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/does not hold the private key of KEYHUB_SEAL_KEY.*--force/);
    }
    const text = async () =>
      (await database.sql`select api_key_encrypted as text from user_api_keys`)[0]?.text;
    expect(sealedKid(await text())).toBe(oldPair.kid);
    expect(await reseal(without, ["--force"])).toMatchObject({ code: 0 });
    const opened = (await readKeyring(JSON.stringify([newPair.unsealKey]))).open(await text(), user);
    expect(await opened).toBe("sk-key");
  });

  test.each([
    ["SUPABASE_DB_URL", "", /SUPABASE_DB_URL is not set/],
    ["SUPABASE_DB_URL", "SECRET", /SUPABASE_DB_URL is not a Postgres URL/],
    ["SUPABASE_DB_URL", "postgres://postgres:SECRET@127.0.0.1:1/postgres", /ECONNREFUSED/],
    ["KEYHUB_SEAL_KEY", "", /KEYHUB_SEAL_KEY is not set/],
    ["KEYHUB_SEAL_KEY", "SECRET", /KEYHUB_SEAL_KEY is not a seal key/],
    ["KEYHUB_UNSEAL_KEYS", "", /KEYHUB_UNSEAL_KEYS is not set/],
    ["KEYHUB_UNSEAL_KEYS", "SECRET", /KEYHUB_UNSEAL_KEYS is not a JSON list/],
  ])("says in one line what is wrong with %s = '%s'", async (name, value, message) => {
    const run = await reseal({ [name]: value });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(message);
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
    expect(run.stderr).not.toContain("SECRET");
  });

  test("says that the migrations are missing", async () => {
    const bare = await cloneDatabase("template0");
    try {
      const run = await reseal({ SUPABASE_DB_URL: bare.url });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(/apply the migrations/);
    } finally {
      await bare.drop();
    }
  });
});
