import type postgres from "postgres";
import { ASSETS } from "../../../packages/core/src/hub/index.ts";
import type { WholeAsset } from "./whole-assets.ts";

/** Returns the user who has signed up for the bench. */
export async function userOf(sql: postgres.Sql): Promise<string> {
  const [user] = await sql<{ id: string }[]>`select id from auth.users where email = 'hostile@example.test'`;
  if (user === undefined) throw new Error("nobody has signed up");
  return user.id;
}

/**
 * Returns a function that replaces everything in the user's workspace by a whole asset. It resolves to the body of the request for the
 * asset's preview; null when no workspace accepts the asset.
 */
export function workspaceOf(sql: postgres.Sql, userId: string): (text: string) => Promise<string | null> {
  const put = async ({ asset_type, payload }: Omit<WholeAsset, "items">) => {
    const table = ASSETS[asset_type].table;
    // jsonb_populate_record converts each member to the type of its column.
    const [row] = await sql.unsafe<{ id: string }[]>(
      `insert into public.${table} (user_id, name, ${Object.keys(payload).filter(isColumn).join(", ")})
       select $1::uuid, 'n', ${Object.keys(payload).filter(isColumn).join(", ")}
       from jsonb_populate_record(null::public.${table}, $2::text::jsonb) returning id`,
      [userId, JSON.stringify(payload)],
    );
    return { asset_type, ref_id: row?.id };
  };
  return async (text) => {
    const { items, ...main } = JSON.parse(text) as WholeAsset;
    // Delete the counts of previews, because a user may have only six hundred an hour.
    await sql`delete from private.hub_calls`;
    for (const { table } of Object.values(ASSETS)) await sql`delete from public.${sql(table)}`;
    try {
      const [published, ...others] = [await put(main), ...(await each(items, put))];
      const body = { ...published, title: "t", description: "d", license: "cc0", dry_run: true };
      return JSON.stringify(main.asset_type === "orchestration" ? { ...body, items: others } : body);
    } catch (error) {
      // The API would refuse this asset as well: it has a text with half of a surrogate pair, or a row that is too large.
      if (error instanceof Error && "code" in error) return null;
      throw error;
    }
  };
}

const isColumn = (name: string) => name !== "name";

async function each<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of list) done.push(await work(one));
  return done;
}
