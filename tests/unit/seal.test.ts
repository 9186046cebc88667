import { createHash, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fingerprintOf,
  generateSealPair,
  hintOf,
  readKeyring,
  sealedKid,
  sealKey,
} from "../../packages/core/src/keys/seal.ts";

const pair = await generateSealPair();
const ring = await readKeyring(JSON.stringify([pair.unsealKey]));

describe("sealing", () => {
  test("what is sealed for a user opens for that user, whatever the text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: "grapheme" }), fc.uuid(), async (key, user) => {
        const sealed = await sealKey(pair.sealKey, user, key);
        expect(sealed).toMatch(/^hpke\.v1\.[0-9a-f]{8}\.[\w-]{43}\.[\w-]{23,}#[0-9a-f]{32}\.([\w*-]{4})?$/);
        expect(sealedKid(sealed)).toBe(pair.kid);
        expect(await ring.open(sealed, user.toUpperCase())).toBe(key);
        // The database stores the text without the part after the "#", so that form opens, too.
        expect(await ring.open(sealed.split("#")[0] ?? "", user)).toBe(key);
      }),
      { numRuns: 40 },
    );
  });

  test("the same key sealed twice gives two texts", async () => {
    const user = randomUUID();
    expect(await sealKey(pair.sealKey, user, "sk")).not.toBe(await sealKey(pair.sealKey, user, "sk"));
  });

  test("another owner, another pair, a changed character, garbage: not opened, and nothing is thrown", async () => {
    const user = randomUUID();
    const sealed = await sealKey(pair.sealKey, user, "sk-secret");
    const other = await readKeyring(JSON.stringify([(await generateSealPair()).unsealKey]));
    const [text = ""] = sealed.split("#");
    const flipped = `${text.slice(0, -2)}${text.endsWith("AA") ? "BB" : "AA"}`;
    expect(await ring.open(sealed, randomUUID())).toBeNull();
    expect(await other.open(sealed, user)).toBeNull();
    for (const text of [flipped, "", "hpke.v1", sealed.replace(".v1.", ".v2."), `${sealed}=`]) {
      expect(await ring.open(text, user)).toBeNull();
    }
  });

  test("a fingerprint is SHA-256 over purpose, owner and key; the hint the end of a long key", async () => {
    const user = randomUUID();
    const key = "sk-proj-0123456789abcdef";
    const digest = createHash("sha256").update(`keyhub-fingerprint:v1:${user}:${key}`).digest("hex");
    expect(await fingerprintOf(user.toUpperCase(), key)).toBe(digest.slice(0, 32));
    expect(await fingerprintOf(randomUUID(), key)).not.toBe(digest.slice(0, 32));
    expect((await sealKey(pair.sealKey, user, key)).split("#")[1]).toBe(`${digest.slice(0, 32)}.cdef`);
    expect(["fifteen-letters", "sixteen--letters", "0123456789abcd=='\""].map(hintOf)).toEqual([
      "",
      "ters",
      "****",
    ]);
  });

  test("a text whose fingerprint is of another key is not opened, wherever the fingerprint stands", async () => {
    const user = randomUUID();
    const sealed = await sealKey(pair.sealKey, user, "sk-one");
    const other = await fingerprintOf(user, "sk-two");
    const [text = ""] = sealed.split("#");
    expect(await ring.open(`${text}#${other}.`, user)).toBeNull();
    expect(await ring.open(text, user, other)).toBeNull();
    expect(await ring.open(text, user, await fingerprintOf(user, "sk-one"))).toBe("sk-one");
    expect(await ring.open(text, user, null)).toBe("sk-one");
  });

  test("several private keys are live side by side", async () => {
    const newer = await generateSealPair();
    const both = await readKeyring(JSON.stringify([newer.unsealKey, pair.unsealKey]));
    expect(both.kids).toEqual([newer.kid, pair.kid]);
    const user = randomUUID();
    expect(await both.open(await sealKey(pair.sealKey, user, "old"), user)).toBe("old");
    expect(await both.open(await sealKey(newer.sealKey, user, "new"), user)).toBe("new");
  });

  test("malformed settings are refused in words that repeat nothing of them", async () => {
    const message = async (work: () => Promise<unknown>) =>
      work().then(
        () => "",
        (error: Error) => error.message,
      );
    for (const bad of [
      "",
      "{}",
      "[]",
      "secret-text",
      '[{"kid":"a"}]',
      '[{"kid":"a.b","key":"secret-text"}]',
    ]) {
      const text = await message(() => readKeyring(bad));
      expect(text).toContain("npm run keygen");
      expect(text).not.toContain("secret-text");
    }
    expect(await message(() => sealKey("secret-text", randomUUID(), "sk-key"))).toMatch(
      /^KEYHUB_SEAL_KEY is not a seal key/,
    );
  });
});
