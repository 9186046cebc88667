import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyMask } from "../../packages/core/src/rotate/index.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Returns the output of a mask for a text in pieces of these lengths in bytes. With `isDecoded`, the mask also gets each piece as text. */
function through(key: string, text: string, cuts: number[], isDecoded: boolean): string {
  const mask = new KeyMask(key);
  const decoder = new TextDecoder();
  const bytes = encode(text);
  const out: number[] = [];
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    const piece = bytes.slice(at, at + cut);
    const decoded = isDecoded ? decoder.decode(piece, { stream: true }) : undefined;
    out.push(...mask.push(piece, decoded));
    at += cut;
  }
  out.push(...mask.end());
  return new TextDecoder().decode(new Uint8Array(out));
}

test("a key is masked wherever the text is cut; everything else passes as it was", () => {
  const piece = fc.constantFrom("sk-aab", "sk-a", "a", "sk-", "-", "é", " ", "sk-aasks");
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(5)), fc.boolean(), (pieces, cuts, isDecoded) => {
      const text = pieces.join("");
      expect(through("sk-aab", text, cuts, isDecoded)).toBe(text.replaceAll("sk-aab", "******"));
    }),
    { numRuns: 300 },
  );
});

test("only what may be the beginning of a key is held back", () => {
  const mask = new KeyMask("sk-secret");
  const push = (text: string) => new TextDecoder().decode(mask.push(encode(text)));
  expect([push("data: x\n\n"), push("sk"), push("ip s"), push("k-secret!")]).toEqual([
    "data: x\n\n",
    "",
    "skip ",
    "*********!",
  ]);
});
