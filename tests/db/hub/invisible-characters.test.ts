import { afterAll, beforeAll, expect, test } from "vitest";
import { hasBreaksOrInvisible, hasInvisibleCharacters } from "../../../packages/core/src/hub/index.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

/** The texts before and after a character: nothing, Latin letters, Persian ones, Hindi ones, emoji, a keycap's digit. */
const places = [
  ["", ""],
  ["a", "b"],
  ["\u0645\u06cc", "\u062e"],
  ["\u0915\u094d", "\u0937"],
  ["\u{1f468}", "\u{1f469}"],
  ["\u2764\ufe0f", "\u{1f525}"],
  ["1", "\u20e3"],
  ["1", "0"],
  ["\u{1f600}", ""],
] as const;

/**
 * Lists the first two planes of Unicode, the parts of other planes that may be invisible, and samples of the rest. Returns every `step`th
 * character of this list, and all characters whose code ends in 20xx or fexx (hexadecimal).
 */
function characters(step: number): number[] {
  const codes: number[] = [];
  const range = (first: number, last: number, by = 1) => {
    for (let n = first; n <= last; n += by) codes.push(n);
  };
  range(1, 55_295);
  // Halves of surrogate pairs are not characters.
  range(57_344, 131_071);
  range(131_072, 1_114_111, 997);
  range(917_504, 921_700);
  for (let plane = 2; plane <= 16; plane += 1) range((plane << 16) + 65_530, (plane << 16) + 65_535);
  return codes.filter((n, i) => i % step === 0 || (n & 0xff00) === 0x2000 || (n & 0xff00) === 0xfe00);
}

test.each(places)(
  "core and the database say the same of each character between %j and %j",
  async (before, after) => {
    // Some characters, and all whose code ends in 20xx or fexx: many invisible ones are among these.
    const codes = characters(LONG_TESTS ? 97 : 389);
    const [row] = await db.sql<{ line: number[]; text: number[] }[]>`
    select
      array_agg(n order by place) filter (where private.has_breaks_or_invisible(t)) as line,
      array_agg(n order by place) filter (where private.has_invisible_characters(t)) as text
    from (
      select n, place, ${before} || chr(n) || ${after} as t
      from unnest(${codes}::int[]) with ordinality c (n, place)
    ) s`;
    const here = (judge: (text: string) => boolean) =>
      codes.filter((n) => judge(before + String.fromCodePoint(n) + after));
    expect(row?.line).toEqual(here(hasBreaksOrInvisible));
    expect(row?.text).toEqual(here(hasInvisibleCharacters));
  },
);

test("core and the database say the same of every character between letters", async () => {
  const all = characters(1).map((n) => `a${String.fromCodePoint(n)}b`);
  const [refused, taken]: [string[], string[]] = [[], []];
  for (const text of all)
    (hasBreaksOrInvisible(text) || hasInvisibleCharacters(text) ? refused : taken).push(text);
  const rows = await db.sql<{ text: string; line: boolean; inText: boolean }[]>`
    select text, private.has_breaks_or_invisible(text) as line, private.has_invisible_characters(text) as "inText"
    from unnest(${refused}::text[]) text`;
  expect(rows.map(({ text, line, inText }) => [text, line, inText])).toEqual(
    refused.map((text) => [text, hasBreaksOrInvisible(text), hasInvisibleCharacters(text)]),
  );

  // Many characters are tested in one text: if the text is accepted, none of them is refused.
  const texts = Array.from({ length: Math.ceil(taken.length / 100) }, (_, i) =>
    taken.slice(100 * i, 100 * (i + 1)).join(" "),
  );
  const wrong = await db.sql`
    select text from unnest(${texts}::text[]) text
    where private.has_breaks_or_invisible(text) or private.has_invisible_characters(text)`;
  expect([...wrong]).toEqual([]);
});

/**
 * VISIBLE has the signs before numbers, which are visible in spite of their properties. BY_PLACE has joiners and the two selectors of
 * emoji: their position decides whether they are refused.
 */
const VISIBLE = /[\u0600-\u0605\u06dd\u070f\u0890-\u0891\u08e2\u{110bd}\u{110cd}]/u;
const BY_PLACE = /\u200c|\u200d|\ufe0e|\ufe0f/;
/** Blank letters, and marks that join other characters or mark them as damaged. */
const BLANK = /[\u2800\u{1107f}\u{13440}-\u{13455}\u{16fe4}\u{1d159}\ufffc\u2028\u2029]/u;
const INVISIBLE =
  /[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]|(?![\t\n\r])\p{Cc}|[\ud7c7-\ud7ca\ud7fc-\ud7ff]/u;

test("core refuses between letters what is invisible by its Unicode properties", () => {
  const [missing, wrong]: [string[], string[]] = [[], []];
  for (let n = 1; n < 0x110000; n++) {
    if (n === 0xd800) n = 0xe000;
    const character = String.fromCodePoint(n);
    if (BY_PLACE.test(character)) continue;
    const invisible = !VISIBLE.test(character) && (INVISIBLE.test(character) || BLANK.test(character));
    // Unassigned code points are not checked: another version of Unicode may have a letter there.
    if (!invisible && /\p{Cn}/u.test(character)) continue;
    if (invisible !== hasInvisibleCharacters(`a${character}b`))
      (invisible ? missing : wrong).push(n.toString(16));
  }
  expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
});

test("as_one_line leaves no character that has_breaks_or_invisible refuses", async () => {
  const texts = [
    "a\ufe0f\u200d\u2764",
    "\u0645\u00ad\u200d\u0645",
    "\u200d\u200d\u200d",
    "\u0645\u200c\u200c\u200d\u0645",
    "1\ufe0f\ufe0f\u20e3",
    "a\tb\r\nc\u2028d\u0085e",
    "\u{1f3f4}\u{e0067}\u{e007f}",
  ];
  for (const text of texts) {
    const [row] = await db.sql`
      select private.has_breaks_or_invisible(private.as_one_line(${text})) as refused, private.as_one_line(${text}) as line`;
    expect([text, row?.refused ?? false]).toEqual([text, false]);
    expect(hasBreaksOrInvisible(row?.line ?? "")).toBe(false);
  }
});

test.each([
  ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f\u200d\u{1f525}"],
  ["a pirate flag, a health worker", "\u{1f3f4}\u200d\u2620\ufe0f \u{1f469}\u{1f3fd}\u200d\u2695\ufe0f"],
  ["a rainbow flag and a flag of letters", "\u{1f3f3}\ufe0f\u200d\u{1f308} \u{1f1ee}\u{1f1f3}"],
  ["keycaps", "1\ufe0f\u20e3 #\ufe0f\u20e3"],
  ["signs as text and as emoji", "\u00a9\ufe0f \u2122\ufe0e \u25b6\ufe0f"],
  ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["Hindi", "\u0915\u094d\u200d\u0937 \u0936\u094d\u200c\u0930"],
  ["Malayalam, a joiner at the end of a word", "\u0d05\u0d35\u0d28\u0d4d\u200d \u0d12"],
  ["Sinhala", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"],
  ["numbers of Arabic, Syriac and Kaithi", "\u0600\u0661 \u06dd\u0662 \u070f\u0712 \u{110bd}\u{11066}"],
  ["jamo, hieroglyphs, cuneiform", "\u1112\u1161\u11ab \ud7b0\ud7cb \u{13000}\u{1342f} \u{12000}"],
  ["accents, CJK, Thai", "Caf\u00e9 e\u0301 \u65e5\u672c\u8a9e \u0e44\u0e17\u0e22"],
])("%s stays usable", async (_, text) => {
  expect(hasBreaksOrInvisible(text)).toBe(false);
  const [row] =
    await db.sql`select private.has_breaks_or_invisible(${text}) as refused, private.clean(${text}) as clean`;
  expect(row).toEqual({ refused: false, clean: text });
});

test.each([
  "\u{e0068}",
  "\u00ad",
  "\u3164",
  "\u2800",
  "\u034f",
  "\u{e0101}",
  "\u180b",
  "\u{1d173}",
  "\u{1bca0}",
  "\u2028",
  "\u2029",
  "\uffff",
  "\ufdd0",
  "\u{1fffe}",
  "\n",
  "\t",
  "\u0085",
  "\u200b",
  "\u200c",
  "\u200d",
  "\u200e",
  "\u202e",
  "\u2066",
  "\u061c",
  "\ufeff",
  "\ufe0f",
  "\ufffc",
  "\u{16fe4}",
  "\u{1107f}",
  "\u{13430}",
  "\u{13455}",
  "\ud7fc",
  "\ue000",
  "\uf8ff",
  "\u{40000}",
  "\u{f0000}",
  "\u{10fffd}",
])("%j is refused between letters", (character) => {
  expect(hasBreaksOrInvisible(`Vis${character}ible`)).toBe(true);
});
