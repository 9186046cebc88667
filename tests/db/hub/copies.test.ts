import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, anonymousSession, attempt, service, signedIn } from "../../support/actors.ts";
import { copy, nextVersion, planUpdate, runUpdate } from "../../support/copies.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
  assetRow,
  call,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";

/* Tests what owners of copies do: undo an update, pin a version, dismiss the notice of a new version. */

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const done = { rows: expect.anything() };
const notFound = { refused: "asset_not_found" };

/** Makes a template whose version 1 is "One", and a user's copy of it. */
async function copied(options: { version?: number } = {}) {
  const { id, creator, refId } = await makeAsset(db.sql, { payload: { content: "One" } });
  const user = await makeUser(db.sql);
  const [made] = await copy(db.sql, user, id, options);
  const [ref, into] = [made?.id ?? "", made?.hub_asset_id ?? ""];
  const me = signedIn(db, user);
  return {
    ...{ id, creator, user, ref, into, me },
    next: (content: string) => nextVersion(db.sql, creator, refId, content),
    update: (overwrite = false) => copy(db.sql, user, id, { into, overwrite }),
    restore: () => call(me, "hub_restore_copy", into),
    yank: (version: number) => call(signedIn(db, creator), "hub_yank_version", id, `${version}`, "Broken."),
    content: async () => (await db.sql`select content from prompt_templates where id = ${ref}`)[0]?.content,
    edit: (text: string) =>
      attempt(me, (tx) => tx`update prompt_templates set content = ${text} where id = ${ref}`),
    updates: async () => {
      const [row] = await me.run((tx) => tx`select hub_updates() as updates`);
      return (row?.updates ?? []) as { kind: string; id: string; source: Record<string, unknown> }[];
    },
    version: async () => {
      const { attribution } = await assetRow(db.sql, into);
      return (attribution as { parent: { version: number } }).parent.version;
    },
  };
}

const overwrittenOf = (into: string) =>
  db.sql`select id, content from private.hub_overwritten where asset_id = ${into} order by id`;

describe("hub_restore_copy", () => {
  test("goes back one update a time, to the version that it was", async () => {
    const { next, update, restore, content, version } = await copied();
    await next("Two");
    await update();
    await next("Three");
    await update();
    expect([await content(), await version()]).toEqual(["Three", 3]);
    await restore();
    expect([await content(), await version()]).toEqual(["Two", 2]);
    await restore();
    expect([await content(), await version()]).toEqual(["One", 1]);
    expect(await restore()).toEqual({ refused: "nothing_overwritten" });
    // A copy that was not edited is updated without a question.
    await update();
    expect(await content()).toBe("Three");
  });

  test("does not lose what was edited after the update, and asks before that is overwritten", async () => {
    const { next, update, restore, content, edit } = await copied();
    await next("Two");
    await update();
    await edit("Mine");
    await restore();
    expect(await content()).toBe("One");
    await restore();
    expect(await content()).toBe("Mine");
    await expect(update()).rejects.toMatchObject({ message: "modified_copy" });
  });

  test("twice at once is twice in a row", async () => {
    const { user, next, update, restore, content } = await copied();
    for (const text of ["Two", "Three"]) {
      await next(text);
      await update();
    }
    let both: Promise<unknown>[] = [];
    await db.sql.begin(async (tx) => {
      await tx`select from hub_profiles where user_id = ${user} for no key update`;
      both = [restore(), restore()];
      await untilWaiting(db.sql, "hub_restore_copy", 2);
    });
    expect(await Promise.all(both)).toEqual([done, done]);
    expect(await content()).toBe("One");
  });

  test("brings nothing back after 30 days; hub_prune deletes that", async () => {
    const { into, next, update, restore, content } = await copied();
    await next("Two");
    await update();
    await next("Three");
    await update();
    const [oldest] = await overwrittenOf(into);
    await db.sql`update private.hub_overwritten set at = at - interval '30 days 1 minute' where id = ${oldest?.id}`;
    await restore();
    expect(await restore()).toEqual({ refused: "nothing_overwritten" });
    expect(await content()).toBe("Two");
    expect(await overwrittenOf(into)).toHaveLength(1);
    const [row] = await db.sql`select hub_prune() as pruned`;
    expect(row?.pruned).toBeGreaterThanOrEqual(1);
    expect(await overwrittenOf(into)).toHaveLength(0);
  });

  test("keeps ten of a copy", async () => {
    const { into, next, update } = await copied();
    for (let n = 1; n <= 12; n += 1) {
      await next(`v${n}`);
      await update();
    }
    const kept = (await overwrittenOf(into)).map((row) => row.content.content);
    expect(kept).toEqual(Array.from({ length: 10 }, (_, n) => `v${n + 2}`));
  });

  test("follows the listing again, and nothing comes back into a row that is gone", async () => {
    const { id, user, into, ref, next, restore, me } = await copied({ version: 1 });
    await next("Two");
    await copy(db.sql, user, id, { into, version: 2 });
    expect((await assetRow(db.sql, into)).pinned_version).toBe(2);
    await restore();
    expect((await assetRow(db.sql, into)).pinned_version).toBeNull();
    await copy(db.sql, user, id, { into });
    await attempt(me, (tx) => tx`delete from prompt_templates where id = ${ref}`);
    expect(await restore()).toEqual(notFound);
    expect(await overwrittenOf(into)).toHaveLength(0);
  });
});

describe("whose copy it is", () => {
  const calls = [["hub_pin", "1"], ["hub_dismiss_update", "1"], ["hub_restore_copy"]] as const;

  test("somebody else's is not found; a guest and the functions' role may not ask", async () => {
    const { id, into, creator, next, update, content } = await copied();
    await next("Two");
    await update();
    for (const [name, ...args] of calls) {
      expect(await call(signedIn(db, creator), name, into, ...args)).toEqual(notFound);
      for (const who of [anon(db), service(db), anonymousSession(db, await makeUser(db.sql))])
        expect(await call(who, name, into, ...args)).toEqual({ refused: "42501" });
      // The creator's own listing is not a copy, so each call refuses it.
      expect(await call(signedIn(db, creator), name, id, ...args)).toEqual(notFound);
    }
    expect(await content()).toBe("Two");
    expect(await assetRow(db.sql, into)).toMatchObject({ pinned_version: null });
  });

  test("a banned owner changes nothing", async () => {
    const { user, into, me } = await copied();
    await call(signedIn(db, await makeAdmin(db.sql)), "hub_ban_creator", user, "For a test.");
    for (const [name, ...args] of calls)
      expect(await call(me, name, into, ...args)).toEqual({ refused: "banned" });
  });
});

describe("notices", () => {
  test("a newer version, with what its owner says of it", async () => {
    const { id, into, next, creator, updates } = await copied();
    expect(await updates()).toEqual([]);
    await next("Two");
    await call(signedIn(db, creator), "hub_edit_version", id, "2", "1.1", "More.");
    expect(await updates()).toMatchObject([
      {
        kind: "newer_version",
        id: into,
        source: { id, version: 1, current_version: 2, label: "1.1", changelog: "More." },
      },
    ]);
  });

  test("a pinned copy hears of no newer version, until null lets it follow again", async () => {
    const { into, next, updates, me } = await copied({ version: 1 });
    expect((await assetRow(db.sql, into)).pinned_version).toBe(1);
    await next("Two");
    expect(await updates()).toEqual([]);
    expect(await call(me, "hub_pin", into, null)).toMatchObject(done);
    expect(await updates()).toMatchObject([{ kind: "newer_version" }]);
    for (const version of ["2", "0", "-1", "2147483647"])
      expect(await call(me, "hub_pin", into, version)).toEqual({ refused: "validation_failed" });
    for (const _ of [1, 2]) expect(await call(me, "hub_pin", into, "1")).toMatchObject(done);
    expect(await updates()).toEqual([]);
  });

  test("an update to the current version follows; to a named one it pins", async () => {
    const { id, user, into, next } = await copied({ version: 1 });
    await next("Two");
    await copy(db.sql, user, id, { into });
    expect((await assetRow(db.sql, into)).pinned_version).toBeNull();
    await copy(db.sql, user, id, { into, version: 1 });
    expect(await assetRow(db.sql, into)).toMatchObject({
      ...{ pinned_version: 1, attribution: { parent: { version: 1 } } },
    });
  });

  test("a yanked version is told, pinned or not, and cannot be pinned; an update to what is current ends it", async () => {
    const { id, into, next, yank, updates, update, me } = await copied({ version: 1 });
    await next("Two");
    await yank(1);
    const notice = {
      kind: "yanked",
      id: into,
      source: { id, version: 1, current_version: 2, reason: "Broken." },
    };
    expect(await updates()).toMatchObject([notice]);
    expect(await call(me, "hub_pin", into, "1")).toEqual({ refused: "version_yanked" });
    await call(me, "hub_pin", into, null);
    expect((await updates()).map(({ kind }) => kind)).toEqual(["newer_version", "yanked"]);
    await call(me, "hub_dismiss_update", into, "2");
    expect((await updates()).map(({ kind }) => kind)).toEqual(["yanked"]);
    await update();
    expect(await updates()).toEqual([]);
  });

  test("an update may go back, when the current version was yanked", async () => {
    const { next, yank, updates, update, content } = await copied();
    await next("Two");
    await update();
    await yank(2);
    expect(await updates()).toMatchObject([{ kind: "yanked", source: { version: 2, current_version: 1 } }]);
    await update();
    expect([await content(), await updates()]).toEqual(["One", []]);
  });

  test("of a listing that is not visible there are none", async () => {
    const { id, creator, next, yank, updates } = await copied();
    await next("Two");
    await yank(1);
    expect(await updates()).toHaveLength(2);
    const [others] = await signedIn(db, creator).run((tx) => tx`select hub_updates() as updates`);
    expect(others?.updates).toEqual([]);
    await call(signedIn(db, creator), "hub_unpublish_asset", id);
    expect(await updates()).toEqual([]);
  });

  test("one that was dismissed is silent until the next version; an older one brings none back", async () => {
    const { into, next, updates, me } = await copied();
    await next("Two");
    expect(await call(me, "hub_dismiss_update", into, "2")).toMatchObject(done);
    expect(await call(me, "hub_dismiss_update", into, "1")).toMatchObject(done);
    expect(await updates()).toEqual([]);
    await next("Three");
    expect(await updates()).toMatchObject([{ kind: "newer_version", source: { current_version: 3 } }]);
    for (const version of ["4", "0", null])
      expect(await call(me, "hub_dismiss_update", into, version)).toEqual({ refused: "validation_failed" });
  });
});

describe("what goes with a copy", () => {
  test("the workspace counts exactly, also past its limit, after updates and restores", async () => {
    const { user, next, update, restore, edit } = await copied();
    await next("Two, and a longer one");
    await update();
    await edit("Short");
    await restore();
    expect(await wrongCounters(db.sql)).toEqual([]);
    await db.sql`update private.workspace_usage set byte_count = 104857600 where user_id = ${user}`;
    await next("Three, and a much longer one than before");
    await expect(update()).rejects.toMatchObject({ code: "PT422", message: "limit_reached" });
    await db.sql`
      update private.workspace_usage
      set byte_count = (select private.source_bytes(to_jsonb(t)) from prompt_templates t where user_id = ${user})
      where user_id = ${user}`;
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("with the row its copy and what was overwritten are gone; with the account too", async () => {
    for (const what of ["row", "account"]) {
      const { user, into, ref, next, update, me } = await copied();
      await next("Two");
      await update();
      expect(await overwrittenOf(into)).toHaveLength(1);
      if (what === "row") await attempt(me, (tx) => tx`delete from prompt_templates where id = ${ref}`);
      else await db.auth`delete from auth.users where id = ${user}`;
      expect(await overwrittenOf(into)).toHaveLength(0);
      expect(await db.sql`select from private.hub_copies where asset_id = ${into}`).toHaveLength(0);
    }
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("an update beside the deletion of the account, in both orders, waits for nothing in a circle", async () => {
    for (const updateFirst of [true, false]) {
      const { id, user, into, next } = await copied();
      await next("Two");
      const plan = await planUpdate(db.sql, user, id, { into });
      const update = () => runUpdate(db.sql, user, plan, { into }).catch((error) => error.message);
      const deletion = async () => db.auth`delete from auth.users where id = ${user}`.execute();
      const started: Promise<unknown>[] = [];
      await db.sql.begin(async (tx) => {
        await tx`select from hub_profiles where user_id = ${user} for no key update`;
        for (const start of updateFirst ? [update, deletion] : [deletion, update]) {
          started.push(start());
          await untilWaiting(db.sql, start === update ? "import_asset" : "delete from auth.users");
        }
      });
      const [first, second] = await Promise.all(started);
      if (!updateFirst) expect(second).toMatch(/^(unavailable|invalid_credential)$/);
      else expect(first).toEqual(expect.anything());
      expect(await db.sql`select from hub_assets where id = ${into}`).toHaveLength(0);
    }
  });

  test("what was not imported from a listing has no notices, and is no copy", async () => {
    const user = await makeUser(db.sql);
    const refId = await addSource(db.sql, user);
    const { asset_id } = await publish(db.sql, user, { refId });
    expect(await db.sql`select from private.hub_copies where asset_id = ${asset_id}`).toHaveLength(0);
    expect(await call(signedIn(db, user), "hub_pin", asset_id, "1")).toEqual(notFound);
  });
});
