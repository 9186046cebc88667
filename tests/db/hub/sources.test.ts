import { afterAll, beforeAll, expect, test } from "vitest";
import { ASSETS, BUNDLE } from "../../../packages/core/src/hub/index.ts";
import { attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

/** Adds `count` templates of 256 KB to a workspace. */
async function templates(user: string, count: number) {
  const rows = await db.sql`
    insert into prompt_templates (user_id, name, content) select ${user}, 'T', repeat('x', 262144) from generate_series(1, ${count}::int)
    returning id`;
  return rows.map(({ id }) => ({ asset_type: "template", ref_id: id as string }));
}
const sources = (user: string, items: object[]) =>
  attempt(
    signedIn(db, user),
    (tx) =>
      tx`select jsonb_array_length(s) as count, octet_length(s::text) as bytes from hub_sources(${tx.json(items as never)}) s`,
  );

test("an item that is named often is read once", async () => {
  const user = await makeUser(db.sql);
  const [item] = await templates(user, 1);
  const outcome = await sources(
    user,
    Array.from({ length: 10_000 }, () => item ?? {}),
  );
  expect(outcome).toMatchObject({ rows: [{ count: 1 }] });
});

test("as much as a kit may have is read, and not much more", async () => {
  const user = await makeUser(db.sql);
  const items = await templates(user, 50);
  const whole = 2 * (BUNDLE.bytes + ASSETS.orchestration.bytes);
  expect(await sources(user, items.slice(0, 45))).toMatchObject({ rows: [{ count: 45 }] });
  const outcome = await sources(user, items);
  expect(outcome).toEqual({ refused: "validation_failed" });
  // The limit of the database is twice the limit of core for a kit.
  const [row] =
    await db.sql`select prosrc like ${`%max_bytes constant integer := ${whole};%`} as same from pg_proc where proname = 'hub_sources'`;
  expect(row?.same).toBe(true);
});

test("no caller says how much", async () => {
  const user = await makeUser(db.sql);
  await expect(
    signedIn(db, user).run((tx) => tx`select hub_sources('[]'::jsonb, 2000000000)`),
  ).rejects.toMatchObject({ code: "42883" });
});
