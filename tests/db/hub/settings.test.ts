import { afterAll, beforeAll, expect, test } from "vitest";
import { anon, attempt, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser, REPORT_THRESHOLD, reportByNewUsers, stateOf } from "../../support/hub.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const set = (statement: string) => attempt(operator(db), (tx) => tx.unsafe(statement));
const reports = async (id: string) =>
  (await db.sql`select counts from hub_reports where asset_id = ${id}`).map(({ counts }) => counts);

test("by default every account counts; with an age, younger ones are kept and do not hide", async () => {
  const [free, aged] = [await makeAsset(db.sql), await makeAsset(db.sql)];
  await reportByNewUsers(db, free.id, REPORT_THRESHOLD, signedIn);
  expect(await stateOf(db.sql, free.id)).toBe("public hidden");
  await set("update hub_settings set min_reporter_age = '24 hours'");
  await reportByNewUsers(db, aged.id, REPORT_THRESHOLD + 1, signedIn);
  expect(await stateOf(db.sql, aged.id)).toBe("public");
  expect(await reports(aged.id)).toEqual(Array(REPORT_THRESHOLD + 1).fill(false));
  const old = await makeUser(db.sql);
  await db.auth`update auth.users set created_at = now() - interval '25 hours' where id = ${old}`;
  await signedIn(db, old).run(
    (tx) => tx`insert into hub_reports (asset_id, reason) values (${aged.id}, 'spam')`,
  );
  expect((await reports(aged.id)).filter(Boolean)).toHaveLength(1);
  await set("update hub_settings set min_reporter_age = '0'");
});

test("there is one row, of valid settings, and clients read the contact alone", async () => {
  for (const statement of ["delete from hub_settings", "truncate hub_settings"])
    expect(await set(statement)).toEqual({ refused: "append_only" });
  for (const change of [
    "min_reporter_age = '-1 hour'",
    "min_reporter_age = '400 days'",
    "contact_url = 'javascript:alert(1)'",
    "contact_url = 'http://example.test'",
    "contact_url = 'mailto:nobody'",
    "contact_url = 'mailto:a@b.test?bcc=c@d.test'",
  ])
    await expect(db.sql.unsafe(`update hub_settings set ${change}`), change).rejects.toMatchObject({
      code: "23514",
    });
  await expect(db.sql`insert into hub_settings (id) values (false)`).rejects.toMatchObject({ code: "23514" });
  await db.sql`update hub_settings set contact_url = 'mailto:rights@example.test'`;
  expect((await anon(db).run((tx) => tx`select contact_url from hub_settings`))[0]).toEqual({
    contact_url: "mailto:rights@example.test",
  });
  expect(await attempt(anon(db), (tx) => tx`select min_reporter_age from hub_settings`)).toEqual({
    refused: "42501",
  });
});
