import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, attempt, operator, service, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  type ImportPlan,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  makeUsers,
  planImport,
  publish,
  runImport,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/* Tests imports at the same time as other calls: no deadlock occurs, and all imports are counted. */

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 10) };
});
afterAll(() => db.drop());

/** Runs an import for a user, as the service does; returns the result. */
const importing = (userId: string, plan: ImportPlan, as: Actor = service(db)) =>
  attempt(as, async (tx) => [await runImport(tx, userId, plan)]);

describe("nobody waits in a circle", () => {
  /** Lets two statements wait, in this order, for a lock on a row. */
  async function behind(
    hold: (tx: Parameters<Parameters<Clone["sql"]["begin"]>[1]>[0]) => PromiseLike<unknown>,
    ...waiting: { words: string; start: () => PromiseLike<unknown> }[]
  ) {
    const started: Promise<unknown>[] = [];
    await crowd.sql.begin(async (tx) => {
      await hold(tx);
      for (const { words, start } of waiting) {
        const running = Promise.resolve(start());
        running.catch(() => {});
        started.push(running);
        await untilWaiting(db.sql, words);
      }
    });
    return Promise.all(started);
  }

  test.each([
    "ban of the creator",
    "ban of the importer",
    "creator's delete",
    "new version",
    "importer's account",
  ])("an import beside: %s, in both orders", async (what) => {
    for (const importFirst of [true, false]) {
      const { id, creator, refId } = await makeAsset(db.sql);
      const user = await makeUser(db.sql);
      const earlier = await importAsset(db.sql, user, id, "remix");
      await publish(db.sql, user, { refId: earlier.refId, slug: "earlier" });
      const plan = await planImport(db.sql, id);
      const first = {
        words: "private.import_asset",
        start: () => importing(user, plan, service(crowd)),
      };
      const ban = (who: string) => () =>
        crowd.sql`insert into private.hub_bans (user_id) values (${who})`.execute();
      const besides = {
        "ban of the creator": ["private.hub_bans", ban(creator)],
        "ban of the importer": ["private.hub_bans", ban(user)],
        "creator's delete": [
          "hub_delete_asset",
          () => call(signedIn(crowd, creator), "hub_delete_asset", id),
        ],
        "new version": [
          "private.publish_snapshot",
          () => publish(crowd.sql, creator, { refId, payload: { content: "Two" } }),
        ],
        "importer's account": [
          "delete from auth.users",
          () => db.auth`delete from auth.users where id = ${user}`.execute(),
        ],
      } as const;
      const [words, start] = besides[what as keyof typeof besides];
      const second = { words, start };
      // A ban of the importer waits for the importer's profile, every other call for the asset.
      const theirs = what === "ban of the importer" && !importFirst;
      await behind(
        (tx) =>
          theirs
            ? tx`select from hub_profiles where user_id = ${user} for no key update`
            : tx`select from hub_assets where id = ${id} for no key update`,
        ...(importFirst ? [first, second] : [second, first]),
      ).catch((error) => {
        // Only one call may be refused: an import whose user's account was deleted before it.
        expect(error).toMatchObject({ code: "42501" });
      });
      expect(await wrongCounters(db.sql)).toEqual([]);
    }
  });

  test("everything at once, for a while", async () => {
    const users = await makeUsers(db.sql, 8);
    const admin = await makeAdmin(db.sql);
    const listings = await Promise.all(users.slice(0, 4).map((creator) => makeAsset(db.sql, { creator })));
    const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
    const outcomes: string[] = [];
    const note = (outcome: unknown) => outcomes.push(Object.keys(Object(outcome))[0] ?? "");
    const step = async () => {
      const listing = pick(listings);
      const chance = Math.random();
      if (chance < 0.6) {
        const plan = await planImport(db.sql, listing.id).catch(() => null);
        if (plan !== null) note(await importing(pick(users), plan));
      } else if (chance < 0.7) {
        const payload = { content: String(Math.random()) };
        note(
          await attempt(operator(crowd), async (tx) => [
            await publish(tx as never, listing.creator, { refId: listing.refId, payload }),
          ]),
        );
      } else if (chance < 0.8)
        note(await call(signedIn(crowd, listing.creator), "hub_delete_asset", listing.id));
      else if (chance < 0.85) note(await call(signedIn(crowd, admin), "hub_ban_creator", pick(users), null));
      else if (chance < 0.95) note(await call(signedIn(crowd, admin), "hub_unban_creator", pick(users)));
      else {
        await db.sql`delete from hub_imports where user_id = ${pick(users)}`;
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < (LONG_TESTS ? 40 : 10); i += 1) await step();
      }),
    );
    expect(new Set(outcomes)).toEqual(new Set(["rows", "refused"]));
    expect(await wrongCounters(db.sql)).toEqual([]);
  });
});

/** Imports at the same moment. */
const MANY = LONG_TESTS ? 100 : 20;

test("many imports of one asset at once by one user: each copy has a name of its own, and one counts", async () => {
  const { id } = await makeAsset(db.sql);
  const user = await makeUser(db.sql);
  await Promise.all(
    Array.from({ length: MANY }, async () =>
      runImport(crowd.sql, user, await planImport(crowd.sql, id), "remix"),
    ),
  );
  expect(await assetRow(db.sql, id)).toMatchObject({ install_count: 1 });
  const names = await db.sql`select name from prompt_templates where user_id = ${user}`;
  expect(new Set(names.map(({ name }) => name)).size).toBe(MANY);
});
