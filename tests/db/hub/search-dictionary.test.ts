import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, anon, signedIn } from "../../support/actors.ts";
import { cloneDatabase } from "../../support/database.ts";
import { call, makeAsset, makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { addListings, titles } from "../../support/search.ts";

/*
 * Tests the words that strangers add to the dictionary of all searches: they cost a bounded amount while they exist, and disappear with
 * their listings.
 */

const db = await cloneDatabase();
afterAll(() => db.drop());
const guest = anon(db);
/** Two edits add some 320 words, many more than may share a form with letters left out. */
const EDITS = LONG_TESTS ? 8 : 2;
const WORDS = 180;

/** Returns the i-th of many different words of four letters. */
const letters = (i: number) =>
  [17_576, 676, 26, 1].map((digit) => String.fromCharCode(97 + (Math.floor(i / digit) % 26))).join("");
/** Returns one of a thousand letters of the script Yi. */
const anyLetter = (i: number) => String.fromCodePoint(0xa000 + (i % 1000));
/** Returns a word in which one or two of the first seven letters are replaced, with four more letters at its end. */
const bent = (word: string, i: number) => {
  const [a, b, c] = [i % 7, Math.floor(i / 7) % 7, Math.floor(i / 49)];
  const put = (text: string, at: number, letter: string) => text.slice(0, at) + letter + text.slice(at + 1);
  return put(put(word, a, letters(c).slice(-1)), b, letters(c).slice(-2, -1)) + letters(i);
};

interface Attack {
  name: string;
  word: (i: number) => string;
  /** The search of a guest after the attack. */
  q: string;
  /** The field that gets the words; the description by default. */
  into?: "tags";
  accounts?: number;
  /** EDITS by default. */
  edits?: number;
  /** Uses the same limit as "one beginning", in other ways, so it is only in the long form. */
  variant?: true;
}
const twelve = (word: (i: number) => string) => Array.from({ length: 12 }, (_, i) => word(i)).join(" ");
const attacks: Attack[] = [
  { name: "one beginning", word: (i) => `meeting${letters(i)}`, q: twelve((i) => `meeting${letters(i)}qzq`) },
  {
    name: "all but the first letter",
    word: (i) => `${anyLetter(i)}eeting${letters(i)}`,
    q: twelve((i) => `${"qzxjkvwypgbh"[i]}eetingq`),
    variant: true,
  },
  {
    name: "each variant of one word",
    word: (i) => bent("meeting", i),
    q: twelve((i) => `meetingz${letters(i)}`),
    // With fewer words, a search that is not for the word itself reads too little to be noticed.
    edits: 8,
  },
  { name: "a beginning that is asked for as it is", word: (i) => `meet${letters(i)}`, q: "meet" },
  {
    name: "one ending",
    word: (i) => `${letters(i)}xmeeting`,
    q: twelve((i) => `${letters(i).slice(2)}meeting`),
  },
  {
    name: "tags",
    word: (i) => `meeting${letters(i)}`,
    q: twelve((i) => `meeting${letters(i)}qzq`),
    into: "tags",
    variant: true,
  },
  {
    name: "several accounts",
    word: (i) => `meeting${letters(i)}`,
    q: twelve((i) => `meeting${letters(i)}qzq`),
    accounts: LONG_TESTS ? 3 : 2,
  },
];
/** The most expensive known searches without an attack: common words, misspelled rare words, beginnings of words. */
const usual = [
  "listing one many note of some plan team work item list text",
  twelve((i) => `lissting${letters(i)}`),
  "l o m n s p t w i a b c",
];

interface Cost {
  pages: number;
  rows: number;
}

/** Returns what a search reads: pages of all tables and indexes, and rows of the words and documents. */
async function costOf(q: string): Promise<Cost> {
  const [asked] = await guest.run(async (tx) => {
    const rows = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname in ('hub_words', 'hub_documents')`;
      return row?.rows ?? 0;
    };
    const explain = () =>
      tx<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }[]>`
        explain (analyze, buffers, format json) select hub_search(${q}, page_size => 1)`;
    // The first call also makes the plans, so it is not measured.
    await explain();
    const before = await rows();
    const [plan] = await explain();
    const read = plan?.["QUERY PLAN"][0].Plan;
    return [
      {
        pages: (read?.["Shared Hit Blocks"] ?? 0) + (read?.["Shared Read Blocks"] ?? 0),
        rows: (await rows()) - before,
      },
    ];
  });
  return asked as Cost;
}

const dearer = (one: Cost, other: Cost): Cost => ({
  pages: Math.max(one.pages, other.pages),
  rows: Math.max(one.rows, other.rows),
});

async function worst(queries: string[]): Promise<Cost> {
  let cost: Cost = { pages: 0, rows: 0 };
  for (const q of queries) cost = dearer(cost, await costOf(q));
  return cost;
}
/** The cost before all attacks; each test also proves that it is the same after its attack. */
let usualCost: Cost;

const known = async () => (await db.sql`select count(*)::int as n from private.hub_words`)[0]?.n as number;

/** Makes a listing for each of `accounts` new creators, and edits it several times, as the creator can over the API. */
async function edit({ word, into, edits = EDITS }: Attack, accounts: number): Promise<[Actor, string][]> {
  const made: [Actor, string][] = [];
  for (let n = 0; n < accounts; n += 1) {
    const creator = await makeUser(db.sql);
    const { id } = await makeAsset(db.sql, {
      creator,
      title: "Harmless",
      slug: `harmless-${n}-${Date.now()}`,
    });
    const who = signedIn(db, creator);
    let next = n * edits * WORDS;
    for (let round = 0; round < edits; round += 1) {
      const words = Array.from({ length: WORDS }, () => word(next++));
      await who.run((tx) =>
        into === "tags"
          ? tx`update hub_assets set tags = ${words.slice(0, 20)} where id = ${id}`
          : tx`update hub_assets set description = ${words.join(" ").slice(0, 2000)} where id = ${id}`,
      );
    }
    made.push([who, id]);
  }
  return made;
}

beforeAll(async () => {
  await addListings(
    db.sql,
    await makeUser(db.sql),
    4000,
    `'Listing ' || substr(translate(md5((i % 700)::text), '0123456789', 'ghijklmnop'), 1, 9)`,
  );
  await db.sql`vacuum analyze`;
  usualCost = await worst(usual);
});

describe.each(attacks.filter(({ variant }) => LONG_TESTS || !variant))(
  "words that strangers write, $name",
  (attack) => {
    test("cost a guest at most twice what the dearest search cost before, and nothing when their listings are gone", async () => {
      const before = dearer(usualCost, await costOf(attack.q));
      const words = await known();
      const made = await edit(attack, attack.accounts ?? 1);
      expect((await known()) - words).toBeGreaterThan(150);
      const [shared] = await db.sql`
      select max(n)::int as most from (select count(*) as n from private.hub_words k cross join lateral unnest(k.slips) s group by s) c`;
      expect(shared?.most).toBe(64);
      const during = await worst([...usual, attack.q]);
      for (const [who, id] of made) await call(who, "hub_delete_asset", id);
      await db.sql`select hub_prune()`;
      expect(await known()).toBe(words);
      await db.sql`vacuum`;
      const after = await worst([...usual, attack.q]);
      for (const what of ["pages", "rows"] as const) {
        expect(during[what], what).toBeLessThanOrEqual(2 * before[what]);
        expect(after[what], what).toBeLessThanOrEqual(1.05 * before[what]);
      }
    });
  },
);

test("beyond its share an account's new words are in no index, and what others use as well is found", async () => {
  const creator = await makeUser(db.sql);
  await db.sql`
    insert into private.hub_words (word, slips, added_by)
    select 'held' || i, '{}', ${creator} from generate_series(1, 4999) i`;
  const before = await known();
  const title = "Listing zyxwvuts aufbewahrungsort";
  await makeAsset(db.sql, { creator, title, slug: "beyond" });
  expect(await known()).toBe(before + 1);
  expect(await titles(guest, { q: "aufbewahrungsort" })).toEqual([title]);
  for (const q of ["zyxwvuts", "wahrungsort"]) expect(await titles(guest, { q }), q).toEqual([]);
  // The whole title still finds the listing, and so do words that other listings have, too.
  expect((await titles(guest, { q: title }))[0]).toBe(title);
  expect(await titles(guest, { q: "listing aufbewahrungsort" })).toContain(title);
});
