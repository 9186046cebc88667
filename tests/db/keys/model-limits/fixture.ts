import type postgres from "postgres";
import { afterAll, beforeAll } from "vitest";
import { type Clone, cloneDatabase } from "../../../support/database.ts";
import { addKey, limitModel, makeUser } from "../../../support/keys.ts";

export let db: Clone;
export let service: postgres.Sql;

/** Opens a database for the tests of one file. */
export function useModelFixture(): void {
  beforeAll(async () => {
    db = await cloneDatabase();
    service = db.as("service_role", 24);
  });
  afterAll(() => db.drop());
}

/** Makes a pool of keys. */
export async function makePool(size: number, options: { priority?: number; usageCount?: number } = {}) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < size; i += 1) keyIds.push(await addKey(db.sql, userId, options));
  return { userId, keyIds };
}

/** Reports a 429 on a lease for a model. */
export const limit = (...what: [userId: string, keyId: string, model?: string, retryAfter?: number]) =>
  limitModel(service, ...what);
/** Returns the row of a key with a model. */
export const modelRow = async (keyId: string, model = "pro") =>
  (await db.sql`select * from api_key_model_health where user_api_key_id = ${keyId} and model = ${model}`)[0];
