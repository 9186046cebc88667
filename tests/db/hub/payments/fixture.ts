import { afterAll, beforeAll } from "vitest";
import { refusalOf } from "../../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";

export let db: Clone;

/** Opens a database for the tests of one file. */
export function usePaymentFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(() => db.drop());
}

/** Returns the code of the refusal. */
export const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing was refused",
    (error) => refusalOf(error),
  );

/** Returns whether a user has bought a listing, and still has the right to it. */
export const hasLive = async (userId: string, assetId: string) => {
  const rows = await db.sql`
    select from hub_purchases where user_id = ${userId} and asset_id = ${assetId} and revoked_at is null`;
  return rows.length > 0;
};
