import type postgres from "postgres";
import { importAsset, makeUser, publish } from "../../support/hub.ts";
import { median } from "../cluster.ts";
import type { Hub } from "./hub.ts";
import { low, timed } from "./measure.ts";

const ROUNDS = 120;
const TARGET = 1.5;

type Write = (side: Side, round: number) => Promise<unknown>;
interface Side {
  hub: Hub;
  sql: postgres.Sql;
  author: string;
  reader: string;
  published: string[];
}

const writes: Record<string, Write> = {
  publish: async (side, round) => {
    const title = `Of the bench ${round}`;
    const { asset_id } = await publish(side.sql, side.author, { title, slug: `of-the-bench-${round}` });
    side.published.push(asset_id);
  },
  star: ({ sql, author, hub }, round) =>
    sql`insert into hub_stars (asset_id, user_id) values (${hub.ids[round % 24] ?? ""}, ${author})`,
  unstar: ({ sql, author, hub }, round) =>
    sql`delete from hub_stars where asset_id = ${hub.ids[round % 24] ?? ""} and user_id = ${author}`,
  import: ({ sql, reader, published }, round) => importAsset(sql, reader, published[round] ?? ""),
};

/** Measures a star that finds the snapshot of trending too old, so that it makes a new one. Returns the minimum of three stars. */
export async function timeRefresh({ cluster, ids }: Hub): Promise<number> {
  const { sql } = cluster;
  const user = await makeUser(sql);
  const times: number[] = [];
  for (const id of ids.slice(0, 3)) {
    await sql`update private.hub_snapshots set made_at = '-infinity' where name = 'trending'`;
    times.push(await timed(() => sql`insert into hub_stars (asset_id, user_id) values (${id}, ${user})`));
  }
  await sql`delete from hub_stars where user_id = ${user}`;
  return Math.min(...times);
}

/** Measures the cost of search for writers: the same writes in turns on each hub. */
export async function benchWriters(hubs: Hub[]): Promise<void> {
  const sides: Side[] = [];
  for (const hub of hubs) {
    const [sql] = await hub.cluster.callers(1);
    if (sql === undefined) throw new Error("no caller");
    // Writing a commit to disk takes longer than the measured work, and its time differs between the servers.
    await sql`set synchronous_commit = off`;
    sides.push({ hub, sql, author: await makeUser(sql), reader: await makeUser(sql), published: [] });
  }
  const times = sides.map((): Record<string, number[]> => ({}));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, write] of Object.entries(writes)) {
      for (const [i, side] of sides.entries()) {
        const time = await timed(() => write(side, round));
        const own = times[i] as Record<string, number[]>;
        own[name] ??= [];
        if (round >= 10) own[name].push(time);
      }
    }
  }
  // Give the new listings an old date: a hub may be kept for the next run, where they would otherwise be the newest listings.
  for (const { sql, author } of sides) {
    await sql`set session_replication_role = replica`;
    await sql`update hub_assets set published_at = '2025-01-01', content_updated_at = '2025-01-01' where creator_id = ${author}`;
    await sql`
      update private.hub_listing_tags set published_at = '2025-01-01', content_updated_at = '2025-01-01'
      where asset_id in (select id from hub_assets where creator_id = ${author})`;
  }
  console.table(
    Object.keys(writes).map((name) => {
      const of = times.map((own) => own[name] ?? []);
      const columns = Object.fromEntries(
        hubs.map(({ assets }, i) => [
          `${assets.toLocaleString("en")}, ms`,
          `${low(of[i] ?? []).toFixed(2)} (${median(of[i] ?? []).toFixed(2)})`,
        ]),
      );
      const growth = low(of.at(-1) ?? []) / low(of[0] ?? []);
      return {
        write: name,
        ...columns,
        growth: growth.toFixed(2),
        aim: TARGET,
        met: growth <= TARGET,
      };
    }),
  );
}
