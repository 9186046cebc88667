import { afterAll, beforeAll, beforeEach } from "vitest";
import { signedIn } from "../../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { publish } from "../../../support/hub.ts";
import { ask, makeTeam, type Team } from "../../../support/organizations.ts";

export let db: Clone;
/** A new organization for each test. */
export let team: Team;

/** Opens a database for the tests of one file, and makes an organization before each of them. */
export function useShelfFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(() => db.drop());
  beforeEach(async () => {
    team = await makeTeam(db);
  });
}

export const as = (userId: string) => signedIn(db, userId);
export const share = (creator: string, what: Parameters<typeof publish>[2] = {}) =>
  publish(db.sql, creator, { organization: team.slug, ...what });
/** Returns the message of the refusal; null if the work succeeds. */
export const refused = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => error.message,
  );
export const shelf = (userId: string, args: Record<string, unknown> = {}) =>
  ask<{ items: { id: string; title: string }[]; next_cursor: string | null }>(as(userId), "hub_shelf", {
    organization: team.slug,
    ...args,
  });
