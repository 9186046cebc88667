import { afterAll, beforeAll, expect } from "vitest";
import { signedIn } from "../../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { call, makeAdmin, makeAsset, makeUsers, reportAsset } from "../../../support/hub.ts";

export let db: Clone;
/** Enough connections for many reports at the same moment. */
export let crowd: { sql: Clone["sql"] };
export let admin: string;

/** Opens a database with an admin, for the tests of one file. */
export function useReportFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
    crowd = { sql: db.as("postgres" as never, 60) };
    admin = await makeAdmin(db.sql);
  });
  afterAll(() => db.drop());
}

export const report = (user: string, id: string, reason?: string, details?: string | null) =>
  reportAsset(signedIn(db, user), id, reason, details);
export const moderate = (name: string, ...args: (string | null)[]) =>
  call(signedIn(db, admin), name, ...args);
export const accepted = { rows: expect.anything() };

/** Makes an asset that `count` new users have reported. */
export async function reportedBy(count: number) {
  const asset = await makeAsset(db.sql);
  const users = await makeUsers(db.sql, count);
  for (const user of users) expect(await report(user, asset.id)).toEqual(accepted);
  return { ...asset, users };
}
