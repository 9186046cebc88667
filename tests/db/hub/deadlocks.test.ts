import { afterAll, beforeAll, expect, test } from "vitest";
import { operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
  assetRow,
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  reportAsset,
  star,
  stateOf,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";
import { until } from "../../support/until.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 10) };
});
afterAll(() => db.drop());

type Sql = Clone["sql"];

/** Lets two statements wait, in this order, for a lock on an asset; both must succeed. */
async function behind(assetId: string, ...waiting: { words: string; start: () => PromiseLike<unknown> }[]) {
  const started: PromiseLike<unknown>[] = [];
  await crowd.sql.begin(async (tx) => {
    await tx`select from hub_assets where id = ${assetId} for no key update`;
    for (const { words, start } of waiting) {
      const running = Promise.resolve(start());
      running.catch(() => {});
      started.push(running);
      await untilWaiting(db.sql, words);
    }
  });
  return Promise.all(started);
}

/** Makes a user with two sources, each with a private row of hub_assets; the row of the older source has the higher id. */
async function twoPrivateRows(sql: Sql) {
  const user = await makeUser(sql);
  const ids = [crypto.randomUUID(), crypto.randomUUID()].sort();
  for (const id of ids.toReversed()) {
    const ref = await addSource(sql, user);
    await sql`
      insert into hub_assets (id, asset_type, ref_id, creator_id, slug, title)
      values (${id}, 'template', ${ref}, ${user}, ${crypto.randomUUID()}, 'Private')`;
  }
  return { user, low: ids[0] ?? "", high: ids[1] ?? "" };
}

test("a user empties the workspace beside their ban", async () => {
  const { user, low, high } = await twoPrivateRows(db.sql);
  await behind(
    low,
    {
      words: "private.hub_bans",
      start: () => crowd.sql`insert into private.hub_bans (user_id) values (${user})`.execute(),
    },
    {
      words: "delete from prompt_templates",
      start: () =>
        signedIn(crowd, user).run((tx) => tx`delete from prompt_templates where user_id = ${user}`),
    },
  );
  expect([await stateOf(db.sql, low), await stateOf(db.sql, high)]).toEqual(["none", "none"]);
});

test("an operator empties a workspace beside the ban of its owner", async () => {
  const { user, low, high } = await twoPrivateRows(db.sql);
  await behind(
    low,
    {
      words: "private.hub_bans",
      start: () => crowd.sql`insert into private.hub_bans (user_id) values (${user})`.execute(),
    },
    {
      words: "delete from prompt_templates",
      start: () => crowd.sql`delete from prompt_templates where user_id = ${user}`.execute(),
    },
  );
  expect([await stateOf(db.sql, low), await stateOf(db.sql, high)]).toEqual(["none", "none"]);
});

test("an admin's account goes while a ban of theirs is lifted", async () => {
  const admin = await makeAdmin(db.sql);
  const { id, creator } = await makeAsset(db.sql);
  await star(signedIn(db, admin), id);
  expect(await call(signedIn(db, admin), "hub_ban_creator", creator, null)).toHaveProperty("rows");
  await behind(
    id,
    {
      words: "delete from auth.users",
      start: () => db.auth`delete from auth.users where id = ${admin}`.execute(),
    },
    {
      words: "hub_unban_creator",
      start: () => operator(crowd).run((tx) => tx`select hub_unban_creator(${creator})`),
    },
  );
  expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 0, is_visible: true });
});

/** Makes a user with two imports of one asset. Only one import is counted; after its deletion, the `heir` is counted instead. */
async function twoImports() {
  const { id } = await makeAsset(db.sql);
  const user = await makeUser(db.sql);
  for (let i = 0; i < 2; i += 1) await importAsset(db.sql, user, id);
  const rows = await db.sql`select id from hub_imports where asset_id = ${id} order by counts desc`;
  return { id, counting: rows[0]?.id, heir: rows[1]?.id };
}

test("two delete the two imports of one user: none is left, and none counts", async () => {
  for (const rollback of [false, true]) {
    const { id, counting, heir } = await twoImports();
    let second: Promise<unknown> = Promise.resolve();
    await crowd.sql
      .begin(async (tx) => {
        await tx`delete from hub_imports where id = ${heir}`;
        second = Promise.resolve(crowd.sql`delete from hub_imports where id = ${counting}`.execute());
        await untilWaiting(db.sql, "delete from hub_imports");
        if (rollback) throw new Error("rolled back");
      })
      .catch((error) => expect(String(error)).toContain("rolled back"));
    await second;
    expect(await assetRow(db.sql, id)).toMatchObject({ install_count: rollback ? 1 : 0 });
    expect(await wrongCounters(db.sql)).toEqual([]);
  }
});

test("an heir that is about to be deleted is not waited for while the asset is held", async () => {
  const { id, counting, heir } = await twoImports();
  let first: Promise<unknown> = Promise.resolve();
  await crowd.sql.begin(async (tx) => {
    // This transaction locks the heir, but does not lock the asset yet.
    await tx`select from hub_imports where id = ${heir} for update`;
    first = Promise.resolve(crowd.sql`delete from hub_imports where id = ${counting}`.execute());
    await until(async () => {
      const rows = await db.sql`
        select from pg_stat_activity
        where datname = current_database() and query like 'delete from hub_imports%' and wait_event = 'PgSleep'`;
      return rows.length > 0;
    });
    await tx`delete from hub_imports where id = ${heir}`;
  });
  await first;
  expect(await assetRow(db.sql, id)).toMatchObject({ install_count: 0 });
  expect(await wrongCounters(db.sql)).toEqual([]);
});

test.each(["restore", "ban", "upheld", "account"] as const)(
  "an operator resolves two reports, one after the other, beside: %s",
  async (what) => {
    const { id, creator } = await makeAsset(db.sql);
    const other = await makeAsset(db.sql);
    const admin = await makeAdmin(db.sql);
    const reporter = await makeUser(db.sql);
    await reportAsset(signedIn(db, reporter), id);
    await reportAsset(
      signedIn(db, what === "account" ? reporter : await makeUser(db.sql)),
      what === "account" ? other.id : id,
    );
    if (what === "restore") await db.sql`update hub_assets set is_hidden = true where id = ${id}`;
    const reports =
      await db.sql`select id from hub_reports where asset_id in (${id}, ${other.id}) order by id desc`;
    const [high = "", low = ""] = reports.map((row) => row.id);
    const resolve = (sql: Pick<Sql, "unsafe">, report: string) =>
      sql.unsafe("update hub_reports set resolved = true where id = $1", [report]);
    const beside = {
      restore: [
        "set is_hidden = false",
        () => crowd.sql`update hub_assets set is_hidden = false where id = ${id}`,
      ],
      ban: ["private.hub_bans", () => crowd.sql`insert into private.hub_bans (user_id) values (${creator})`],
      upheld: [
        "hub_resolve_report",
        () => call(signedIn(crowd, admin), "hub_resolve_report", low, "upheld", null),
      ],
      account: ["delete from auth.users", () => db.auth`delete from auth.users where id = ${reporter}`],
    } as const;
    const [words, start] = beside[what];
    let running: Promise<unknown> = Promise.resolve();
    await crowd.sql.begin(async (tx) => {
      await resolve(tx, high);
      running = Promise.resolve(start());
      running.catch(() => {});
      await untilWaiting(db.sql, words);
      await resolve(tx, low);
    });
    if (what === "upheld") expect(await running).toEqual({ refused: "report_resolved" });
    else await running;
    expect(await db.sql`select from hub_reports where id in (${high}, ${low}) and not resolved`).toHaveLength(
      0,
    );
    expect(await wrongCounters(db.sql)).toEqual([]);
  },
);

test("a writer whose turn comes while the account is being deleted gives way", async () => {
  const { id } = await makeAsset(db.sql);
  const user = await makeUser(db.sql);
  let writing: Promise<unknown> = Promise.resolve();
  let deleting: Promise<unknown> = Promise.resolve();
  await crowd.sql.begin(async (tx) => {
    await tx`select from hub_profiles where user_id = ${user} for no key update`;
    writing = star(signedIn(crowd, user), id);
    await untilWaiting(db.sql, "insert into hub_stars");
    deleting = Promise.resolve(db.auth`delete from auth.users where id = ${user}`);
    await untilWaiting(db.sql, "delete from auth.users");
  });
  expect(await writing).toEqual({ refused: "unavailable" });
  await deleting;
  expect(await db.sql`select from auth.users where id = ${user}`).toHaveLength(0);
});
