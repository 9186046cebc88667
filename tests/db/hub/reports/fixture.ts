import { afterAll, beforeAll, expect } from "vitest";
import { signedIn } from "../../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { call, makeAdmin, makeAsset, makeUsers, reportAsset } from "../../../support/hub.ts";
import { LONG_TESTS } from "../../../support/long-tests.ts";

export let db: Clone;
/** Connections for reports at the same moment. They are few, because a new one costs Postgres more than a report does. */
export let crowd: { sql: Clone["sql"] };
export let admin: string;

/** Opens a database with an admin, for the tests of one file. */
export function useReportFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
    crowd = { sql: db.as("postgres" as never, LONG_TESTS ? 60 : 8) };
    admin = await makeAdmin(db.sql);
  });
  afterAll(() => db.drop());
}

export const report = (user: string, id: string, reason?: string, details?: string | null) =>
  reportAsset(signedIn(db, user), id, reason, details);
export const moderate = (name: string, ...args: (string | null)[]) =>
  call(signedIn(db, admin), name, ...args);
export const accepted = { rows: expect.anything() };

/** Makes an asset that `count` new users have reported: the last one over the API, the others in one statement. */
export async function reportedBy(count: number) {
  const asset = await makeAsset(db.sql);
  const users = await makeUsers(db.sql, count);
  await db.sql`
    insert into hub_reports (asset_id, reporter_id, reason)
    select ${asset.id}, unnest(${users.slice(0, -1)}::uuid[]), 'spam'`;
  for (const user of users.slice(-1)) expect(await report(user, asset.id)).toEqual(accepted);
  return { ...asset, users };
}
