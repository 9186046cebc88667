import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser, untilWaiting, wrongCounters } from "../../support/hub.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const usage = async (user: string) =>
  (await db.sql`select row_count, byte_count from private.workspace_usage where user_id = ${user}`)[0];

const insert = (user: string, rows: number, bytes = 0) =>
  attempt(
    signedIn(db, user),
    (tx) => tx`insert into prompt_templates (name, content)
      select 'n' || i, repeat('x', ${bytes}::int) from generate_series(1, ${rows}::int) i returning id`,
  );

describe("a workspace", () => {
  test("counts rows and bytes of all four tables, also after edits and deletions", async () => {
    const user = await makeUser(db.sql);
    const me = signedIn(db, user);
    await insert(user, 3, 100);
    await attempt(me, (tx) => tx`insert into custom_components (name, source) values ('c', 'export {}')`);
    await attempt(me, (tx) => tx`insert into orchestrator_configs (name) values ('o')`);
    await attempt(me, (tx) => tx`insert into ai_model_settings (name, model_id) values ('p', 'm')`);
    expect(await usage(user)).toMatchObject({ row_count: 6 });
    expect(await wrongCounters(db.sql)).toEqual([]);
    const before = Number((await usage(user))?.byte_count);
    await attempt(me, (tx) => tx`update prompt_templates set content = content || repeat('y', 1000)`);
    expect(Number((await usage(user))?.byte_count)).toBe(before + 3000);
    await attempt(me, (tx) => tx`delete from prompt_templates`);
    await attempt(me, (tx) => tx`delete from orchestrator_configs`);
    expect(await usage(user)).toMatchObject({ row_count: 2 });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("of 2,000 rows takes no more, in one statement and at once; after a deletion it does", async () => {
    const user = await makeUser(db.sql);
    expect(await insert(user, 1996)).toMatchObject({ rows: expect.anything() });
    expect(await insert(user, 5)).toEqual({ refused: "limit_reached" });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => insert(user, 1)));
    expect(outcomes.filter((one) => "rows" in one)).toHaveLength(4);
    expect(await usage(user)).toMatchObject({ row_count: 2000 });
    const again = await attempt(
      signedIn(db, user),
      (tx) => tx`update prompt_templates set name = 'renamed' where name in ('n1', 'n2')`,
    );
    expect(again).toMatchObject({ rows: expect.anything() });
    await attempt(
      signedIn(db, user),
      (tx) => tx`delete from prompt_templates where id in (select id from prompt_templates limit 5)`,
    );
    expect(await insert(user, 5)).toMatchObject({ rows: expect.anything() });
    expect(await insert(user, 1)).toEqual({ refused: "limit_reached" });
    expect(await wrongCounters(db.sql)).toEqual([]);
  });

  test("of 100 MiB takes no more, and says the number; making it smaller is never refused", async () => {
    const user = await makeUser(db.sql);
    await insert(user, 1, 100);
    const fill = (bytes: number) =>
      db.sql`update private.workspace_usage set byte_count = ${104857600 - bytes} where user_id = ${user}`;
    await fill(5_000);
    expect(await insert(user, 1, 4_000)).toMatchObject({ rows: expect.anything() });
    expect(await insert(user, 1, 1_000)).toEqual({ refused: "limit_reached" });
    await expect(
      signedIn(db, user).run((tx) => tx`update prompt_templates set content = content || repeat('x', 1000)`),
    ).rejects.toMatchObject({ code: "PT422", detail: '{"most": 104857600, "limit": "workspace_bytes"}' });
    // This is the state after an operator has lowered the limit: the content above the limit stays, and may shrink.
    await fill(-900_000);
    const me = signedIn(db, user);
    expect(await attempt(me, (tx) => tx`update prompt_templates set content = ''`)).toMatchObject({
      rows: expect.anything(),
    });
  });

  test("of another account is not counted", async () => {
    const [a, b] = [await makeUser(db.sql), await makeUser(db.sql)];
    await insert(a, 1);
    await db.sql`update private.workspace_usage set row_count = 2000 where user_id = ${a}`;
    expect(await insert(a, 1)).toEqual({ refused: "limit_reached" });
    expect(await insert(b, 1)).toMatchObject({ rows: expect.anything() });
  });
});

describe("edits of listings", () => {
  const edit = (user: string, id: string, text: string) =>
    attempt(
      signedIn(db, user),
      (tx) => tx`update hub_assets set description = ${text} where id = ${id} returning id`,
    );
  const pretend = (user: string, count: number) => db.sql`
    insert into private.hub_calls (user_id, kind, at)
    select ${user}, 'edits', now() - interval '10 minutes' from generate_series(1, ${count}::int)`;

  test("are 600 an hour, exactly, also at once; the refusal says of what and for how long", async () => {
    const { id, creator } = await makeAsset(db.sql, { slug: "edited-often" });
    await pretend(creator, 596);
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, i) => edit(creator, id, `Text ${i}`)));
    expect(outcomes.filter((one) => "rows" in one)).toHaveLength(4);
    await expect(
      signedIn(db, creator).run((tx) => tx`update hub_assets set description = 'more' where id = ${id}`),
    ).rejects.toMatchObject({
      code: "PT429",
      message: "rate_limited",
      detail: expect.stringMatching(/"limit": "edits"/),
    });
    await db.sql`update private.hub_calls set at = at - interval '1 hour' where user_id = ${creator}`;
    expect(await edit(creator, id, "An hour later")).toMatchObject({ rows: expect.anything() });
  });

  test("of several listings in one statement count once for each", async () => {
    const { creator } = await makeAsset(db.sql, { slug: "one-of-three" });
    for (const slug of ["two-of-three", "three-of-three"]) await makeAsset(db.sql, { creator, slug });
    await attempt(signedIn(db, creator), (tx) => tx`update hub_assets set description = 'All of them'`);
    expect(
      await db.sql`select from private.hub_calls where user_id = ${creator} and kind = 'edits'`,
    ).toHaveLength(3);
  });

  test("lock the profile before the listing", async () => {
    const { id, creator } = await makeAsset(db.sql, { slug: "edited-in-order" });
    let edited: Promise<unknown> = Promise.resolve();
    await db.sql.begin(async (tx) => {
      await tx`select from hub_profiles where user_id = ${creator} for no key update`;
      edited = edit(creator, id, "After the profile");
      await untilWaiting(db.sql, "set description");
      expect(await tx`select from hub_assets where id = ${id} for update skip locked`).toHaveLength(1);
    });
    expect(await edited).toMatchObject({ rows: expect.anything() });
  });

  test("of operators and publications are not counted", async () => {
    const { id, creator } = await makeAsset(db.sql, { slug: "by-operators" });
    await db.sql`update hub_assets set description = 'By an operator' where id = ${id}`;
    expect(await db.sql`select from private.hub_calls where user_id = ${creator}`).toHaveLength(0);
  });
});
