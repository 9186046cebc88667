import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test, vi } from "vitest";
import { type DrawingParts, draw } from "../../../packages/web/src/drawing/drawing.ts";
import { oneAtATime } from "../../../packages/web/src/drawing/one-at-a-time.ts";
import { drawableTitle, sketched } from "../../../packages/web/src/parts/poster/drawable.ts";
import { LinkPicture } from "../../../packages/web/src/parts/poster/link-picture.tsx";
import { renderXml } from "../../../packages/web/src/render.tsx";
import { LONG_TESTS } from "../../support/long-tests.ts";

const { resolve } = createRequire(new URL("../../../packages/web/build.ts", import.meta.url));
const FONTS = ["400Regular/Inter_400Regular", "700Bold/Inter_700Bold"].map((name) =>
  readFileSync(resolve(`@expo-google-fonts/inter/${name}.ttf`)),
);
const wasm = readFileSync(resolve("@resvg/resvg-wasm/index_bg.wasm"));

/** Returns the code points that a font has letters for, by its table `cmap` in format 12. */
function lettersOf(font: Buffer): Set<number> {
  const tables = font.readUInt16BE(4);
  const at = Array.from({ length: tables }, (_, n) => 12 + 16 * n).find(
    (entry) => font.toString("latin1", entry, entry + 4) === "cmap",
  );
  const cmap = font.readUInt32BE((at ?? 0) + 8);
  const maps = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, n) => cmap + font.readUInt32BE(cmap + 8 + 8 * n),
  );
  const map = maps.find((start) => font.readUInt16BE(start) === 12) ?? 0;
  const letters = new Set<number>();
  for (let n = 0; n < font.readUInt32BE(map + 12); n += 1) {
    const group = map + 16 + 12 * n;
    for (let code = font.readUInt32BE(group); code <= font.readUInt32BE(group + 4); code += 1)
      letters.add(code);
  }
  return letters;
}

const svgOf = (title: string, content = title) =>
  sketched(
    renderXml(
      LinkPicture({
        asset: {
          asset_type: "template",
          slug: "a",
          title,
          creator: { username: "ada" },
          payload: { content },
        },
      }),
    ),
  );

const parts = async (): Promise<DrawingParts> => ({ wasm, fonts: FONTS });

test("every letter that is drawn is in both fonts", () => {
  const [regular, bold] = FONTS.map(lettersOf);
  const missing: string[] = [];
  for (let code = 0x20; code < 0x1ffff; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCodePoint(code);
    if (sketched(letter) === letter && !(regular?.has(code) && bold?.has(code)))
      missing.push(code.toString(16));
  }
  expect(missing).toEqual([]);
  expect(sketched("Größe, Ελλάδα, Русский – “ok” 100 €…")).toBe("Größe, Ελλάδα, Русский – “ok” 100 €…");
});

test("letters that the font lacks are strokes in the poster, and a title of them is the type", () => {
  expect(sketched("Minutes 会議 🎉 of")).toBe("Minutes ——  of");
  expect([
    drawableTitle("Minutes 会議 🎉 of today"),
    drawableTitle("会議の議事録 v2"),
    drawableTitle("🎉"),
  ]).toEqual([...["Minutes of today", null, null]]);
  expect(svgOf("会議の議事録")).toMatch(/>Template<\/text>/);
  expect(svgOf("محضر")).not.toContain("rtl");
});

const TITLES: [name: string, title: string][] = [
  ["markup", "</text><script>alert(1)</script>"],
  ["Japanese", "会議の議事録"],
  ["what XML escapes", "&amp; ]]> <!-- \u0001"],
  ["marks without end", `a${"\u0301".repeat(100)}`],
];
const MORE_TITLES: typeof TITLES = [
  ["Arabic", "محضر الاجتماع"],
  ["signs alone", "🎉🎉🎉"],
  ["one letter", "A"],
  ["one long word", "x".repeat(120)],
];

test.each([...TITLES, ...(LONG_TESTS ? MORE_TITLES : [])])(
  "a title of %s is a PNG of 1200 × 630",
  async (_, title) => {
    const svg = svgOf(title);
    expect(svg).not.toContain("<script");
    const png = Buffer.from(await draw(svg, svg, parts));
    expect([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
      "PNG",
      1200,
      630,
    ]);
  },
);

const bytesOf = (length: number) => vi.fn(async () => new Uint8Array(length));

test("what was made is kept, so many bytes of it, the last asked for", async () => {
  const inTurn = oneAtATime({ keptBytes: 100, mostWaiting: 3 });
  const first = await inTurn("first", bytesOf(40));
  const second = await inTurn("second", bytesOf(40));
  expect(await inTurn("first", bytesOf(1))).toBe(first);
  // A third picture is too many, so the least recently used one is dropped.
  await inTurn("third", bytesOf(40));
  expect(await inTurn("first", bytesOf(1))).toBe(first);
  const again = bytesOf(40);
  expect(await inTurn("second", again)).not.toBe(second);
  expect(again).toHaveBeenCalledTimes(1);
  // A result larger than the whole limit is returned, and replaces all the others.
  expect((await inTurn("large", bytesOf(200))).byteLength).toBe(200);
});

test("few wait for their turn, the others are refused at once; a failure stops nobody", async () => {
  const inTurn = oneAtATime({ keptBytes: 100, mostWaiting: 3 });
  let [running, most] = [0, 0];
  const make = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    return new Uint8Array(1);
  };
  const names = ["a", "a", "b", "c", "d"];
  const all = await Promise.allSettled(names.map((name) => inTurn(name, make)));
  expect(all.map(({ status }) => status)).toEqual([
    ...Array(3).fill("fulfilled"),
    ...Array(2).fill("rejected"),
  ]);
  expect(all.at(-1)).toMatchObject({ reason: { name: "NotDrawn" } });
  expect(most).toBe(1);
  const broken = inTurn("e", () => Promise.reject(new Error("broken")));
  const next = inTurn("f", make);
  await expect(broken).rejects.toThrow("broken");
  await expect(next).resolves.toBeInstanceOf(Uint8Array);
  await expect(draw("g", svgOf("G"), undefined)).rejects.toMatchObject({ name: "NotDrawn" });
});
