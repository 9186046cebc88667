import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { identifyCaller } from "../../supabase/functions/_shared/caller.ts";

/** Returns tokens that no other file uses, because the process may have hashed those of other files before. */
const token = (i: number) => `kh_agent_${"ca11e7".repeat(8)}${i.toString(16).padStart(16, "0")}`;

async function hashOf(i: number): Promise<unknown> {
  const request = new Request("http://caller.test", { headers: { Authorization: `Bearer ${token(i)}` } });
  return identifyCaller(request, { callRpc: () => Promise.reject(), verifyToken: () => Promise.reject() });
}

test("a token is hashed once, and forgotten when a thousand others have come", async () => {
  const hashed = vi.spyOn(crypto.subtle, "digest");
  const expected = (i: number) => ({
    caller: { token_hash: createHash("sha256").update(token(i)).digest("hex") },
  });
  expect(await hashOf(0)).toMatchObject(expected(0));
  expect(await hashOf(0)).toMatchObject(expected(0));
  expect(hashed).toHaveBeenCalledTimes(1);
  for (let i = 1; i <= 1_000; i += 1) expect(await hashOf(i)).toMatchObject(expected(i));
  expect(await hashOf(0)).toMatchObject(expected(0));
  expect(hashed).toHaveBeenCalledTimes(1_002);
  hashed.mockRestore();
});
