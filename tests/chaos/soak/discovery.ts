import { startCluster } from "../../bench/cluster.ts";
import { makeUser, makeUsers } from "../../support/hub.ts";
import { addListings } from "../../support/search.ts";
import { onDeno } from "../../support/service.ts";
import { reader } from "./discovery-readers.ts";
import type { Load } from "./discovery-shared.ts";
import { writer } from "./discovery-writers.ts";
import { DISCOVERY_SECONDS, progress } from "./settings.ts";

const READERS = 64;
const WRITERS = 16;
const LISTINGS = 3000;

/**
 * Lets 64 clients browse and search through supabase-js while 16 other clients star, report, publish, unpublish and hide listings. No
 * client may get an error, and a page that was requested after a hide was committed may not show the hidden listing.
 */
export async function soakDiscovery(): Promise<string[]> {
  const cluster = await startCluster({ max_connections: "300" });
  try {
    const { sql, url } = cluster;
    await seed(sql);
    const service = await onDeno({ url }, [], ["hub-publish"]);
    try {
      const admin = await makeUser(sql);
      await sql`insert into hub_admins (user_id) values (${admin})`;
      const load: Load = {
        service,
        sql,
        admin,
        end: performance.now() + DISCOVERY_SECONDS * 1000,
        hidden: new Map(),
        creators: (await sql`select username from hub_profiles limit 20`).map(({ username }) => username),
        roots: (await sql`select id from hub_assets where is_visible limit 20`).map(({ id }) => id),
        done: {},
        told: {},
        broken: [],
      };
      const ticking = setInterval(
        () => progress(`discovery: ${JSON.stringify(load.done)}, hidden ${load.hidden.size}`),
        10_000,
      );
      await Promise.all([
        ...Array.from({ length: READERS }, () => reader(load)),
        ...Array.from({ length: WRITERS }, (_, i) => writer(load, i)),
      ]);
      clearInterval(ticking);
      console.log(`calls: ${JSON.stringify(load.done)}; refusals of writers: ${JSON.stringify(load.told)}`);
      console.log(`hidden while others read: ${load.hidden.size}`);
      if (load.hidden.size === 0) load.broken.push("nothing was hidden, so nothing was proved");
      return load.broken;
    } finally {
      await service.stop();
    }
  } finally {
    await cluster.stop();
  }
}

/** Adds listings of ten creators, with the rows for search that triggers would have made. */
async function seed(sql: Awaited<ReturnType<typeof startCluster>>["sql"]): Promise<void> {
  for (const creator of await makeUsers(sql, 10)) {
    await addListings(
      sql,
      creator,
      LISTINGS / 10,
      "'Listing ' || (array['meeting', 'notes', 'Rechnung', '翻訳', 'report'])[1 + i % 5] || ' ' || i",
    );
  }
  await sql`insert into private.hub_moderation (asset_id) select id from hub_assets on conflict do nothing`;
}
