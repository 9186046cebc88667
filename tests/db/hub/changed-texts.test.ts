import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

type Texts = { title?: string; description?: string; tags?: string[]; thumbnail_url?: string };
const edit = (creator: string, id: string, change: Texts) =>
  attempt(
    signedIn(db, creator),
    (tx) => tx`update hub_assets set ${tx(change)} where id = ${id} returning id`,
  );
const accepted = { rows: [expect.anything()] };
/** Writes a text in full-width letters, which NFKC turns into plain ones. */
const wide = (text: string) =>
  text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

const hex = "0123456789abcdef0123456789abcdef";
const secrets = [
  `sk-${hex}`,
  `sk-proj-${hex}`,
  `kh_agent_${hex}`,
  `ghp_${hex}0`,
  `gsk_${hex}01234567`,
  `hf_${hex}`,
  `r8_${hex}`,
  `glpat-${hex}`,
];

describe("a secret that is only one once it is normalised", () => {
  test.each(secrets)("%s in wide letters is refused wherever it is written", async (secret) => {
    const { id, creator } = await makeAsset(db.sql);
    const text = wide(secret);
    for (const change of [
      { tags: [text] },
      { tags: [`#${text}`] },
      { title: text },
      { description: `Use ${text} here` },
    ]) {
      expect([change, await edit(creator, id, change)]).toEqual([change, { refused: "secret_detected" }]);
    }
    const own = await makeUser(db.sql);
    expect(
      await attempt(
        signedIn(db, own),
        (tx) => tx`update hub_profiles set display_name = ${text.slice(0, 80)} where user_id = ${own}`,
      ),
    ).toEqual({ refused: "secret_detected" });
    const [row] = await db.sql`select title, description, tags from hub_assets where id = ${id}`;
    expect(JSON.stringify(row)).not.toContain(hex.slice(0, 8));
  });

  test("one in capitals, which are gone in the tag that is stored", async () => {
    const { id, creator } = await makeAsset(db.sql);
    for (const tag of ["AKIA".concat("Q3EGRHZX5QW7PLMN"), wide("AKIA".concat("Q3EGRHZX5QW7PLMN"))])
      expect(await edit(creator, id, { tags: [tag] })).toEqual({ refused: "secret_detected" });
  });
});

test.each(["\u200c", "\u200d", "\u00ad", "\u{e0068}", "\ufe0f", "\u2800"])(
  "a secret that %j splits looks like one all the same",
  async (character) => {
    const [row] =
      await db.sql`select private.looks_secret(${`sk-0123456789${character}abcdefghijklmn`}) as secret`;
    expect(row?.secret).toBe(true);
  },
);

describe("what an edit does not change is not judged again", () => {
  const placeholders = [
    "Set it to https://user:password@host/x first.",
    "Send Authorization: Bearer YOUR_TOKEN_1234567890_HERE with it.",
    "?api_key=abcdefgh12345678 stands at the end.",
    "(sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)",
    // Other patterns, which are compared in the same way.
    ...(LONG_TESTS
      ? [
          "AWS shows AKIA".concat("IOSFODNN7EXAMPLE in its manual."),
          "postgres://user:password@db.example.com/name",
          "sk-your-key-goes-right-here-please",
        ]
      : []),
  ];
  test.each(placeholders)(
    "published with %s: everything else stays editable, and the rest of that text",
    async (text) => {
      const { id, creator } = await makeAsset(db.sql, { description: text });
      expect(await edit(creator, id, { title: "Another" })).toMatchObject(accepted);
      expect(await edit(creator, id, { tags: ["one", "two"] })).toMatchObject(accepted);
      expect(await edit(creator, id, { description: text, title: "A third" })).toMatchObject(accepted);
      expect(await edit(creator, id, { description: `First. ${text} And last.` })).toMatchObject(accepted);
      // A new secret is refused, even beside the old one.
      for (const more of [`sk-proj-${hex}`, `https://me:${hex}@example.test/`]) {
        expect(await edit(creator, id, { description: `First. ${text} And ${more}` })).toEqual({
          refused: "secret_detected",
        });
        expect(await edit(creator, id, { title: more })).toEqual({ refused: "secret_detected" });
      }
      expect(await edit(creator, id, { description: "Without." })).toMatchObject(accepted);
      expect(await edit(creator, id, { description: text })).toEqual({ refused: "secret_detected" });
    },
  );

  test("nor what is stored and would not be taken any more", async () => {
    const { id, creator } = await makeAsset(db.sql);
    await db.sql`alter table hub_assets disable trigger hub_assets_10_check_text`;
    await db.sql`update hub_assets set title = ${"Old\u00ad one"}, description = ${"Old\u2800 one"} where id = ${id}`;
    await db.sql`alter table hub_assets enable trigger hub_assets_10_check_text`;
    expect(await edit(creator, id, { tags: ["new"] })).toMatchObject(accepted);
    expect(await edit(creator, id, { title: "Old\u00ad one!" })).toEqual({ refused: "validation_failed" });
  });
});

describe("what nobody sees", () => {
  const unseen = [
    ..."\u{e0068}\u00ad\u3164\u2800\u034f\u{e0101}\u180b\u{1d173}\u{1bca0}\u2028\u2029\uffff\ufdd0\u200b\u202e\u2066\ufeff",
    "\n",
    "\r\n",
    "\t",
  ];
  let id: string;
  let creator: string;
  beforeAll(async () => {
    ({ id, creator } = await makeAsset(db.sql));
  });
  test.each(unseen)("%j is refused in a title, a name and a tag", async (character) => {
    const text = `Vis${character}ible`;
    expect(await edit(creator, id, { title: text })).toEqual({ refused: "validation_failed" });
    expect(await edit(creator, id, { tags: [text] })).toEqual({ refused: "validation_failed" });
    for (const column of ["display_name", "username"]) {
      const outcome = await attempt(
        signedIn(db, creator),
        (tx) => tx`update hub_profiles set ${tx({ [column]: text })} where user_id = ${creator}`,
      );
      expect([column, outcome]).toEqual([column, { refused: "validation_failed" }]);
    }
    expect(await edit(creator, id, { description: text })).toEqual(
      /\s/.test(character) && character < "\u2000" ? accepted : { refused: "validation_failed" },
    );
  });

  test("the refusal says so, and repeats nothing", async () => {
    const { id, creator } = await makeAsset(db.sql);
    const change = signedIn(db, creator).run(
      (tx) => tx`update hub_assets set title = ${"a\u00adb"} where id = ${id}`,
    );
    const error = await change.then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(JSON.parse(error.detail).errors).toEqual([
      { path: "title", code: "invalid_text", message: "must be one line without invisible characters" },
    ]);
  });
});
