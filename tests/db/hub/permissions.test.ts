import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Actor,
  anon,
  anonymousSession,
  attempt,
  type Outcome,
  service,
  signedIn,
} from "../../support/actors.ts";
import { cloneDatabase } from "../../support/database.ts";
import {
  assetTypes,
  call,
  closeHistory,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  reportAsset,
  sha256,
  star,
} from "../../support/hub.ts";
import { makeTeam } from "../../support/organizations.ts";
import { buy, makePaid, makeSeller } from "../../support/payments.ts";
import { type Labelled, labels } from "../../support/permission-labels.ts";
import {
  type ActorName,
  actorNames,
  hubTables,
  lineOf,
  permissions,
  type Verb,
} from "../../support/permissions.ts";

const db = await cloneDatabase();
afterAll(() => db.drop());

const tables = await hubTables(db.sql);

// One hub for all actors, with rows in every state.
const users = {} as Record<"other" | "stranger" | "owner" | "banned" | "admin" | "anonymous", string>;
const actors = {} as Record<ActorName, Actor>;
const idOf: Record<ActorName, string | undefined> = {} as never;
let starrable = "";
let followed = "";

beforeAll(async () => {
  const { sql } = db;
  users.admin = await makeAdmin(sql);
  for (const name of ["other", "stranger", "owner", "banned", "anonymous"] as const)
    users[name] = await makeUser(sql);
  const admin = signedIn(db, users.admin);
  followed = await makeUser(sql);
  const sold = await makePaid(sql);

  for (const creator of [users.other, users.owner, users.banned]) {
    const made: string[] = [];
    for (const type of assetTypes) {
      const payload = { a: 1, of: creator };
      const items = [
        {
          asset_type: "template",
          ref_id: crypto.randomUUID(),
          title: "Item",
          payload,
          sha256: sha256(payload),
          license: "cc0",
        },
      ];
      const { id, refId } = await makeAsset(sql, { creator, type, slug: "first", items });
      await publish(sql, creator, { type, refId, payload: { a: 2, of: creator }, items });
      made.push(id);
    }
    const more = async () => (await makeAsset(sql, { creator, slug: "more" })).id;
    const [unpublished, hidden, deleted, both] = [await more(), await more(), await more(), await more()];
    await call(signedIn(db, creator), "hub_unpublish_asset", unpublished);
    for (const id of [hidden, both]) await call(admin, "hub_hide_asset", id, "For a test.");
    await call(signedIn(db, creator), "hub_appeal", hidden, "Why?");
    for (const id of [deleted, both]) await call(signedIn(db, creator), "hub_delete_asset", id);
    starrable ||= made[0] ?? "";
    await importAsset(sql, creator, starrable);
    // These two listings have an older version that only some users can read.
    const [closed, yanked] = [made[1] ?? "", made[2] ?? ""];
    await closeHistory(sql, closed);
    await call(signedIn(db, creator), "hub_yank_version", yanked, "1", "For a test.");
    await sql`select private.keep_overwritten(asset_id, '{}', '{}', null) from private.hub_copies`;
    await sql`
      insert into hub_pictures (asset_id, media_type, bytes, width, height)
      select id, 'image/png', '\\x00', 1, 1 from unnest(${[...made, unpublished, hidden]}::uuid[]) id`;
    await sql`insert into hub_featured (asset_id) select unnest(${[...made, unpublished, hidden]}::uuid[])`;
    await star(signedIn(db, creator), starrable);
    await sql`insert into hub_follows (user_id, creator_id) values (${creator}, ${followed})`;
    await sql`insert into private.hub_allowed_content (user_id, asset_id) values (${creator}, ${starrable})`;
    if (creator !== users.other) await reportAsset(signedIn(db, creator), starrable);
    await makeSeller(sql, creator);
    await buy(sql, creator, sold.id);
    await sql`select private.offer_scan_token(${creator}, ${sha256({})}, 900)`;
    await sql`select private.limit_calls(${creator}, 'imports', 10)`;
    await sql`select private.store_response(${creator}, 'hub-publish', 'a', ${sha256({})}, '{}')`;
  }
  // These rows belong to an organization that nobody here is a member of.
  const team = await makeTeam(db);
  await publish(sql, team.member, { organization: team.slug });
  await call(signedIn(db, team.owner), "invite_member", team.id);
  await call(admin, "hub_ban_creator", users.banned, "For a test.");
  await call(signedIn(db, users.banned), "hub_appeal", null, "Why?");
  await sql`update hub_settings set contact_url = 'mailto:us@example.test'`;
  await sql`update hub_profiles set username = 'renamed-owner' where user_id = ${users.owner}`;
  await sql`select hub_refresh_discovery()`;

  // Runs each statement with the rights of the caller, and rolls it back: one transaction for all, which is cheaper.
  await sql`
    create function test_outcomes(statements text[]) returns table (statement text, code text)
    language plpgsql as $$
    begin
      foreach statement in array statements loop
        begin
          execute statement;
          raise exception using errcode = 'TEST0', message = 'accepted';
        exception when others then
          code := sqlstate;
        end;
        return next;
      end loop;
    end $$`;
  await sql`grant execute on function test_outcomes to public`;

  Object.assign(actors, {
    anon: anon(db),
    "anonymous session": anonymousSession(db, users.anonymous),
    stranger: signedIn(db, users.stranger),
    owner: signedIn(db, users.owner),
    banned: signedIn(db, users.banned),
    admin,
    service: service(db),
  });
  Object.assign(idOf, {
    "anonymous session": users.anonymous,
    stranger: users.stranger,
    owner: users.owner,
    banned: users.banned,
    admin: users.admin,
  });
});

const matches: Record<string, (row: Labelled, actor: ActorName) => boolean> = {
  none: () => false,
  visible: ({ visible }) => visible,
  own: ({ owner, tombstone }, actor) => owner !== null && owner === idOf[actor] && !tombstone,
  all: ({ tombstone }) => !tombstone,
  every: () => true,
};

async function expectedKeys(table: string, words: string, actor: ActorName): Promise<string[]> {
  const rows = await db.sql.unsafe<Labelled[]>(labels[table]?.query ?? "");
  expect(rows.length, `${table} has no rows to see`).toBeGreaterThan(0);
  // A user who imported an asset can also read its older versions. Of the withdrawn versions, the user can read only the imported one. A
  // buyer can read a paid asset.
  const imported = ["hub_asset_versions", "hub_bundle_items"].includes(table)
    ? (
        await db.sql`
          select concat(v.asset_id, ' ', v.version) as key
          from hub_imports i join hub_assets a on a.id = i.asset_id join hub_asset_versions v on v.asset_id = a.id
          where i.user_id = ${idOf[actor] ?? null} and a.is_visible and (v.yanked_at is null or v.version = i.version)
          union
          select concat(v.asset_id, ' ', v.version)
          from hub_purchases p join hub_asset_versions v on v.asset_id = p.asset_id
          where p.user_id = ${idOf[actor] ?? null} and p.revoked_at is null and v.license = 'paid'`
      ).map((row) => row.key)
    : [];
  return rows
    .filter(
      (row) =>
        words.split(/, | \(/).some((word) => matches[word]?.(row, actor)) ||
        imported.includes(row.key.split(" ").slice(0, 2).join(" ")),
    )
    .map(({ key }) => key)
    .sort();
}

describe.each(actorNames)("as %s", (actor) => {
  const lines = (verb: Verb) => permissions.filter((permission) => permission.verb === verb);
  const refusedBy = (words: string) => (words === "–" ? "42501" : /^`(\w+)`$/.exec(words)?.[1]);

  test.each(lines("select").map(({ table, rows }) => ({ table, words: rows[actor] })))(
    "select from $table: $words",
    async ({ table, words }) => {
      const { key = "" } = labels[table] ?? {};
      const columns = lineOf(table, "select")?.columns;
      const outcome = await attempt(actors[actor], (tx) =>
        tx.unsafe(`select ${columns === "all" ? "*," : ""} ${key} as key from ${table}`),
      );
      if (words === "–") return expect(outcome).toEqual({ refused: "42501" });
      const expected = await expectedKeys(table, words, actor);
      expect("rows" in outcome ? outcome.rows.map((row) => row.key).sort() : outcome).toEqual(expected);
      // A count must include no more rows than reading.
      const [count] = await actors[actor].run((tx) => tx.unsafe(`select count(*)::int as n from ${table}`));
      expect(count?.n).toBe(expected.length);
    },
  );

  test.each(lines("update").map(({ table, rows }) => ({ table, words: rows[actor] })))(
    "update of $table: $words",
    async ({ table, words }) => {
      const { key = "" } = labels[table] ?? {};
      const columns = lineOf(table, "update")?.columns ?? [];
      for (const column of columns) {
        const outcome = await rolledBack(actors[actor], (tx) =>
          tx.unsafe(`update ${table} set ${column} = ${column} where true returning ${key} as key`),
        );
        const refused = refusedBy(words);
        if (refused) expect(outcome, column).toEqual({ refused });
        else {
          const keys = "rows" in outcome ? outcome.rows.map((row) => row.key).sort() : outcome;
          expect(keys, column).toEqual(await expectedKeys(table, words, actor));
        }
      }
    },
  );

  test.each(lines("delete").map(({ table, rows }) => ({ table, words: rows[actor] })))(
    "delete from $table: $words",
    async ({ table, words }) => {
      const { key = "" } = labels[table] ?? {};
      const outcome = await rolledBack(actors[actor], (tx) =>
        tx.unsafe(`delete from ${table} returning ${key} as key`),
      );
      const refused = refusedBy(words);
      if (refused) expect(outcome).toEqual({ refused });
      else {
        const keys = "rows" in outcome ? outcome.rows.map((row) => row.key).sort() : outcome;
        expect(keys).toEqual(await expectedKeys(table, words, actor));
      }
    },
  );

  test.each(lines("insert").map(({ table, rows }) => ({ table, words: rows[actor] })))(
    "insert into $table: $words",
    async ({ table, words }) => {
      const userColumn = table === "hub_reports" ? "reporter_id" : "user_id";
      const insert = (user: string | undefined) => {
        const target = actor === "owner" && table === "hub_reports" ? ownAsset : starrable;
        const row: Record<string, unknown> =
          table === "hub_stars"
            ? { asset_id: target }
            : table === "hub_follows"
              ? { creator_id: followed }
              : table === "hub_reports"
                ? { asset_id: target, reason: "spam" }
                : { name: "An item" };
        if (user !== undefined) row[userColumn] = user;
        return rolledBack(actors[actor], (tx) => tx`insert into ${tx(table)} ${tx(row)}`);
      };
      const [asset] =
        await db.sql`select id from hub_assets where creator_id = ${users.owner} and is_visible limit 1`;
      const ownAsset = asset?.id;
      const refused = refusedBy(words);
      if (refused) expect(await insert(undefined)).toEqual({ refused });
      else expect(await insert(undefined)).toHaveProperty("rows");
      // A write in the name of another user is always refused, and the refusal says nothing about that user.
      for (const name of [users.other, users.banned].filter((id) => id !== idOf[actor])) {
        expect(await insert(name)).toEqual({ refused: "42501" });
      }
    },
  );

  test("every other verb and column of every table is refused", async () => {
    const statements: string[] = [];
    // Leave out `hub_listings`: nobody can write to a view with a join.
    for (const { name, columns } of tables.filter((table) => table.name !== "hub_listings")) {
      const insert = lineOf(name, "insert");
      const update = lineOf(name, "update");
      for (const column of columns) {
        if (!insert?.columns.includes(column))
          statements.push(`insert into ${name} (${column}) values (default)`);
        if (!update?.columns.includes(column)) statements.push(`update ${name} set ${column} = default`);
      }
      if (lineOf(name, "delete") === undefined) statements.push(`delete from ${name}`);
      statements.push(`truncate ${name} cascade`);
    }
    const outcomes = await actors[actor].run((tx) => tx`select * from test_outcomes(${statements})`);
    expect(outcomes).toHaveLength(statements.length);
    expect(outcomes.filter(({ code }) => code !== "42501")).toEqual([]);
  });
});

class Done extends Error {
  rows: postgres.RowList<postgres.Row[]>;
  constructor(rows: postgres.RowList<postgres.Row[]>) {
    super("done");
    this.rows = rows;
  }
}

/** Runs a statement, rolls it back, and returns its result. */
async function rolledBack(
  who: Actor,
  work: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>,
): Promise<Outcome> {
  try {
    return await attempt(who, async (tx) => {
      throw new Done(await work(tx));
    });
  } catch (error) {
    if (error instanceof Done) return { rows: error.rows };
    throw error;
  }
}
