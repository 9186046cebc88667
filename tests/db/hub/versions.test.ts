import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, anon, anonymousSession, attempt, service, signedIn } from "../../support/actors.ts";
import { copy } from "../../support/copies.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  closeHistory,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  untilWaiting,
} from "../../support/hub.ts";

/* Tests label, changelog and withdrawal of single versions: who may change them, what is refused, who can read what. */

let db: Clone;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

const done = { rows: expect.anything() };

/** Makes a listing with `versions` versions: contents "1", "2" and so on; version 1 is cc-by, the others cc0. */
async function listing(versions = 2) {
  const made = await makeAsset(db.sql, { license: "cc-by", payload: { content: "1" } });
  for (let n = 2; n <= versions; n += 1) {
    await publish(db.sql, made.creator, { refId: made.refId, license: "cc0", payload: { content: `${n}` } });
  }
  return { ...made, owner: signedIn(db, made.creator) };
}

interface Version {
  version: number;
  label: string | null;
  changelog: string | null;
  license: string;
  yanked: boolean;
  yank_reason: string | null;
  readable: boolean;
}

async function versionsFor(who: Actor, idOrSlug: string): Promise<Version[]> {
  const outcome = await attempt(who, (tx) => tx`select hub_versions(${idOrSlug}) as versions`);
  if ("refused" in outcome) throw new Error(outcome.refused);
  return outcome.rows[0]?.versions;
}

/** Returns the content from hub_asset, or the refusal. */
async function contentFor(who: Actor, id: string, version: number | null) {
  const outcome = await attempt(who, (tx) => tx`select hub_asset(${id}, ${version}) as asset`);
  return "refused" in outcome ? outcome.refused : outcome.rows[0]?.asset.payload?.content;
}

describe("label and changelog", () => {
  test("are the owner's to edit, and shown with the version, newest first", async () => {
    const { id, slug, owner } = await listing(2);
    expect(await call(owner, "hub_edit_version", id, "2", " 1.1 ", " More\nwords. ")).toMatchObject(done);
    const [second, first] = await versionsFor(anon(db), slug);
    expect(second).toMatchObject({
      ...{ version: 2, label: "1.1", changelog: "More\nwords.", license: "cc0" },
      ...{ yanked: false, yank_reason: null, readable: true },
    });
    expect(first).toMatchObject({ version: 1, label: null, changelog: null, license: "cc-by" });
    const [{ asset } = { asset: {} }] = await db.sql`select hub_asset(${id}) as asset`;
    expect(asset).toMatchObject({ label: "1.1", changelog: "More\nwords.", yanked: false });
    expect(await call(owner, "hub_edit_version", id, "2", "", null)).toMatchObject(done);
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ label: null, changelog: null });
  });

  test.each([
    ["a guest", () => anon(db), "42501"],
    ["an anonymous session", async () => anonymousSession(db, await makeUser(db.sql)), "42501"],
    ["the functions' role", () => service(db), "42501"],
    ["a stranger", async () => signedIn(db, await makeUser(db.sql)), "not_owner"],
    ["an admin", () => signedIn(db, admin), "not_owner"],
  ] as const)("%s edits, yanks and unyanks none", async (_, who, refused) => {
    const { id } = await listing(2);
    const actor = await who();
    for (const [name, ...args] of [
      ["hub_edit_version", "2", "a", "b"],
      ["hub_yank_version", "2", "a"],
      ["hub_unyank_version", "2"],
    ] as const) {
      expect(await call(actor, name, id, ...args)).toEqual({ refused });
    }
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ label: null, yanked: false });
  });

  test("a banned owner edits none; nor one of a listing that is gone, or of a version that is none", async () => {
    const { id, owner, creator } = await listing(1);
    expect(await call(owner, "hub_edit_version", id, "2", "a", null)).toEqual({ refused: "asset_not_found" });
    await call(signedIn(db, admin), "hub_ban_creator", creator, "For a test.");
    expect(await call(owner, "hub_edit_version", id, "1", "a", null)).toEqual({ refused: "banned" });
    await call(signedIn(db, admin), "hub_unban_creator", creator);
    await call(owner, "hub_delete_asset", id);
    expect(await call(owner, "hub_edit_version", id, "1", "a", null)).toEqual({ refused: "asset_not_found" });
  });

  test("a label is used once in a listing, also by a publication; another listing may have it", async () => {
    const { id, owner, creator, refId } = await listing(2);
    expect(await call(owner, "hub_edit_version", id, "1", "1.0", null)).toMatchObject(done);
    expect(await call(owner, "hub_edit_version", id, "2", "1.0", null)).toEqual({ refused: "label_taken" });
    const again = () => publish(db.sql, creator, { refId, payload: { content: "3" }, label: "1.0" });
    await expect(again()).rejects.toMatchObject({ code: "PT409", message: "label_taken" });
    expect(await versionsFor(anon(db), id)).toHaveLength(2);
    const other = await listing(1);
    expect(await call(other.owner, "hub_edit_version", other.id, "1", "1.0", null)).toMatchObject(done);
  });

  test.each([
    ["a changelog of 4,001 characters", null, "x".repeat(4001), "changelog", "too_big"],
    ["a long run of combining marks", null, "\u0301".repeat(30_000), "changelog", "too_big"],
    ["an invisible character in it", null, "a\u202eb", "changelog", "invalid_text"],
    ["a label of 33", "x".repeat(33), null, "label", "too_big"],
    ["a label of two lines", "a\nb", null, "label", "invalid_text"],
  ])("%s is refused", async (_, label, changelog, path, code) => {
    const { id, owner } = await listing(1);
    const fault = {
      code: "PT422",
      message: "validation_failed",
      detail: expect.stringContaining(`"${path}"`),
    };
    await expect(
      owner.run((tx) => tx`select hub_edit_version(${id}, 1, ${label}, ${changelog})`),
    ).rejects.toMatchObject(fault);
    await expect(
      owner.run((tx) => tx`select hub_edit_version(${id}, 1, ${label}, ${changelog})`),
    ).rejects.toMatchObject({ detail: expect.stringContaining(`"${code}"`) });
  });

  test("of 4,000 characters and 32 is taken, whatever bytes they need", async () => {
    const { id, owner } = await listing(1);
    const [label, changelog] = ["é".repeat(32), "👍".repeat(4000)];
    expect(await call(owner, "hub_edit_version", id, "1", label, changelog)).toMatchObject(done);
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ label, changelog });
  });

  test("a secret in a label, a changelog or a reason is refused; one that was there does not block an edit", async () => {
    const { id, owner } = await listing(2);
    const secret = `sk-proj-${"aB3dE5gH7jK9mN1p".repeat(3)}`;
    const refused = { refused: "secret_detected" };
    expect(await call(owner, "hub_yank_version", id, "2", `Leaked ${secret}`)).toEqual(refused);
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ changelog: null, yanked: false });
    const leaked = `Use ${secret}`;
    await db.sql`update hub_asset_versions set changelog = ${leaked} where asset_id = ${id} and version = 2`;
    expect(await call(owner, "hub_edit_version", id, "2", "1.1", leaked)).toMatchObject(done);
  });

  test("with content that is published already belong to the version that is there", async () => {
    const { id, creator, refId } = await listing(1);
    const same = { refId, license: "cc-by", payload: { content: "1" } };
    await publish(db.sql, creator, { ...same, label: "1.0", changelog: "First." });
    await publish(db.sql, creator, { ...same, changelog: "The first." });
    expect(await versionsFor(anon(db), id)).toMatchObject([
      { version: 1, label: "1.0", changelog: "The first." },
    ]);
  });

  test("are the only columns of a version that change, with those of a yank", async () => {
    const { id } = await listing(1);
    const columns = await db.sql<{ name: string }[]>`
      select attname::text as name from pg_attribute
      where attrelid = 'hub_asset_versions'::regclass and attnum > 0 and not attisdropped`;
    const fixed = columns
      .map(({ name }) => name)
      .filter((name) => !["label", "changelog", "yanked_at", "yank_reason"].includes(name));
    expect(fixed).toContain("is_open");
    const other: Record<string, string> = {
      ...{ asset_id: "gen_random_uuid()", version: "9", payload: "'{}'", sha256: "repeat('0', 64)" },
      ...{
        license: "'platform-free'",
        scan: "'{}'",
        created_at: "now() - interval '1 day'",
        is_open: "false",
        organization_id: "gen_random_uuid()",
      },
    };
    for (const name of fixed) {
      await expect(
        db.sql.unsafe(`update hub_asset_versions set ${name} = ${other[name]} where asset_id = $1`, [id]),
        name,
      ).rejects.toMatchObject({ message: "append_only" });
    }
  });

  test("edits count against the hour's limit", async () => {
    const { id, owner, creator } = await listing(1);
    await db.sql`
      insert into private.hub_calls (user_id, kind, at)
      select ${creator}, 'edits', now() - interval '10 minutes' from generate_series(1, 600)`;
    expect(await call(owner, "hub_edit_version", id, "1", "a", null)).toEqual({ refused: "rate_limited" });
    expect(await call(owner, "hub_yank_version", id, "1", null)).toEqual({ refused: "rate_limited" });
  });
});

describe("a yank", () => {
  test("of the current version makes the newest that is left current, with its license; an unyank undoes that", async () => {
    const { id, owner } = await listing(4);
    const state = async () => {
      const [{ asset } = { asset: null }] = await db.sql`select hub_asset(${id}) as asset`;
      return [asset.current_version, asset.license, asset.payload.content];
    };
    const before = await assetRow(db.sql, id);
    await call(owner, "hub_yank_version", id, "3", "Broken.");
    expect(await state()).toEqual([4, "cc0", "4"]);
    await call(owner, "hub_yank_version", id, "4", "Broken,\ntoo.");
    expect(await state()).toEqual([2, "cc0", "2"]);
    await call(owner, "hub_yank_version", id, "2", null);
    expect(await state()).toEqual([1, "cc-by", "1"]);
    expect(await versionsFor(anon(db), id)).toMatchObject([
      { version: 4, yanked: true, yank_reason: "Broken, too.", readable: false },
      { version: 3, yanked: true, yank_reason: "Broken.", readable: false },
      { version: 2, yanked: true, yank_reason: null, readable: false },
      { version: 1, yanked: false, readable: true },
    ]);
    expect(await call(owner, "hub_yank_version", id, "1", null)).toEqual({ refused: "last_version" });
    expect(await call(owner, "hub_unyank_version", id, "3")).toMatchObject(done);
    expect(await state()).toEqual([3, "cc0", "3"]);
    expect(await call(owner, "hub_unyank_version", id, "2")).toMatchObject(done);
    expect(await state()).toEqual([3, "cc0", "3"]);
    // An old version must not appear again in lists of new content.
    expect(await assetRow(db.sql, id)).toMatchObject({
      content_updated_at: (before as unknown as { content_updated_at: Date }).content_updated_at,
    });
    const events = await db.sql`select action, details from hub_events where asset_id = ${id} order by id`;
    expect(events.map(({ action, details }) => `${action} ${details.version}`)).toEqual([
      ...["published 1", "published 2", "published 3", "published 4"],
      ...["yanked 3", "yanked 4", "yanked 2", "unyanked 3", "unyanked 2"],
    ]);
  });

  test("twice is one, with the newer reason; an unyank twice too", async () => {
    const { id, owner } = await listing(2);
    await call(owner, "hub_yank_version", id, "2", "One.");
    const at = async () =>
      (await db.sql`select yanked_at from hub_asset_versions where asset_id = ${id} and version = 2`)[0]
        ?.yanked_at;
    const first = await at();
    expect(await call(owner, "hub_yank_version", id, "2", "Two.")).toMatchObject(done);
    expect(await at()).toEqual(first);
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ yank_reason: "Two." });
    for (const _ of [1, 2]) expect(await call(owner, "hub_unyank_version", id, "2")).toMatchObject(done);
    expect((await versionsFor(anon(db), id))[0]).toMatchObject({ yanked: false, yank_reason: null });
    const [count] = await db.sql`
      select count(*)::int as n from hub_events where asset_id = ${id} and action in ('yanked', 'unyanked')`;
    expect(count?.n).toBe(2);
  });

  test("of both versions at once leaves one", async () => {
    const { id, owner, creator } = await listing(2);
    let both: Promise<unknown>[] = [];
    await db.sql.begin(async (tx) => {
      await tx`select from hub_profiles where user_id = ${creator} for no key update`;
      both = ["1", "2"].map((version) => call(owner, "hub_yank_version", id, version, null));
      await untilWaiting(db.sql, "hub_yank_version", 2);
    });
    expect(await Promise.all(both)).toEqual(expect.arrayContaining([done, { refused: "last_version" }]));
    expect((await versionsFor(anon(db), id)).filter(({ yanked }) => yanked)).toHaveLength(1);
  });

  test("with a reason of 501 characters is refused", async () => {
    const { id, owner } = await listing(2);
    expect(await call(owner, "hub_yank_version", id, "2", "x".repeat(501))).toEqual({
      refused: "validation_failed",
    });
    expect(await call(owner, "hub_yank_version", id, "2", "x".repeat(500))).toMatchObject(done);
  });

  test("of another version leaves the one that an operator has made current", async () => {
    const { id, owner } = await listing(3);
    await db.sql`update hub_assets set current_version = 1 where id = ${id}`;
    await call(owner, "hub_yank_version", id, "2", null);
    expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 1 });
  });

  test("does not take the number: the next publication gets a new one", async () => {
    const { id, owner, creator, refId } = await listing(2);
    await call(owner, "hub_yank_version", id, "2", null);
    expect(await publish(db.sql, creator, { refId, payload: { content: "2" } })).toMatchObject({
      version: 3,
    });
    expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 3 });
  });

  test("keeps it from being imported, and from being read by others than who imported it", async () => {
    const { id, owner } = await listing(3);
    const [has2, has1] = [await makeUser(db.sql), await makeUser(db.sql)];
    await copy(db.sql, has2, id, { version: 2 });
    await copy(db.sql, has1, id, { version: 1 });
    await call(owner, "hub_yank_version", id, "2", "Broken.");
    const outcomes = async (version: number) =>
      Promise.all(
        [anon(db), signedIn(db, has1), signedIn(db, has2), owner, signedIn(db, admin)].map((who) =>
          contentFor(who, id, version),
        ),
      );
    expect(await outcomes(2)).toEqual(["asset_not_found", "asset_not_found", "2", "2", "2"]);
    expect(await outcomes(1)).toEqual(["1", "1", "1", "1", "1"]);
    const readable = async (who: Actor) => (await versionsFor(who, id)).map((version) => version.readable);
    expect(await readable(anon(db))).toEqual([true, false, true]);
    expect(await readable(signedIn(db, has1))).toEqual([true, false, true]);
    for (const who of [signedIn(db, has2), owner, signedIn(db, admin)])
      expect(await readable(who)).toEqual([true, true, true]);
    for (const user of [has1, has2, await makeUser(db.sql)]) {
      await expect(copy(db.sql, user, id, { version: 2 })).rejects.toMatchObject({
        ...{ code: "PT409", message: "version_yanked" },
      });
    }
    await call(owner, "hub_unyank_version", id, "2");
    await copy(db.sql, has1, id, { version: 2 });
  });
});

describe("who sees the history", () => {
  test("everybody, of a visible listing; the owner and admins, of one that is not; nobody, of a deleted one", async () => {
    const { id, owner } = await listing(2);
    const stranger = signedIn(db, await makeUser(db.sql));
    const refusedTo = async (who: Actor) => {
      const outcome = await attempt(who, (tx) => tx`select hub_versions(${id})`);
      return "refused" in outcome ? outcome.refused : false;
    };
    for (const who of [anon(db), stranger, owner]) expect(await refusedTo(who)).toBe(false);
    await call(owner, "hub_unpublish_asset", id);
    expect(await refusedTo(anon(db))).toBe("asset_not_found");
    expect(await refusedTo(stranger)).toBe("asset_not_found");
    expect(await refusedTo(owner)).toBe(false);
    expect(await refusedTo(signedIn(db, admin))).toBe(false);
    await call(owner, "hub_delete_asset", id);
    for (const who of [anon(db), owner, signedIn(db, admin)])
      expect(await refusedTo(who)).toBe("asset_not_found");
    expect(await attempt(anon(db), (tx) => tx`select hub_versions('no-such-listing')`)).toEqual({
      refused: "asset_not_found",
    });
  });

  test("an older version is everybody's; one from before histories were open is for owner, admins and importers", async () => {
    const { id, owner } = await listing(2);
    const importer = await makeUser(db.sql);
    await copy(db.sql, importer, id);
    const all = [anon(db), signedIn(db, await makeUser(db.sql)), signedIn(db, importer), owner];
    const read = () => Promise.all(all.map((who) => contentFor(who, id, 1)));
    expect(await read()).toEqual(["1", "1", "1", "1"]);
    await closeHistory(db.sql, id);
    expect(await read()).toEqual(["asset_not_found", "asset_not_found", "1", "1"]);
    const readable = await Promise.all(all.map(async (who) => (await versionsFor(who, id))[1]?.readable));
    expect(readable).toEqual([false, false, true, true]);
    expect((await versionsFor(anon(db), id))[0]?.readable).toBe(true);
  });

  test("of a thousand versions the newest hundred are listed", async () => {
    const { id } = await listing(1);
    await db.sql`
      insert into hub_asset_versions (asset_id, version, payload, sha256, license)
      select asset_id, n, payload, sha256, license from hub_asset_versions, generate_series(2, 1000) n
      where asset_id = ${id}`;
    const versions = await versionsFor(anon(db), id);
    expect([versions.length, versions[0]?.version, versions[99]?.version]).toEqual([100, 1000, 901]);
  });
});
